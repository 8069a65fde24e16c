"""Settings from flags, environment, files and defaults, and which plugins they bring to work."""

import json

import pytest

pytestmark = pytest.mark.unmeasured

SPECS = """
import attrs

from sentinel_core import Signal, hookimpl


@attrs.frozen(kw_only=True)
class Settings:
    risk: float = attrs.field(default=0.25, validator=attrs.validators.le(1))


@hookimpl
def sentinel_signals():
    return [Signal(name="mine", summary="as set", detect=lambda index, settings: settings.risk, settings=Settings)]
"""


@pytest.fixture
def judged(inside, folder, write):
    """The report on a calm trace, in JSON, with ``mine.py`` at hand."""
    (folder / "mine.py").write_text(SPECS)
    write("t.json", "0")

    def run(*arguments: str, code: int = 0, **environ: str) -> dict[str, object]:
        done = inside("evaluate", "t.json", "--json", *arguments, **environ)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return run


def scores(report) -> dict[str, float | None]:
    return {score["signal_name"]: score["score"] for score in report["signal_scores"]}


def test_paths_in_a_file_above_start_beside_it(judged, folder):
    above = folder.parent
    (above / "sentinel.toml").write_text('plugins = ["./up.py"]\nprofile = "p/strict.toml"\n')
    (above / "up.py").write_text(SPECS)
    (above / "p").mkdir()
    (above / "p" / "strict.toml").write_text("warn_at = 0.2\nweights = {mine = 1}\n")
    report = judged(code=1)
    assert (scores(report)["mine"], report["profile"]["name"], report["verdict"]) == (0.25, "strict", "WARN")


BUILT_IN = {"cost", "effort", "ending", "hallucination", "loop", "tool_misuse"}


@pytest.mark.parametrize(
    ("plugins", "names"),
    [
        ("loop,cost", {"loop", "cost"}),
        ("signals:loop", {"loop"}),
        ("no:cost", BUILT_IN - {"cost"}),
        ("./mine.py", BUILT_IN | {"mine"}),
        ("./mine.py,loop", {"loop", "mine"}),
        ("native", BUILT_IN),
        ("offline", BUILT_IN),
    ],
)
def test_which_plugins_judge(judged, plugins, names):
    report = judged("--plugins", plugins)
    assert set(scores(report)) == names
    states = {row["signal_name"]: row["state"] for row in report["coverage"]}
    assert {name for name, state in states.items() if state == "left_out"} == BUILT_IN - names


def test_an_empty_list_judges_nothing(judged):
    report = judged("--plugins", "", code=3)
    assert (report["verdict"], report["signal_scores"]) == (None, [])
    assert judged("--fail-on", "never", code=3, SENTINEL_PLUGINS="") == report


def test_plugins_from_environment_and_file(judged, folder):
    assert set(scores(judged(SENTINEL_PLUGINS="loop"))) == {"loop"}
    (folder / "sentinel.toml").write_text('plugins = ["cost", "loop"]')
    assert set(scores(judged())) == {"cost", "loop"}
    assert set(scores(judged(SENTINEL_PLUGINS="loop"))) == {"loop"}
    assert set(scores(judged("--plugins", "cost,tool_misuse", SENTINEL_PLUGINS="loop"))) == {"cost", "tool_misuse"}


def test_a_file_is_advisory_until_it_has_a_weight(judged, folder):
    (mine,) = [score for score in judged("--plugins", "./mine.py")["signal_scores"] if score["signal_name"] == "mine"]
    assert (mine["advisory"], mine["weight"], mine["contribution"], mine["distribution"]) == (True, 0.0, 0.0, None)
    report = judged("--plugins", "./mine.py", "--weight", "mine=1", "--set", "signals:mine.risk=1", code=1)
    assert report["overall_score"] == 0.5
    (folder / "sentinel.toml").write_text("[weights]\nmine = 3\n[signals.mine]\nrisk = 1\n")
    assert judged("--plugins", "./mine.py", code=2)["overall_score"] == 0.75


def test_the_stronger_layer_wins(judged, folder):
    arguments = ("--plugins", "./mine.py")
    found = [scores(judged(*arguments))["mine"]]
    (folder / "pyproject.toml").write_text("[tool.sentinel.signals.mine]\nrisk = 0.5\n")
    found.append(scores(judged(*arguments))["mine"])
    environ = {"SENTINEL_SIGNALS__MINE__RISK": "0.75"}
    found.append(scores(judged(*arguments, **environ))["mine"])
    found.append(scores(judged(*arguments, "--set", "signals.mine.risk=1", **environ))["mine"])
    assert found == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("signals:mine.rist=1", 'unknown setting "signals.mine.rist" from --set; did you mean "risk"?'),
        ("signals:mine.risk=2", '"signals.mine.risk" must be <= 1: 2.0 (from --set)'),
        (
            "signals.mime.risk=1",
            '"signals.mime.risk" from --set: no signals plugin "mime" is installed; did you mean "mine"?',
        ),
    ],
)
def test_settings_of_a_file_are_held_to_account(inside, folder, write, assignment, words):
    (folder / "mine.py").write_text(SPECS)
    write("t.json", "0")
    for command in (("evaluate", "t.json"), ("config", "show")):
        done = inside(*command, "--plugins", "./mine.py", "--set", assignment)
        assert (done.returncode, done.stdout) == (3, "")
        assert words in done.stderr


