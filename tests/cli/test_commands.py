"""``sentinel plugins``, ``sentinel config``, help and version."""

import json
from functools import partial

import pytest

from sentinel_core import __version__
from sentinel_core.cli.commands import CORE
from sentinel_core.host.plugins import installed
from sentinel_core.host.selection import KINDS

BOMB = "raise SystemExit('imported')"


@pytest.fixture
def bombs(distribution) -> str:
    """A path on which a plugin of each kind ends the process when it is imported; only outputs are asked for help on formats."""
    points = {f"sentinel.{kind}": {"bomb": "fake_bomb"} for kind in KINDS if kind != "outputs"}
    return str(distribution("bombs", {"fake_bomb": BOMB}, points))


HELP = [
    ("--help",),
    ("-h",),
    *[(name, "--help") for name in sorted(CORE)],
    ("plugins", "show", "-h"),
    ("config", "show", "-h"),
]


@pytest.mark.parametrize("arguments", HELP, ids=" ".join)
def test_help_is_there_for_every_command(inside, arguments):
    done = inside(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: sentinel")
    assert "\\b" not in done.stdout
    assert "\b" not in done.stdout


@pytest.mark.parametrize(
    "arguments", [("evaluate", "--help"), ("run", "--help"), ("plugins",), ("--version",)], ids=" ".join
)
def test_no_plugin_is_imported_for_it(sentinel, bombs, arguments):
    done = sentinel(*arguments, PYTHONPATH=bombs)
    assert (done.returncode, done.stderr) == (0, "")
    assert "imported" not in done.stdout


def test_help_names_every_command(inside):
    text = inside("--help").stdout
    for name, summary in CORE.items():
        assert f"  {name} " in text
        assert summary.split()[0] in text


def test_examples_in_help_stay_on_their_lines(inside):
    assert "\n  sentinel evaluate runs/ -o reports.jsonl\n" in inside("evaluate", "--help").stdout
    assert "\n  sentinel run v2.1.0 " in inside("--help").stdout


def test_the_version(sentinel):
    done = sentinel("--version")
    assert (done.returncode, done.stdout) == (0, f"sentinel {__version__}\n")


def test_plugins_are_listed(sentinel):
    done = sentinel("plugins")
    assert (done.returncode, done.stderr) == (0, "")
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["kind", "name", "distribution", "version", "state"]
    assert ["signals", "loop", "reliability-sentinel-signal-loop", __version__, "selected"] in [
        row.split() for row in rows
    ]


def test_plugins_as_json(inside):
    done = inside("plugins", "--json", "--plugins", "loop")
    rows = {f"{row['kind']}:{row['name']}": row for row in json.loads(done.stdout)}
    assert rows["signals:loop"]["state"] == "selected"
    assert rows["signals:cost"]["state"] == "left out"
    assert rows["trace_readers:native"]["state"] == "selected"
    assert list(rows["signals:loop"]) == ["kind", "name", "distribution", "version", "state", "error"]


def test_an_unknown_selection(inside):
    done = inside("plugins", "--plugins", "lop")
    assert done.returncode == 3
    assert 'did you mean "loop"?' in done.stderr


def test_no_plugin_at_all(inside, monkeypatch):
    from sentinel_core.cli import plugins

    monkeypatch.setattr(plugins, "installed", list)
    done = inside("plugins")
    assert done.returncode == 3
    assert done.stderr == 'No plugins are installed: pip install "reliability-sentinel[standard]"\n'


@pytest.mark.unmeasured
def test_check_loads_each(inside):
    done = inside("plugins", "--check", "--json")
    rows = json.loads(done.stdout)
    ours = [row for row in rows if row["distribution"].startswith("reliability-sentinel-")]
    assert len(ours) > 5
    states = {(row["kind"] == "commands", row["state"], row["error"]) for row in ours}
    assert states == {(False, "loads, selected", ""), (True, "loads", "")}
    assert done.returncode == 0


SOUND = """
from sentinel_core import Signal, hookimpl


@hookimpl
def sentinel_signals():
    return [Signal(name=name, summary="s", detect=lambda index: 0.0) for name in ("mine", "loop")]
"""


def test_a_file_that_is_not_installed_is_listed_and_checked(inside, folder, monkeypatch):
    from sentinel_core.cli import plugins

    monkeypatch.setattr(plugins, "installed", lambda: [one for one in installed(("signals",)) if one.name == "loop"])
    (folder / "mine.py").write_text(SOUND)
    (folder / "bomb.py").write_text(BOMB)
    listed = inside("plugins", "--plugins", "./mine.py,./bomb.py")
    assert [line.split() for line in listed.stdout.splitlines()[2:]] == [
        ["file", "./mine.py", "-", "-", "selected"],
        ["file", "./bomb.py", "-", "-", "selected"],
    ]
    assert (listed.returncode, listed.stderr) == (0, "")
    checked = inside("plugins", "--plugins", "./mine.py,./bomb.py", "--check", "--json")
    rows = {(row["kind"], row["name"]): (row["state"], row["error"]) for row in json.loads(checked.stdout)[1:]}
    taken = "a plugin with that name is also installed; --plugins no:loop leaves it out"
    assert rows == {
        ("signals", "mine"): ("loads, selected", ""),
        ("signals", "loop"): ("broken", taken),
        ("file", "./bomb.py"): ("broken", 'plugin "./bomb.py" cannot be imported: SystemExit: imported'),
    }
    assert checked.returncode == 3
    freed = inside("plugins", "--plugins", "no:loop,./mine.py", "--check")
    assert freed.returncode == 0
    assert [line.split()[:2] for line in freed.stdout.splitlines()[2:]] == [["signals", "loop"], ["signals", "mine"]]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("syntax.py", "def (", 'plugin "./syntax.py" cannot be imported: SyntaxError: invalid syntax'),
        ("gone.py", None, 'plugin "./gone.py": there is no such file'),
    ],
)
def test_check_of_a_file_that_cannot_be_loaded(inside, folder, monkeypatch, name, text, told):
    from sentinel_core.cli import plugins

    monkeypatch.setattr(plugins, "installed", list)
    if text is not None:
        (folder / name).write_text(text)
    done = inside("plugins", "--check", "--plugins", f"./{name}")
    assert done.returncode == 3
    assert f"broken  {told}" in done.stdout
    monkeypatch.setattr(plugins, "terminal_width", lambda: 60)
    head, line, *below = inside("plugins", "--check", "--plugins", f"./{name}").stdout.splitlines()
    assert (head.split()[-1], line.split()[-1]) == ("state", "broken")
    assert " ".join(map(str.strip, below)).startswith(told)
    assert max(map(len, below)) <= 60


