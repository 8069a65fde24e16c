"""The entry comes and goes; everything else in the settings stays, to the order of its keys."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commanding import COMMAND, run_command

from sentinel_command_hook.command import command

THEIRS = {
    "model": "opus",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 3}]}],
        "AfterAgent": [{"hooks": [{"type": "command", "command": "say done"}]}],
    },
    "permissions": {"allow": ["Bash(make:*)"], "größe": 1.5},
}
FILES = {
    "claude-code": (".claude/settings.json", "Stop", 15),
    "codex": (".codex/hooks.json", "Stop", 15),
    "gemini-cli": (".gemini/settings.json", "AfterAgent", 15000),
}
RECORDED = ("beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "afterAgentResponse", "stop")
FLAT = {  # the file, its events, and an entry
    "copilot": (
        ".github/hooks/sentinel.json",
        ("Stop",),
        {
            "type": "command",
            "bash": "sentinel hook run copilot",
            "powershell": "sentinel hook run copilot",
            "timeoutSec": 15,
        },
    ),
    "cursor": (
        ".cursor/hooks.json",
        RECORDED,
        {"type": "command", "command": "sentinel hook run cursor", "timeout": 15},
    ),
}
IN_VENV = {"PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(params=FILES)
def tool(request):
    return request.param


@pytest.fixture
def hook(tmp_path):
    """The command, which is on the path as pipx puts it there: a link in a folder of its own."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sentinel").symlink_to(COMMAND)
    on_path = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(*arguments, folder=tmp_path, **environ):
        return run_command(folder, "hook", *arguments, **{**on_path, **environ})

    return run


def handlers(path, event):
    groups = json.loads(path.read_text())["hooks"][event]
    return [one for group in groups for one in group["hooks"]]


def test_it_is_put_into_a_new_file_and_taken_out(tool, hook, tmp_path):
    name, event, timeout = FILES[tool]
    path = tmp_path / name
    done = hook("install", tool)
    assert (done.returncode, done.stderr) == (0, "")
    assert handlers(path, event) == [{"type": "command", "command": f"sentinel hook run {tool}", "timeout": timeout}]
    assert f'+            "command": "sentinel hook run {tool}",' in done.stdout
    assert done.stdout.splitlines()[-1].endswith(("that start from now on.", "open /hooks in Codex."))
    gone = hook("uninstall", tool)
    assert gone.returncode == 0
    assert gone.stdout.splitlines()[-1] == f"The hook is uninstalled. {name} contained nothing else and was removed."
    assert not path.exists()
    assert path.parent.exists()  # it may be the user's


def test_a_second_entry_is_told(tool, hook, tmp_path):
    hook("install", tool, "--user")
    done = hook("install", tool)
    assert done.returncode == 0
    assert done.stderr.strip().endswith(f'so it runs twice here: "sentinel hook uninstall {tool} --user"')
    hook("uninstall", tool)
    assert hook("uninstall", tool, "--user").stderr == ""


@pytest.mark.parametrize("tool", FLAT)
def test_the_tools_without_groups_get_a_file_of_their_form(tool, hook, tmp_path):
    name, events, entry = FLAT[tool]
    done = hook("install", tool)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / name).read_text()) == {"version": 1, "hooks": {event: [entry] for event in events}}
    assert hook("install", tool).stdout == f"{name}: the hook is installed\n"
    assert hook("uninstall", tool).returncode == 0
    assert not (tmp_path / name).exists()


def test_another_entry_of_cursors_stays(hook, tmp_path):
    path = tmp_path / ".cursor" / "hooks.json"
    path.parent.mkdir()
    before = '{\n  "version": 1,\n  "hooks": {\n    "stop": [\n      {"command": "say done"}\n    ]\n  }\n}\n'
    path.write_text(before)
    hook("install", "cursor")
    assert [one["command"] for one in json.loads(path.read_text())["hooks"]["stop"]] == [
        "say done",
        "sentinel hook run cursor",
    ]
    hook("uninstall", "cursor")
    assert path.read_text() == before


def test_a_file_that_somebody_else_shaped_stays(tool, hook, tmp_path):
    name, *_ = FILES[tool]
    hook("install", tool)
    (tmp_path / name).write_text((tmp_path / name).read_text().replace("  ", " "))
    assert hook("uninstall", tool).stdout.endswith(f"Everything else in {name} is unchanged.\n")
    assert (tmp_path / name).read_text() == "{}\n"


