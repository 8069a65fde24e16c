"""The doctor finds the hooks that ``sentinel hook install`` writes, and says where their command is not found."""

import json
import os
from pathlib import Path

import pytest
from commanding import COMMAND

from sentinel_command_start.hooks import hooks, installed

TOOLS = ("claude-code", "codex", "copilot", "cursor", "gemini-cli")
PLUGINS = {  # what each tool writes when its plugin or extension is installed
    "claude-code": (
        ".claude/settings.json",
        '{"enabledPlugins": {"sentinel@reliability-sentinel": true, "other@x": true}}',
    ),
    "codex": (".codex/config.toml", '[plugins."sentinel@reliability-sentinel"]\nenabled = true\n'),
    "copilot": (".copilot/settings.json", '{"enabledPlugins": {"sentinel@reliability-sentinel": true}}'),
    "gemini-cli": (".gemini/extensions/sentinel/gemini-extension.json", '{"name": "sentinel"}'),
}


@pytest.fixture
def tool_on_path(folder, tmp_path, monkeypatch):
    """``sentinel`` as pipx puts it on the path: a link in a folder of its own."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sentinel").symlink_to(COMMAND)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("flag", ["--project", "--user"])
def test_what_install_writes_is_found(inside, tool_on_path, tool, flag):
    assert [(row.check, row.state) for row in hooks()] == [("hooks", "off")]
    assert inside("hook", "install", tool, flag).returncode == 0
    (row,) = hooks()
    state = "warning" if tool == "codex" else "ok"  # it has to be trusted
    assert (row.check, row.state, "its command" in row.detail) == (f"hook {tool}", state, tool != "codex")


def test_a_command_that_is_not_found_is_a_warning(inside, tool_on_path, monkeypatch, tmp_path):
    inside("hook", "install", "claude-code")
    monkeypatch.setenv("PATH", str(tmp_path / "home"))
    (row,) = hooks()
    assert (row.state, row.fix) == ("warning", "sentinel hook install claude-code --project")
    assert row.detail == '.claude/settings.json calls "sentinel", which is not found'


def test_a_command_of_an_active_environment_is_a_warning(inside, tool_on_path, monkeypatch):
    inside("hook", "install", "claude-code")
    monkeypatch.setenv("PATH", str(COMMAND.parent))
    (row,) = hooks()
    assert (row.state, "while this virtual environment is active" in row.detail) == ("warning", True)


@pytest.mark.parametrize(
    "settings",
    ["{", "[]", '{"hooks": 3}', '{"hooks": {"Stop": [4, {"hooks": [5, {"command": "unclosed \'"}, {"command": 6}]}]}}'],
)
def test_settings_of_another_shape_have_no_hook(folder, monkeypatch, settings):
    monkeypatch.chdir(folder)
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(settings)
    assert [row.check for row in hooks()] == ["hooks"]


@pytest.mark.unmeasured
def test_the_doctor_shows_it(inside, tool_on_path):
    inside("hook", "install", "gemini-cli", "--user")
    rows = {row["check"]: row for row in json.loads(inside("doctor", "--json").stdout)}
    assert rows["hook gemini-cli"]["state"] == "ok"
    assert "hooks" not in rows


def test_a_hook_that_is_installed_twice_is_a_warning(inside, tool_on_path):
    for flag in ("--project", "--user"):
        assert inside("hook", "install", "gemini-cli", flag).returncode == 0
    assert [row.state for row in hooks()] == ["ok", "ok", "warning"]
    *_, row = hooks()
    assert (row.detail, row.fix) == (
        "2 entries call it: each session is judged 2 times",
        "sentinel hook uninstall gemini-cli --project",
    )


def test_codex_is_asked_to_trust_its_hook(inside, tool_on_path, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    inside("hook", "install", "codex")
    (row,) = hooks()
    assert (row.state, row.fix) == ("warning", "open /hooks in Codex and trust it")
    place = Path(".codex/hooks.json").absolute()
    write(tmp_path, "codex/config.toml", f'[hooks.state."{place}:stop:0:0"]\ntrusted_hash = "sha256:1"\n')
    (row,) = hooks()
    assert row.state == "ok"


def write(home, name, text):
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("tool", PLUGINS)
def test_a_plugin_brings_it_and_a_second_entry_is_a_warning(inside, tool_on_path, tmp_path, monkeypatch, tool):
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path / "home")
    name, text = PLUGINS[tool]
    write(tmp_path / "home", name, text)
    (row,) = hooks()
    assert (row.check, row.state, "by the plugin or extension in" in row.detail) == (f"hook {tool}", "ok", True)
    assert installed() == {tool}
    inside("hook", "install", tool)
    assert [(row.state, row.fix) for row in hooks()][2] == ("warning", f"sentinel hook uninstall {tool} --project")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude/settings.json", '{"enabledPlugins": {"sentinel@reliability-sentinel": false}}'),
        (".claude/settings.json", '{"enabledPlugins": [1]}'),
        (".codex/config.toml", '[plugins."sentinel@reliability-sentinel"]\nenabled = false\n'),
        (".codex/config.toml", "not toml"),
    ],
)
def test_a_plugin_that_is_off_brings_none(folder, tmp_path, monkeypatch, name, text):
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path / "home")
    monkeypatch.chdir(folder)
    write(tmp_path / "home", name, text)
    assert [row.check for row in hooks()] == ["hooks"]