@pytest.mark.parametrize("arguments", [("plugins",), ("formats",), ("config", "show")], ids=" ".join)
def test_a_table_fits_a_narrow_terminal(inside, monkeypatch, arguments):
    import importlib

    whole = inside(*arguments).stdout
    assert max(map(len, whole.splitlines())) > 80
    module = importlib.import_module(f"sentinel_core.cli.{arguments[0]}")
    for width in (60, 80):
        monkeypatch.setattr(module, "terminal_width", lambda width=width: width)
        narrow = inside(*arguments).stdout
        assert max(map(len, narrow.splitlines())) <= width
        assert len(narrow.splitlines()) > len(whole.splitlines())
    monkeypatch.setattr(module, "terminal_width", lambda: 200)
    assert inside(*arguments).stdout == whole


DEADLY = "import os; os._exit(9)"
SLOW = "import time; time.sleep(99)"


def test_check_tells_what_is_broken(inside, distribution, monkeypatch):
    from sentinel_core.cli import plugins

    guardrails = partial(installed, ("guardrails",))
    monkeypatch.setattr(plugins, "installed", guardrails)
    modules = {"fake_bomb": BOMB, "fake_deadly": DEADLY, "fake_slow": SLOW}
    points = {"bomb": "fake_bomb", "deadly": "fake_deadly", "slow": "fake_slow"}
    monkeypatch.syspath_prepend(distribution("broken", modules, {"sentinel.guardrails": points}))
    done = inside("plugins", "--check", "--timeout", "2")
    assert done.returncode == 3
    rows = {line.split()[1]: line for line in done.stdout.splitlines()}
    assert rows["bomb"].endswith("broken  cannot be imported: SystemExit: imported")
    assert rows["deadly"].endswith("broken  ended the process with exit code 9")
    assert rows["slow"].endswith("broken  did not finish within 2 s")
    assert rows["rerun_limit"].endswith("loads, selected")


