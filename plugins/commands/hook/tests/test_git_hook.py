"""The pre-push hook comes and goes, leaves another one alone, and stops a push while the newest session lies."""

import os
import subprocess

import pytest
from claude_sessions import ClaudeSession
from commanding import COMMAND, run_command

pytestmark = pytest.mark.unmeasured


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "shop"
    git(tmp_path, "init", "--quiet", str(folder))
    return folder


def git(folder, *arguments, check=True):
    named = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(["git", *named, *arguments], cwd=folder, check=check, capture_output=True, text=True)


def test_it_comes_and_goes(repository):
    path = repository / ".git/hooks/pre-push"
    shown = run_command(repository, "hook", "install", "pre-push", "--dry-run").stdout
    assert not path.exists()
    done = run_command(repository, "hook", "install", "pre-push")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(shown)
    assert path.read_text().splitlines()[-1] == f"exec {COMMAND} receipt --latest any --check --fail-on fail"
    assert os.access(path, os.X_OK)
    assert "the hook is installed" in run_command(repository, "hook", "install", "pre-push").stdout
    assert run_command(repository, "hook", "uninstall", "pre-push").stdout.endswith("The hook is uninstalled.\n")
    assert not path.exists()
    assert "there is no hook of Sentinel" in run_command(repository, "hook", "uninstall", "pre-push").stdout


def test_another_hook_stays_and_is_told_the_line(repository):
    path = repository / ".git/hooks/pre-push"
    path.write_text("#!/bin/sh\nmake test\n")
    done = run_command(repository, "hook", "install", "pre-push")
    assert done.returncode == 3
    assert "receipt --latest any --check --fail-on fail || exit" in done.stderr
    run_command(repository, "hook", "uninstall", "pre-push")
    assert path.read_text() == "#!/bin/sh\nmake test\n"


def test_without_a_repository_it_says_so(tmp_path):
    done = run_command(tmp_path, "hook", "install", "pre-push")
    assert (done.returncode, "in no git repository" in done.stderr) == (3, True)


@pytest.mark.parametrize(("said", "code"), [("All tests pass now.", 1), ("One test still fails.", 0)])
def test_a_push_waits_for_the_truth(repository, tmp_path, said, code):
    session = ClaudeSession()
    session.folder = str(repository)
    session.user("Fix it.").run("pytest -q", "1 failed, 2 passed in 0.12s", code=1).says(said).write(
        tmp_path / "home/.claude/projects/-shop"
    )
    git(tmp_path, "init", "--quiet", "--bare", "origin.git")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "First")
    run_command(repository, "hook", "install", "pre-push")
    done = git(repository, "push", "--quiet", str(tmp_path / "origin.git"), "HEAD:main", check=False)
    assert bool(done.returncode) == bool(code), done.stderr
    assert ("the record speaks against 1 claim" in done.stderr) == bool(code)
