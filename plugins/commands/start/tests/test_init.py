import os
import re
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from commanding import COMMAND, TIMEOUT, clean_environment, drained, terminal_of

from sentinel_core import __version__
from sentinel_core.host.settings import HostSettings, read_layers

REPOSITORY = Path(__file__).parents[4]
TEMPLATE = (files("sentinel_command_start") / "data" / "sentinel.toml").read_text(encoding="utf-8")
WORKFLOW = Path(".github/workflows/sentinel.yml")


def test_settings_are_written_shown_and_taken(inside, folder):
    done = inside("init")
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "sentinel.toml").read_text(encoding="utf-8") == TEMPLATE
    assert done.stdout.startswith("wrote sentinel.toml:\n  # Sentinel's settings")
    assert '  fail_on = "fail"\n' in done.stdout
    shown = inside("config", "show")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert re.search(r"^fail_on +fail +sentinel.toml$", shown.stdout, re.MULTILINE)


def test_each_setting_in_a_comment_is_one_and_has_its_default_or_says_another(inside, folder):
    every = re.sub(r"^# (?=[\w\".]+ = )", "", TEMPLATE, flags=re.MULTILINE)
    assert len(tomllib.loads(every)) == 10
    (folder / "sentinel.toml").write_text(every, encoding="utf-8")
    shown = inside("config", "show")
    assert (shown.returncode, shown.stderr) == (0, "")
    host = read_layers({}, environ={}, folder=folder).host()
    assert (host.timeout, host.max_memory_mb, host.profile) == (
        HostSettings().timeout,
        HostSettings().max_memory_mb,
        HostSettings().profile,
    )
    assert inside("rules").returncode == 0


def test_what_is_there_stays(inside, folder):
    (folder / ".git").mkdir()
    (folder / "sentinel.toml").write_text('fail_on = "warn"\n', encoding="utf-8")
    (folder / WORKFLOW).parent.mkdir(parents=True)
    (folder / WORKFLOW).write_text("mine\n", encoding="utf-8")
    done = inside("init", "--yes")
    assert done.stdout.splitlines() == [
        "sentinel.toml already has settings and was not changed",
        f"{WORKFLOW} already exists and was not changed",
    ]
    assert (folder / "sentinel.toml").read_text(encoding="utf-8") == 'fail_on = "warn"\n'
    assert (folder / WORKFLOW).read_text(encoding="utf-8") == "mine\n"


def test_settings_in_pyproject_are_settings(inside, folder):
    (folder / "pyproject.toml").write_text('[tool.sentinel]\nfail_on = "warn"\n', encoding="utf-8")
    assert "pyproject.toml already has settings" in inside("init").stdout
    assert not (folder / "sentinel.toml").exists()
    (folder / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    assert "wrote sentinel.toml" in inside("init").stdout


def test_settings_of_a_folder_above_are_not_hidden(inside, folder, monkeypatch):
    (folder / "sentinel.toml").write_text("", encoding="utf-8")
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert inside("init").stdout == "../sentinel.toml already has settings and was not changed\n"
    assert not list((folder / "below").iterdir())


def test_a_link_that_leads_nowhere_is_not_written_through(inside, folder, tmp_path):
    (folder / "sentinel.toml").symlink_to(tmp_path / "elsewhere.toml")
    done = inside("init")
    assert (done.returncode, done.stderr) == (3, "sentinel: error: sentinel.toml: File exists\n")
    assert not (tmp_path / "elsewhere.toml").exists()


def test_the_workflow_fits_the_action(inside, folder):
    (folder / ".git").mkdir()
    (folder / "runs").mkdir()
    (folder / "runs" / "one.jsonl").write_text("{}\n", encoding="utf-8")
    assert inside("init", "--yes").returncode == 0
    workflow = yaml.safe_load((folder / WORKFLOW).read_text(encoding="utf-8"))
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
    home = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]
    (step,) = [one for one in workflow["jobs"]["judge"]["steps"] if "sentinel/" in one.get("uses", "")]
    assert step["uses"] == f"{home.removeprefix('https://github.com/')}@v{__version__}"
    assert set(step["with"]) <= set(action["inputs"])
    assert step["with"]["traces"] == "runs/"
    assert workflow["permissions"] == {"contents": "read"}


def test_the_tag_that_the_workflow_needs_is_told_in_it_and_after_it(inside, folder):
    (folder / ".git").mkdir()
    home = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Homepage"]
    asked = f"git ls-remote --tags {home} v{__version__}"
    fails, otherwise = inside("init", "--yes").stdout.splitlines()[-2:]
    assert fails.startswith(
        f"{WORKFLOW} fails until reliability-sentinel/reliability-sentinel has the tag v{__version__}."
    )
    assert fails.endswith(asked)
    assert otherwise == "If that shows nothing, a comment in the workflow says what to do."
    text = (folder / WORKFLOW).read_text(encoding="utf-8")
    assert text.index(asked) < text.index('add: package: ""') < text.index("uses: reliability-sentinel/")
    assert "ls-remote" not in inside("init", "--yes").stdout


def test_without_a_terminal_it_is_told_and_not_asked(inside, folder):
    (folder / ".github").mkdir()
    assert inside("init").stdout.endswith(f"{WORKFLOW} was not written: sentinel init --yes writes it\n")
    assert not (folder / WORKFLOW).exists()


def test_at_a_terminal_it_asks(folder):
    (folder / ".git").mkdir()
    reader, writer = terminal_of(100)
    os.write(reader, b"n\n")
    done = subprocess.run(
        [COMMAND, "init"],
        stdin=writer,
        stdout=writer,
        stderr=writer,
        timeout=TIMEOUT,
        check=False,
        cwd=folder,
        env=clean_environment(),
    )
    os.close(writer)
    told = drained(reader)
    assert (done.returncode, f"Write {WORKFLOW}, which judges traces in pull requests? [Y/n]" in told) == (0, True)
    assert (folder / "sentinel.toml").exists()
    assert not (folder / WORKFLOW).exists()


def test_the_hook_is_named_for_agents_that_are_used_here(inside, sessions):
    told = inside("init").stdout
    assert "sentinel hook install claude-code --project" in told
    assert "codex" not in told


@pytest.mark.parametrize("flag", ["--project", "--user"])
def test_a_hook_that_is_installed_is_not_recommended(inside, sessions, flag):
    assert inside("hook", "install", "claude-code", flag).returncode == 0
    assert "sentinel hook install" not in inside("init").stdout