def test_where_there_is_no_hook_it_says_where_there_is_one(tool, hook, tmp_path):
    name, *_ = FILES[tool]
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    hook("install", tool)
    hook("install", tool, "--user")
    done = hook("uninstall", tool, folder=below)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"{below / name}: there is no hook",
        "your own settings have one: add --user",
        f"{tmp_path / name} has one: run this in {tmp_path}",
    ]
    hook("uninstall", tool, "--user")
    assert hook("uninstall", tool, "--user").stdout.splitlines()[1:] == [
        "this folder's project has one: leave out --user"
    ]


def test_what_is_there_stays(tool, hook, tmp_path):
    name, event, _ = FILES[tool]
    path = tmp_path / name
    path.parent.mkdir()
    before = json.dumps(THEIRS, indent=4, ensure_ascii=False) + "\n"
    path.write_text(before)
    path.chmod(0o640)
    assert hook("install", tool).returncode == 0
    installed = path.read_text()
    assert [one["command"] for one in handlers(path, event)] == ["say done", f"sentinel hook run {tool}"]
    assert path.stat().st_mode & 0o777 == 0o640
    again = hook("install", tool)
    assert again.stdout == f"{name}: the hook is installed\n"
    assert path.read_text() == installed
    done = hook("uninstall", tool)
    assert f'"command": "sentinel hook run {tool}", "timeout"' in done.stdout
    assert path.read_text() == before
    assert hook("uninstall", tool).stdout == f"{path}: there is no hook\n"


def test_a_dry_run_changes_nothing(hook, tmp_path):
    shown = hook("install", "codex", "--dry-run").stdout
    assert not (tmp_path / ".codex").exists()
    assert shown.startswith("--- .codex/hooks.json\n+++ .codex/hooks.json\n")
    assert hook("install", "codex").stdout.startswith(shown)
    kept = (tmp_path / ".codex/hooks.json").read_bytes()
    hook("uninstall", "codex", "--dry-run")
    assert (tmp_path / ".codex/hooks.json").read_bytes() == kept


def test_other_options_replace_the_entry_where_it_stands(hook, tmp_path):
    path = tmp_path / ".claude/settings.json"
    hook("install", "claude-code")
    settings = json.loads(path.read_text())
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    settings["hooks"]["Stop"][0]["hooks"][0]["statusMessage"] = "Checking"
    path.write_text(json.dumps(settings))
    hook("install", "claude-code", "--fail-closed", "--quiet")
    ours, theirs = handlers(path, "Stop")
    assert ours["command"] == "sentinel hook run claude-code --fail-closed --quiet"
    assert (ours["statusMessage"], theirs["command"]) == ("Checking", "say done")


def test_a_program_before_it_makes_it_no_other(hook, tmp_path):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    wrapped = {"type": "command", "command": "uv run '/opt/my tools/sentinel' hook run claude-code --quiet"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [wrapped]}]}}))
    hook("install", "claude-code")
    assert [one["command"] for one in handlers(path, "Stop")] == ["sentinel hook run claude-code"]
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [wrapped]}]}}))
    hook("uninstall", "claude-code")
    assert json.loads(path.read_text()) == {}


