import json
import re
import socket

import pytest

from sentinel_command_start import checks
from sentinel_command_start.providers import Reached
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import read_layers


def layers(folder, **environ):
    return read_layers({}, environ=environ, folder=folder)


def states(rows):
    return {row.check: row.state for row in rows}


@pytest.mark.unmeasured
def test_all_is_well(inside, sessions):
    done = inside("doctor")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("\nNo problems found.\n")
    lines = {line.split()[1]: line for line in done.stdout.splitlines()[:-2]}
    assert lines["claude-code"].startswith("✓ claude-code")
    assert f"2 sessions in {sessions.parent}" in lines["claude-code"]
    assert lines["codex"].startswith("· codex")
    assert "; none broken" in lines["plugins"]
    assert "→" not in done.stdout


@pytest.mark.unmeasured
def test_what_is_wrong_is_told_with_what_mends_it_and_no_key(inside, folder, distribution, monkeypatch):
    path = distribution("odd", {"odd_signal": "import no_such_package"}, {"sentinel.signals": {"odd": "odd_signal"}})
    monkeypatch.syspath_prepend(str(path))
    (folder / "sentinel.toml").write_text('provider = "openai"\nplugins = ["no:odd"]\n', encoding="utf-8")
    (folder / ".sentinel").symlink_to(path)
    done = inside("doctor", "--json", ANTHROPIC_API_KEY="sk-ant-something-secret-and-long")
    assert done.returncode == 3
    assert "something-secret" not in done.stdout + done.stderr
    rows = {row["check"]: row for row in json.loads(done.stdout)}
    assert set(rows["python"]) == {"check", "state", "detail", "fix"}
    assert (rows["signals:odd"]["state"], "No module named 'no_such_package'" in rows["signals:odd"]["detail"]) == (
        "error",
        True,
    )
    assert rows["signals:odd"]["fix"] == "pip install --upgrade --force-reinstall odd, or pip uninstall odd"
    assert (rows["provider openai"]["state"], rows["provider openai"]["fix"]) == (
        "warning",
        "export OPENAI_API_KEY=...",
    )
    assert rows["provider anthropic"]["detail"] == "ANTHROPIC_API_KEY is set, for api.anthropic.com; nothing was sent"
    assert "is a symbolic link" in rows["state folder"]["detail"]


def test_warnings_alone_are_one_and_settings_that_cannot_be_used_are_an_error(inside, folder, monkeypatch):
    monkeypatch.setattr(checks, "plugins", lambda _timeout: [])
    (folder / "sentinel.toml").write_text('provider = "openrouter"\n', encoding="utf-8")
    warned = inside("doctor")
    assert (warned.returncode, warned.stdout.splitlines()[-1]) == (1, "1 warning")
    assert re.search(r"^! provider openrouter .*\n +→ export OPENROUTER_API_KEY=\.\.\.$", warned.stdout, re.MULTILINE)
    (folder / "sentinel.toml").write_text('fail_onn = "fail"\n', encoding="utf-8")
    broken = inside("doctor")
    assert (broken.returncode, broken.stdout.splitlines()[-1]) == (3, "1 error")
    assert 'unknown setting "fail_onn" from sentinel.toml; did you mean "fail_on"?' in broken.stdout
    assert inside("--no-config", "doctor").returncode == 0


def test_two_plugins_of_one_name(inside, distribution, monkeypatch):
    path = distribution("another", {"other_loop": ""}, {"sentinel.signals": {"loop": "other_loop"}})
    monkeypatch.syspath_prepend(str(path))
    done = inside("doctor")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (3, "2 errors")
    assert done.stdout.count("another 1.0 and reliability-sentinel-signal-loop") == 1


@pytest.mark.parametrize("answer", [SystemError("wrong"), None])
def test_a_broken_re_is_named(monkeypatch, answer):
    def fullmatch(*_):
        if answer is not None:
            raise answer

    monkeypatch.setattr(checks.re, "fullmatch", fullmatch)
    (row,) = checks.python()
    assert (row.state, "; re handles some possessive quantifiers wrongly" in row.detail) == ("ok", True)
    monkeypatch.setattr(checks.re, "fullmatch", lambda *_: object())
    (row,) = checks.python()
    assert ";" not in row.detail


def test_a_signal_that_decides_and_is_not_there(folder, monkeypatch):
    there = [one for one in checks.installed(("signals",)) if one.name != "loop"]
    monkeypatch.setattr(checks, "installed", lambda *_: there)
    (row,) = checks.weights(layers(folder), Selection())
    assert (row.state, row.fix) == ("error", 'pip install "reliability-sentinel[standard]"')
    assert row.detail.endswith("not installed: loop")
    assert states(checks.weights(layers(folder), Selection(("no:loop",)))) == {"profile": "ok"}