UNUSABLE = """
import attrs

from sentinel_core import Signal, Tool, hookimpl


@attrs.frozen(kw_only=True)
class Settings:
    a: "Nope" = 1


@hookimpl
def sentinel_signals():
    return [Signal(name="unusable", summary="s", detect=lambda index: 0.0, settings=Settings)]


@hookimpl
def sentinel_tools():
    return [Tool(name="unusable", description="d", parameters={"type": "objekt"}, handler=print)]
"""


@pytest.mark.unmeasured
def test_what_cannot_be_used_is_seen_by_check_and_costs_itself_alone(inside, write, distribution, monkeypatch):
    from sentinel_core.cli import plugins

    points = {f"sentinel.{kind}": {"unusable": "fake_unusable"} for kind in ("signals", "tools")}
    monkeypatch.syspath_prepend(distribution("unfit", {"fake_unusable": UNUSABLE}, points))
    ours = [one for one in installed(("signals", "tools")) if one.name in ("unusable", "cost")]
    monkeypatch.setattr(plugins, "installed", lambda: ours)
    checked = inside("plugins", "--check")
    assert checked.returncode == 3
    rows = {tuple(line.split()[:2]): line for line in checked.stdout.splitlines()}
    nope = '"unusable": the type of its setting "a" cannot be resolved: NameError: name \'Nope\' is not defined'
    assert rows["signals", "unusable"].endswith(f"broken  {nope}")
    assert rows["tools", "unusable"].endswith('its parameters must be a JSON schema with "type": "object"')
    assert rows["signals", "cost"].endswith("loads, selected")
    write("t.json", "0")
    judged = inside("evaluate", "t.json")
    assert judged.returncode == 0
    assert nope in judged.stdout


def test_show(inside):
    done = inside("plugins", "show", "cost")
    assert (done.returncode, done.stderr) == (0, "")
    facts = dict(line.split(":", 1) for line in done.stdout.replace("signals:cost", "signals/cost").splitlines())
    assert facts["plugin"].strip() == "signals/cost"
    assert facts["distribution"].strip() == f"reliability-sentinel-signal-cost {__version__}"
    assert facts["module"].strip() == "sentinel_signal_cost"
    assert facts["summary"].strip()
    assert facts["  budget_tokens"].strip().startswith("default ")
    assert inside("plugins", "show", "signals:cost").stdout == done.stdout


OFFERS = """
import attrs

from sentinel_core import Provider, Tool, hookimpl


@attrs.frozen(kw_only=True)
class Settings:
    key: str
    names: list = attrs.field(factory=list)


@hookimpl
def sentinel_tools():
    return [Tool(name="twin", description="adds", parameters={"type": "object"}, handler=print, settings=Settings)]


@hookimpl
def sentinel_providers():
    return [Provider(name="twin", summary="parrot", connect=print, env=("PARROT_KEY", "OTHER"))]
"""


def test_show_of_a_name_in_two_kinds(sentinel, distribution):
    points = {"sentinel.tools": {"twin": "fake_twin"}, "sentinel.providers": {"twin": "fake_twin"}}
    done = sentinel("plugins", "show", "twin", PYTHONPATH=str(distribution("twins", {"fake_twin": OFFERS}, points)))
    assert done.returncode == 0
    told = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert told == [
        *("plugin: providers:twin", "distribution: twins 1.0", "module: fake_twin", "summary: parrot"),
        "environment: PARROT_KEY, OTHER",
        *("plugin: tools:twin", "distribution: twins 1.0", "module: fake_twin", "summary: adds"),
        *("key: required", "names: default []"),
    ]


def test_show_of_what_is_not_installed_or_broken(sentinel, inside, bombs):
    done = inside("plugins", "show", "lop")
    assert (done.returncode, done.stderr) == (
        3,
        'sentinel: error: no plugin named "lop" is installed; did you mean "loop"? ("sentinel plugins" lists the plugins)\n',
    )
    done = sentinel("plugins", "show", "signals:bomb", PYTHONPATH=bombs)
    assert done.returncode == 3
    assert "error:        cannot be imported: SystemExit: imported\n" in done.stdout