def test_the_users_own_settings_name_the_program(hook, tmp_path):
    hook("install", "claude-code", "--user")
    (own,) = handlers(tmp_path / "home/.claude/settings.json", "Stop")
    assert own["command"] == f"{COMMAND} hook run claude-code"
    hook("install", "codex", "--user", CODEX_HOME=str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere/hooks.json").exists()


def test_an_environment_that_may_not_be_active_is_named_in_full(tool, hook, tmp_path):
    name, event, _ = FILES[tool]
    hook("install", tool)
    done = hook("install", tool, **IN_VENV)
    assert done.stderr == (
        f'sentinel: warning: "{COMMAND}" exists only on this machine; '
        'to share the settings, install Sentinel with pipx or "uv tool"\n'
    )
    assert [one["command"] for one in handlers(tmp_path / name, event)] == [
        shlex.join([str(COMMAND), "hook", "run", tool])
    ]
    assert hook("uninstall", tool).returncode == 0
    assert not (tmp_path / name).exists()


def test_a_project_needs_the_program_on_the_path(hook):
    done = hook("install", "claude-code", PATH=str(Path(sys.executable).parent.parent))
    assert done.returncode == 0
    assert 'there is no "sentinel" on the PATH' in done.stderr


def test_a_link_stays_a_link(hook, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles/claude.json").write_text("{}")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").symlink_to(tmp_path / "dotfiles/claude.json")
    hook("install", "claude-code")
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert handlers(tmp_path / "dotfiles/claude.json", "Stop")
    hook("uninstall", "claude-code")
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert (tmp_path / "dotfiles/claude.json").read_text() == "{}"


def test_a_link_to_a_file_that_install_made_keeps_its_file(hook, tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").symlink_to(tmp_path / "claude.json")
    hook("install", "claude-code")
    hook("uninstall", "claude-code")
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert (tmp_path / "claude.json").read_text() == "{}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n "b": NaN}', "is not JSON, so nothing was changed: no value at line 2, column 7"),
        ('{"a": 01}', "is not JSON, so nothing was changed"),
        ('{"a": 1', 'no "," or "}" at line 1, column 8'),
        ('{"a" 1}', 'no ":" at line 1, column 6'),
        ("{a: 1}", "no string at line 1, column 2"),
        ('{"a": "\\x"}', "no string at line 1, column 7"),
        ("{} {}", "more after the end at line 1, column 4"),
        ("[" * 100_000, "more than 200 levels"),
        ('{"a": 1, "a": 2}', "a key occurs twice in one object"),
        ("[]", "is not a JSON object, so nothing was changed"),
        ('{"hooks": []}', '"hooks" does not have the form that is expected'),
        ('{"hooks": {"Stop": {}}}', '"hooks" does not have the form that is expected'),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(hook, tmp_path, text, says):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = path.read_bytes()
    done = hook("install", "claude-code")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith('sentinel: error: ".claude/settings.json": ')
    assert says in done.stderr
    assert path.read_bytes() == before


def test_odd_entries_of_others_are_left_alone(hook, tmp_path):
    path = tmp_path / ".claude/settings.json"
    path.parent.mkdir()
    odd = ["x", {"hooks": 3}, {"hooks": ["y", {"command": "unclosed '"}, {"command": 4}, {"type": "prompt"}]}]
    path.write_text(json.dumps({"hooks": {"Stop": odd}}))
    hook("install", "claude-code")
    assert json.loads(path.read_text())["hooks"]["Stop"][:-1] == odd
    hook("uninstall", "claude-code")
    assert json.loads(path.read_text())["hooks"]["Stop"] == odd


def test_an_unknown_tool_is_refused(hook):
    done = hook("install", "emacs")
    assert (done.returncode, done.stdout) == (3, "")
    assert "'emacs' is not one of" in done.stderr


def test_auto_finds_what_is_there(hook, tmp_path):
    (tmp_path / ".codex").mkdir()
    (tmp_path / "home" / ".gemini").mkdir(parents=True)
    path = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    (tmp_path / "bin" / "claude").symlink_to(COMMAND)
    done = hook("install", "auto", "--yes", **path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in done.stdout.splitlines() if line.rstrip(":") in FILES] == [f"{name}:" for name in FILES]
    assert all((tmp_path / name).is_file() for name, _, _ in FILES.values())


def test_auto_asks_on_a_terminal(tmp_path, monkeypatch):
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".gemini").mkdir()
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("sentinel_command_hook.settings_file._program_for_all", lambda: "sentinel")
    runner = CliRunner()
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: True, raising=False)
    done = runner.invoke(command, ["install", "auto"], input="y\nn\n")
    assert done.exit_code == 0, done.output
    assert (tmp_path / ".codex/hooks.json").is_file()
    assert not (tmp_path / ".gemini/settings.json").exists()
    assert "Change .gemini/settings.json?" in done.output


@pytest.mark.parametrize(
    ("there", "says"), [(True, "nobody can be asked"), (False, "none of claude-code, codex, gemini-cli")]
)
def test_auto_never_guesses(hook, tmp_path, there, says):
    if there:
        (tmp_path / ".codex").mkdir()
    done = hook("install", "auto", PATH=f"{tmp_path / 'bin'}")
    assert done.returncode == 3
    assert says in done.stderr
    assert not (tmp_path / ".codex/hooks.json").exists()


def test_uninstall_auto_takes_it_out_wherever_it_is(hook, tmp_path):
    hook("install", "codex")
    hook("install", "claude-code")
    gone = hook("uninstall", "auto")
    assert (gone.returncode, gone.stdout.count("The hook is uninstalled.")) == (0, 2)
    assert not list(tmp_path.rglob("*.json"))
    assert hook("uninstall", "auto").stdout == "no tool has the hook in this project\n"