def test_no_plugin_at_all(monkeypatch):
    monkeypatch.setattr(checks, "installed", lambda *_: [])
    monkeypatch.setattr(checks, "misnamed", lambda: ["odd 1.0: no group"])
    assert [(row.state, bool(row.fix)) for row in checks.plugins(1.0)] == [("warning", True), ("error", True)]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_local_server_is_asked_whether_it_answers(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        there = checks._reached(Reached("mine", ("KEY",), f"http://{host}:{port}/v1"))
    gone = checks._reached(Reached("mine", ("KEY",), f"http://user:word@{host}:{port}/v1"))
    assert there[:2] == ("ok", f"a server answers at {host}:{port}; opened a connection to ask, and sent nothing")
    assert gone == (
        "off",
        f"no server answers at {host}:{port}; opened a connection to ask, and sent nothing",
        "start it, or set providers.mine.base_url",
    )


@pytest.mark.parametrize(
    ("one", "state", "detail"),
    [
        (Reached("a", (), ""), "ok", "needs neither a key nor a network"),
        (Reached("a", ("NOT_SET_A", "NOT_SET_B"), ""), "off", "NOT_SET_A or NOT_SET_B is not set"),
        (Reached("a", (), "", "bad value"), "error", "bad value"),
        (Reached("a", ("NOT_SET_A",), "http://[broken"), "off", "NOT_SET_A is not set"),
        (
            Reached("a", ("NOT_SET_A",), "https://api.example.org/v1"),
            "off",
            "NOT_SET_A is not set, for api.example.org",
        ),
    ],
)
def test_what_a_provider_needs(one, state, detail):
    assert checks._reached(one)[:2] == (state, detail)


def test_what_is_not_set_up_needs_no_fix_and_what_is_wrong_has_one(folder, monkeypatch):
    rows = [Reached("odd", (), "", "bad value"), Reached("mine", ("NOT_SET",), ""), Reached("other", ("NOT_SET",), "")]
    monkeypatch.setattr(checks, "providers_of", lambda *_: rows)
    found = checks.providers(layers(folder, SENTINEL_PROVIDER="mine"), Selection())
    assert [(row.state, row.fix) for row in found] == [
        ("error", "sentinel config show"),
        ("warning", "export NOT_SET=..."),
        ("off", ""),
    ]


def test_a_file_in_the_place_of_the_state_folder_is_an_error(inside, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / ".sentinel").write_text("x", encoding="utf-8")
    (row,) = checks.stores(layers(folder))
    assert (row.state, row.detail, row.fix) == (
        "error",
        '".sentinel" is a file, but must be a folder',
        'mv ".sentinel" ".sentinel.old"',
    )
    done = inside("demo", "--no-open")
    assert (done.returncode, done.stderr) == (3, "sentinel: error: .sentinel: is a file, but must be a folder\n")


def test_a_store_that_cannot_be_used(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "file").write_text("x", encoding="utf-8")
    assert states(checks.stores(layers(folder))) == {"state folder": "ok"}
    assert states(checks.stores(layers(folder, SENTINEL_STORE="memory:"))) == {"state folder": "ok"}
    assert states(checks.stores(layers(folder, SENTINEL_STORE="sqlite:made/loops.db")))["store"] == "ok"
    monkeypatch.setattr(checks.tempfile, "TemporaryFile", _full)
    (row, _) = checks.stores(layers(folder, SENTINEL_STORE="made/loops.db"))
    assert (row.state, "No space left on device" in row.detail, bool(row.fix)) == ("error", True, True)


def _full(**_):
    raise OSError(28, "No space left on device")


def test_a_database_that_does_not_answer(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"postgresql://anna:secret@127.0.0.1:{server.getsockname()[1]}/loops"
        there = list(checks.stores(layers(folder, SENTINEL_STORE=address)))[1]
    gone = list(checks.stores(layers(folder, SENTINEL_STORE=address)))[1]
    assert (there.state, gone.state, "secret" in there.detail + gone.detail) == ("ok", "error", False)


@pytest.mark.process
def test_a_folder_of_sessions_that_cannot_be_read(sessions, monkeypatch):
    monkeypatch.setattr(checks.os, "access", lambda *_: False)
    rows = {row.check: row for row in checks.formats(None) if row.state == "warning"}
    assert rows["claude-code"].fix == f'chmod u+rx "{sessions.parent}"'