def test_config_shows_values_and_origins(sentinel, folder):
    (folder / "sentinel.toml").write_text(
        "timeout = 5\n[agent]\nmax_turns = 6\n[weights]\nloop = 2\n[signals.cost]\nbudget_tokens = 7\n"
    )
    arguments = ("--set", "cost.growth_tokens=9", "--plugins", "no:hallucination")
    done = sentinel("config", "show", *arguments, SENTINEL_FAIL_ON="fail")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {tuple(line.split()) for line in done.stdout.splitlines()}
    assert {
        ("timeout", "5.0", "sentinel.toml"),
        ("fail_on", "fail", "SENTINEL_FAIL_ON"),
        ("strict", "false", "default"),
        ("agent.max_turns", "6", "sentinel.toml"),
        ("agent.deadline", "600.0", "default"),
        ("plugins", "no:hallucination", "--plugins"),
        ("weights.loop", "2.0", "sentinel.toml"),
        ("weights.cost", "0.15", "profile", "standard"),
        ("signals.cost.budget_tokens", "7", "sentinel.toml"),
        ("signals.cost.growth_tokens", "9", "--set"),
    } <= rows
    assert not any(row[0].startswith("signals.hallucination.") for row in rows)


def test_config_as_json(inside):
    rows = json.loads(inside("config", "show", "--json").stdout)
    assert {"key": "max_memory_mb", "value": 4096, "origin": "default"} in rows
    assert any(row["key"].startswith("guardrails.rerun_limit.") for row in rows)


@pytest.mark.parametrize(
    ("deed", "code", "told"),
    [
        ("raise ValueError('odd')", 0, "(bad-one 1.0) cannot be imported: ValueError: odd; its settings are not shown"),
        ("import os; os._exit(7)", 3, "ended the process with exit code 7"),
    ],
)
def test_config_names_the_plugin_that_cannot_be_asked(sentinel, distribution, deed, code, told):
    path = distribution("bad-one", {"fake_bad": deed}, {"sentinel.guardrails": {"bad": "fake_bad"}})
    done = sentinel("config", "show", PYTHONPATH=str(path))
    kind = "error" if code else "warning"
    assert (done.returncode, done.stderr) == (code, f'sentinel: {kind}: plugin "guardrails:bad" {told}\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tiemout = 1", 'unknown setting "tiemout" from sentinel.toml; did you mean "timeout"?'),
        ("[signals.cost]\nbudget = 1", 'unknown setting "signals.cost.budget" from sentinel.toml'),
        ('profile = "gone"', '"gone" is not a profile'),
    ],
)
def test_config_that_cannot_be_used(inside, folder, text, words):
    (folder / "sentinel.toml").write_text(text)
    done = inside("config", "show")
    assert (done.returncode, done.stdout) == (3, "")
    assert words in done.stderr


SPY = """
import sys

from sentinel_core import Detection, Signal, hookimpl


def detect(index):
    return Detection(score=0.0, details=" ".join(sorted({name.partition(".")[0] for name in sys.modules})))


@hookimpl
def sentinel_signals():
    return [Signal(name="spy", summary="tells what is loaded", detect=detect)]
"""
HEAVY = {"anthropic", "openai", "rich", "opentelemetry", "httpx", "httpx2", "requests", "numpy", "pytest", "asyncio"}
NOT_FOR_ONE_FILE = {"difflib", "glob", "lzma", "shutil", "tempfile", "tomllib", "zipfile"}


@pytest.mark.unmeasured
def test_judging_loads_nothing_heavy(sentinel, folder, write):
    (folder / "spy.py").write_text(SPY)
    write("t.json", "0")
    done = sentinel("evaluate", "t.json", "--json", "--plugins", "./spy.py", afresh=True)
    assert done.returncode == 0
    (spy,) = [score for score in json.loads(done.stdout)["signal_scores"] if score["signal_name"] == "spy"]
    loaded = set(spy["details"].split())
    assert loaded >= {"attrs", "click", "pluggy", "sentinel_core", "sentinel_signal_loop"}
    assert not loaded & (HEAVY | NOT_FOR_ONE_FILE)
