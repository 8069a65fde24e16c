"""The plugin for Claude Code and the extension for Gemini CLI: what they call exists, and they bring Sentinel with them where it is missing."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sentinel_core import __version__

REPOSITORY = Path(__file__).parents[2]
CLAUDE, GEMINI = REPOSITORY / "integrations/claude-code", REPOSITORY / "integrations/gemini-cli"
CALLS = {"claude-code": (CLAUDE, ("Stop", "SubagentStop"), 60), "gemini-cli": (GEMINI, ("AfterAgent",), 60000)}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_marketplace_names_the_plugin_where_it_is():
    (plugin,) = read(REPOSITORY / ".claude-plugin/marketplace.json")["plugins"]
    assert plugin["name"] == read(REPOSITORY / plugin["source"] / ".claude-plugin/plugin.json")["name"]


@pytest.mark.parametrize("path", [CLAUDE / ".claude-plugin/plugin.json", GEMINI / "gemini-extension.json"], ids=str)
def test_they_have_this_version(path):
    assert read(path)["version"] == __version__


@pytest.mark.parametrize("tool", CALLS)
def test_the_hooks_call_what_install_would_write(tool):
    folder, events, timeout = CALLS[tool]
    hooks = read(folder / "hooks/hooks.json")["hooks"]
    assert tuple(hooks) == events
    for groups in hooks.values():
        (handler,) = (one for group in groups for one in group["hooks"])
        assert handler["command"].endswith(f'sentinel.sh" hook run {tool}')
        assert (handler["type"], handler["timeout"]) == ("command", timeout)


def test_the_servers_and_the_receipts_are_called_by_the_same_script():
    servers = read(CLAUDE / ".mcp.json")["mcpServers"], read(GEMINI / "gemini-extension.json")["mcpServers"]
    assert all(one["sentinel"]["args"][-1] == "mcp" and "sentinel.sh" in one["sentinel"]["args"][0] for one in servers)
    assert (CLAUDE / "sentinel.sh").read_bytes() == (GEMINI / "sentinel.sh").read_bytes()
    assert 'sentinel.sh" receipt --latest claude-code' in (CLAUDE / "skills/receipt/SKILL.md").read_text("utf-8")
    assert 'sentinel.sh" receipt --latest gemini-cli' in (GEMINI / "commands/sentinel/receipt.toml").read_text("utf-8")


def test_the_skill_has_the_name_of_its_folder():
    head = (CLAUDE / "skills/receipt/SKILL.md").read_text("utf-8").split("---")[1]
    assert re.search(r"^name: receipt$", head, re.MULTILINE)
    assert re.search(r"^description: .{40,1000}$", head, re.MULTILINE)


@pytest.mark.parametrize(
    ("there", "calls"),
    [
        (("sentinel", "uvx", "pipx", "npx"), "sentinel hook run codex"),
        (("uvx", "pipx"), "uvx --quiet --from reliability-sentinel[standard,mcp] sentinel hook run codex"),
        (("npx",), "npx --yes reliability-sentinel hook run codex"),
        (("pipx",), "pipx run --quiet --spec reliability-sentinel[standard,mcp] sentinel hook run codex"),
    ],
)
def test_the_script_takes_what_is_there(tmp_path, there, calls):
    for name in there:
        (tmp_path / name).write_text(f'#!{shutil.which("sh")}\necho "{name} $*"\n')
        (tmp_path / name).chmod(0o755)
    assert run_script(tmp_path).stdout.strip() == calls


def test_without_any_it_says_what_to_do_and_holds_nobody_up(tmp_path):
    done = run_script(tmp_path)
    assert (done.returncode, done.stdout) == (1, "")  # 2 would block the agent
    assert "pip install" in done.stderr


def run_script(path):
    command = [shutil.which("sh"), CLAUDE / "sentinel.sh", "hook", "run", "codex"]
    return subprocess.run(command, env={**os.environ, "PATH": str(path)}, capture_output=True, text=True, check=False)
