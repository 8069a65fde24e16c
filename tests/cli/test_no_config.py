"""Commands that read no configuration file, and what a file of a checkout may do."""

import json
import os
import re
import shlex

import pytest

from sentinel_core.cli import main

pytestmark = pytest.mark.unmeasured

DEAD = """
from sentinel_core import Provider, hookimpl
from sentinel_core.errors import ProviderError
from sentinel_provider_offline import OfflineModel


class Dead(OfflineModel):
    def {method}(self, *_):
        raise {error}("gone")


@hookimpl
def sentinel_providers():
    return [Provider(name="dead", summary="x", connect=Dead)]
"""


@pytest.fixture
def trapped(folder, write):
    """A folder whose configuration runs a file that must not run."""
    (folder / "trap.py").write_text("open('sprung', 'w').close()\n")
    (folder / "sentinel.toml").write_text('plugins = ["./trap.py"]\nfail_on = "never"\n')
    write("t.json", "0")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("--no-config", "evaluate", "t.json"),
        ("evaluate", "t.json", "--no-config"),
        ("evaluate", "--no-config", "t.json"),
        ("formats", "--no-config"),
        ("--no-config", "config", "show"),
        ("config", "--no-config", "show"),
        ("config", "show", "--no-config"),
    ],
)
def test_the_flag_stands_anywhere(trapped, inside, arguments):
    assert inside(*arguments).returncode == 0
    assert not (trapped / "sprung").exists()
    assert "SENTINEL_NO_CONFIG" not in os.environ
    inside(*(one for one in arguments if one != "--no-config"))
    assert (trapped / "sprung").exists()


def test_the_variable(trapped, inside):
    assert inside("evaluate", "t.json", SENTINEL_NO_CONFIG="1").returncode == 0
    assert not (trapped / "sprung").exists()
    done = inside("evaluate", "t.json", SENTINEL_NO_CONFIG="yes?")
    assert (done.returncode, done.stderr) == (
        3,
        'sentinel: error: "no_config" from SENTINEL_NO_CONFIG: expected true or false, but it is "yes?"\n',
    )


def test_the_flag_is_stronger_than_the_variable(trapped, inside):
    assert inside("--no-config", "evaluate", "t.json", SENTINEL_NO_CONFIG="0").returncode == 0
    assert not (trapped / "sprung").exists()


@pytest.mark.parametrize("value", ["0", "1"])
def test_the_variable_is_afterwards_what_it_was(monkeypatch, capsys, value):
    monkeypatch.setenv("SENTINEL_NO_CONFIG", value)
    with pytest.raises(SystemExit):
        main(["--no-config", "formats", "--no-config"])
    assert (os.environ["SENTINEL_NO_CONFIG"], capsys.readouterr().err) == (value, "")


@pytest.mark.parametrize(("method", "error"), [("complete", "ProviderError"), ("estimate_tokens", "RuntimeError")])
def test_a_run_that_read_no_file_goes_on_without_one(trapped, inside, method, error):
    (trapped / "dead.py").write_text(DEAD.format(method=method, error=error))
    (trapped / "releases").mkdir()
    (trapped / "releases" / "v1.json").write_text('{"version": "v1"}')
    run = ("run", "v1", "--provider", "dead", "--plugins", "./dead.py", "--set", "agent.max_attempts=1")
    told = inside("--no-config", *run).stderr
    (command,) = re.findall(r"; to continue: sentinel (--no-config run --resume \S+)\n", told)
    assert inside(*shlex.split(command)).returncode == 3
    assert not (trapped / "sprung").exists()
    assert "; to continue: sentinel run --resume " in inside(*run).stderr


def test_it_shows(trapped, inside):
    (trapped / "sentinel.toml").write_text('fail_on = "never"\n')

    def told(*arguments):
        rows = {row["key"]: row for row in json.loads(inside("config", "show", "--json", *arguments).stdout)}
        return [(rows[key]["value"], rows[key]["origin"]) for key in ("no_config", "fail_on")]

    assert told() == [(False, "default"), ("never", "sentinel.toml")]
    assert told("--no-config") == [(True, "SENTINEL_NO_CONFIG"), ("warn", "default")]


@pytest.mark.parametrize("arguments", [(), ("evaluate",), ("run",), ("suite", "run"), ("loops", "show")])
def test_every_command_tells_of_it(inside, arguments):
    assert inside(*arguments, "--help").stdout.count("  --no-config ") == 1


def test_a_link_in_our_folder_is_told(folder, inside, write):
    write("t.json", "0")
    (folder / "precious").write_text("mine")
    (folder / ".sentinel" / "logs").mkdir(parents=True)
    (folder / ".sentinel" / "logs" / "verdicts.otlp.jsonl").symlink_to("../../precious")
    done = inside("evaluate", "t.json", "--emit", "otel")
    assert done.returncode == 3
    assert '".sentinel/logs/verdicts.otlp.jsonl" is a symbolic link, which may point anywhere: remove it' in done.stderr
    assert (folder / "precious").read_text() == "mine"


def test_our_folder_as_a_link_is_told(folder, inside):
    (folder / "outside").mkdir()
    (folder / "releases").mkdir()
    (folder / ".sentinel").symlink_to("outside")
    done = inside("run", "v1", "--provider", "offline")
    told = 'sentinel: error: ".sentinel" is a symbolic link, which may point anywhere: remove it; to use another place, set '
    assert (done.returncode, done.stderr.startswith(told)) == (3, True), done.stderr
    assert list((folder / "outside").iterdir()) == []


def test_a_run_that_would_leave_things_elsewhere_is_not_begun(folder, inside):
    (folder / "outside").mkdir()
    (folder / "releases").mkdir()
    (folder / ".sentinel").mkdir()
    (folder / ".sentinel" / "runs").symlink_to("../outside")
    done = inside("run", "v1", "--provider", "offline")
    assert (done.returncode, done.stderr) == (
        3,
        'sentinel: error: ".sentinel/runs" is a symbolic link, which may point anywhere: remove it\n',
    )
    assert [path.name for path in (folder / ".sentinel").iterdir()] == ["runs"]