def test_the_short_name_of_what_is_not_installed(inside, judged, folder):
    (folder / "other.py").write_text("this is no Python")
    assert scores(judged("--plugins", "./mine.py", "--set", "mine.risk=1"))["mine"] == 1.0
    (folder / "sentinel.toml").write_text('plugins = ["./mine.py"]')
    assert scores(judged("--set", "mine.risk=0.5"))["mine"] == 0.5
    for places in ("./mine.py,./other.py", "./gone.py,./mine.py"):  # told as what they are
        done = inside("evaluate", "t.json", "--plugins", places, "--set", "mine.risk=1")
        assert done.returncode == 3
        assert "add its kind" not in done.stderr


@pytest.mark.parametrize(
    ("plugin", "more", "name"),
    [
        ("./mine.py", "", "mime"),
        ("./mine.py", "\n\n@hookimpl\ndef sentinel_tools():\n    return []\n", "mine"),
        ("mine.mod", "", "mine"),
        ("./gone.py", "", "mine"),
    ],
)
def test_a_short_name_whose_kind_does_not_show(inside, folder, write, plugin, more, name):
    (folder / "mine.py").write_text(SPECS + more)
    write("t.json", "0")
    done = inside("evaluate", "t.json", "--plugins", plugin, "--set", f"{name}.risk=1")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f'sentinel: error: --set {name}.risk: no plugin "{name}" is installed; for a plugin in "{plugin}" '
        f'add its kind: "signals:{name}.risk" (or guardrails, providers, tools)\n'
    )
    if more:
        assert inside("evaluate", "t.json", "--plugins", plugin, "--set", "signals:mine.risk=1").returncode == 0


def test_a_name_in_two_kinds_must_say_which(sentinel, distribution, write):
    path = distribution("twin", {}, {"sentinel.signals": {"native": "x", "offline": "x"}})
    write("t.json", "0")
    done = sentinel("evaluate", "t.json", "--set", "offline.x=1", PYTHONPATH=str(path))
    assert done.returncode == 3
    assert 'plugins of two kinds are named "offline"; write "providers:offline.x" or "signals:offline.x"' in done.stderr
    done = sentinel("evaluate", "t.json", "--plugins", "native", PYTHONPATH=str(path))
    assert done.returncode == 3
    assert 'write "signals:native" or "trace_readers:native"' in done.stderr


def test_fail_on_from_every_layer(inside, write, knob, folder):
    write("t.json", "0.5")
    (folder / "sentinel.toml").write_text('fail_on = "never"')
    codes = [inside("evaluate", "t.json", *knob).returncode]
    codes.append(inside("evaluate", "t.json", *knob, SENTINEL_FAIL_ON="warn").returncode)
    codes.append(inside("evaluate", "t.json", *knob, "--fail-on", "fail", SENTINEL_FAIL_ON="warn").returncode)
    assert codes == [0, 1, 0]


def test_a_setting_is_printed_with_the_report(judged):
    report = judged("--set", "cost.budget_tokens=50000")
    assert report["settings"]["cost"]["budget_tokens"] == 50000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fail_onn = 1", 'unknown setting "fail_onn" from sentinel.toml; did you mean "fail_on"?'),
        (
            "[signals.cots]\na = 1",
            '"signals.cots.a" from sentinel.toml: no signals plugin "cots" is installed; did you mean',
        ),
        (
            "[signals.cost]\nbudget_tokens = '5'",
            '"signals.cost.budget_tokens" from sentinel.toml: expected a whole number',
        ),
        ("[signals]\ncost = 5", '"signals.cost" from sentinel.toml must be a table, but it is 5'),
        ("[weights]\nloop = 'x'", '"weights.loop" from sentinel.toml: expected a number'),
        ("[weights]\nlop = 1", '"weights.lop" from sentinel.toml: no such signal is installed; did you mean "loop"?'),
        ("weights = 5", '"weights" from sentinel.toml must be a table, but it is 5'),
        ("x", '"sentinel.toml" is not TOML'),
    ],
)
def test_a_file_that_cannot_be_used(inside, write, folder, text, words):
    write("t.json", "0")
    (folder / "sentinel.toml").write_text(text)
    done = inside("evaluate", "t.json")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


def test_a_profile(inside, write, folder, knob):
    write("t.json", "0.2")
    (folder / "strict.toml").write_text(
        'name = "strict"\nwarn_at = 0.1\nfail_at = 0.3\n[weights]\nknob = 1\n'
        '[critical]\nknob = {threshold = 0.2, verdict = "FAIL"}\n'
    )
    done = inside("evaluate", "t.json", "--json", *knob[:2], "--profile", "strict.toml")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["profile"]["name"]) == (2, "FAIL", "strict")
    (folder / "strict.toml").write_text("warn_at = 2")
    done = inside("evaluate", "t.json", "--profile", "strict.toml")
    assert done.returncode == 3
    assert 'profile "strict.toml": warn_at must be from 0 to 1, but it is 2' in done.stderr
