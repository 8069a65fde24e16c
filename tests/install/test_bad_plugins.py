"""Whatever an installed plugin does, it is named, and it never decides the exit code."""

import json

import pytest

from bad_signals import BAD_SIGNALS, source_of
from sentinel_core.testing import honest_trace
from sentinel_core.traces.codec import encode_trace
from wheels import write_wheel

pytestmark = pytest.mark.unmeasured

GOOD = "cost,hallucination,loop,tool_misuse"
LIMITS = ("--timeout", "2", "--max-memory-mb", "1024")


@pytest.fixture(scope="module")
def environment(make_environment, wheelhouse):
    for name in BAD_SIGNALS:
        write_wheel(
            wheelhouse,
            f"bad-{name}".replace("_", "-"),
            {f"bad_{name}": source_of(name)},
            {"sentinel.signals": {name: f"bad_{name}"}},
        )
    too_new = {"sentinel.signals": {"too_new": "bad_too_new"}}
    source = source_of("prints").replace("prints", "too_new")
    write_wheel(wheelhouse, "bad-too-new", {"bad_too_new": source}, too_new, ["reliability-sentinel>=99"])
    made = make_environment(
        "reliability-sentinel[standard]", *(f"bad-{name}".replace("_", "-") for name in BAD_SIGNALS)
    )
    made.install("bad-too-new", wheelhouse=wheelhouse, dependencies=False)
    with made.forking():
        yield made


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    path = tmp_path_factory.mktemp("traces") / "honest.json"
    path.write_bytes(encode_trace(honest_trace()))
    return str(path)


@pytest.fixture(scope="module")
def without(environment, trace):
    done = environment.sentinel("evaluate", trace, "--json", "--plugins", GOOD, afresh=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def about_others(report, name):
    """The report without its lines on one signal."""
    coverage = [row for row in report["coverage"] if row["signal_name"] != name]
    return {**report, "failures": [], "coverage": coverage}


CASES = {**{name: words for name, (_, words) in BAD_SIGNALS.items()}, "too_new": "needs reliability-sentinel>=99"}


@pytest.mark.parametrize(("name", "words"), CASES.items(), ids=list(CASES))
def test_weighted_is_named_and_ends_in_3(environment, trace, name, words):
    done = environment.sentinel(
        "evaluate", trace, "--json", "--plugins", f"{GOOD},{name}", "--weight", f"{name}=0.1", *LIMITS
    )
    assert done.returncode == 3, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    (failure,) = json.loads(done.stdout)["failures"]
    assert failure["signal_name"] == name
    assert words in failure["error"]
    assert failure["advisory"] is False
    assert json.loads(done.stdout)["verdict"] is None


THIRD = [
    pytest.param(*case, id=case[0], marks=pytest.mark.exhaustive if number % 3 else ())
    for number, case in enumerate(CASES.items())
]


@pytest.mark.parametrize(("name", "words"), THIRD)  # make test has each kind above, and make soak here
def test_advisory_costs_the_others_nothing(environment, trace, without, name, words):
    done = environment.sentinel("evaluate", trace, "--json", "--plugins", f"{GOOD},{name}", *LIMITS)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    (failure,) = report["failures"]
    assert (failure["signal_name"], failure["advisory"]) == (name, True)
    assert words in failure["error"]
    assert json.dumps(about_others(report, name)) == json.dumps(about_others(without, name))


def test_there_are_more_than_twenty_kinds():
    assert len(CASES) >= 20


def test_a_clash_names_both_distributions_and_stops_only_what_would_use_them(make_environment, wheelhouse, trace):
    module = source_of("prints").replace("'prints'", "'loop'")
    write_wheel(wheelhouse, "another-loop", {"another_loop": module}, {"sentinel.signals": {"loop": "another_loop"}})
    environment = make_environment("reliability-sentinel[standard]", "another-loop")
    for command, code in ((("evaluate", trace), 3), (("config", "show"), 3), (("plugins",), 0)):
        done = environment.sentinel(*command)
        assert done.returncode == code
        assert "another-loop 1.0" in done.stderr
        assert "reliability-sentinel-signal-loop 0.1.0" in done.stderr
    for command in (
        ("--help",),
        ("formats",),
        ("evaluate", trace, "--plugins", "+reliability-sentinel-signal-loop:loop"),
    ):
        assert environment.sentinel(*command).returncode == 0


def test_a_process_of_its_own_judges_as_a_fork_does(environment, trace):
    told = ("evaluate", trace, "--plugins", f"{GOOD},raises_at_import", "--weight", "raises_at_import=0.1")
    own, fork = (environment.sentinel(*told, afresh=afresh) for afresh in (True, False))
    assert (own.returncode, own.stdout, own.stderr) == (fork.returncode, fork.stdout, fork.stderr)
    assert own.returncode == 3


def test_check_names_every_broken_plugin(environment):
    done = environment.sentinel("plugins", "--check", "--json", "--timeout", "2")
    assert done.returncode == 3
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["loop"]["state"] == "loads, selected"
    for name in ("ends_at_import", "slow_import", "lacks_dependency", "syntax", "too_new", "wraps"):
        assert rows[name]["state"] == "broken"
        assert CASES[name] in rows[name]["error"]


def test_listing_imports_no_plugin(environment):
    done = environment.sentinel("plugins", "--json", afresh=True)
    assert done.returncode == 0
    assert {row["name"] for row in json.loads(done.stdout)} >= set(CASES)


def test_a_bare_host_says_what_to_install(make_environment, trace):
    bare = make_environment("reliability-sentinel")
    done = bare.sentinel("evaluate", trace)
    assert done.returncode == 3
    assert 'pip install "reliability-sentinel[standard]"' in done.stderr
