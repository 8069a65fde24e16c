"""Commits say what changed in a line that every tool shows whole, and why."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commit_messages import faults, written

ROOT = Path(__file__).parents[2]
SINCE = "2026-11-28T04:00:00Z"  # what was committed before was not held to this


@pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="no history here")
def test_the_history_keeps_the_form():
    command = ["git", "log", "--no-merges", f"--since={SINCE}", "-z", "--format=%B"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        pytest.skip("git cannot read this history")
    assert [fault for message in done.stdout.split("\0") if message for fault in faults(message)] == []


def test_subject_empty_line_and_body():
    assert faults(f"{'x' * 72}\n\nBecause.\n") == []
    assert faults(f"{'x' * 73}\n\nBecause.") == [f"the subject has 73 characters; 72 are allowed: {'x' * 73}"]
    assert faults("Change it\nbecause.") == ["no empty line after the subject: Change it"]
    assert faults("Change it\n\n \n") == ["no body that says why: Change it"]


def test_comments_of_git_are_no_body():
    assert faults(written("Change it\n\n# Please enter the message.\n")) == ["no body that says why: Change it"]
    cut = "# ------------------------ >8 ------------------------"
    assert written(f"Change it\n\nBecause.\n{cut}\ndiff --git a b\n").strip() == "Change it\n\nBecause."


@pytest.mark.parametrize(
    ("message", "code"),
    [("Change it\n\nBecause.", 0), ("Change it", 1), ("fixup! Change it", 0), ("Merge branch 'a'", 0)],
)
def test_the_hook_stops_a_commit(tmp_path, message, code):
    (tmp_path / "message").write_text(message)
    command = [sys.executable, ROOT / "tests/commit_messages.py", tmp_path / "message"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert bool(done.stderr) == bool(code)
