"""Completion in the shell: the script that click writes, in bash itself, and what zsh and fish are answered."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commanding import COMMAND, TIMEOUT, clean_environment

SETUP = (Path(__file__).parents[2] / "docs" / "setup.md").read_text(encoding="utf-8")
BASH = """
eval "$(_SENTINEL_COMPLETE=bash_source sentinel)"
complete -p sentinel
complete_line() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _sentinel_completion sentinel
    echo "${COMPREPLY[@]}"
}
complete_line sentinel ev
complete_line sentinel plugins ""
complete_line sentinel evaluate --format j
"""


def environment(**more: str) -> dict[str, str]:
    return clean_environment(**more, PATH=f"{COMMAND.parent}:{os.environ['PATH']}")


def test_bash_completes(tmp_path):
    bash = shutil.which("bash")
    if bash is None and not os.environ.get("CI"):
        pytest.skip("there is no bash")
    asked = [bash, "-c", "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))"]
    if subprocess.run(asked, timeout=TIMEOUT, check=False).returncode:
        pytest.skip("this bash is older than 4.4, and click completes in none such")
    done = subprocess.run(
        [bash, "-c", BASH], capture_output=True, text=True, timeout=TIMEOUT, check=True, cwd=tmp_path, env=environment()
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "complete -o nosort -F _sentinel_completion sentinel",
        "evaluate",
        "new show",
        "json jsonl junit",
    ]


@pytest.mark.parametrize(
    ("shell", "variables", "answer"),
    [
        ("zsh", {"COMP_WORDS": "sentinel evaluate --fail-on ", "COMP_CWORD": "3"}, ["plain", "warn", "_"]),
        ("fish", {"COMP_WORDS": "sentinel evaluate --fail-on ", "COMP_CWORD": ""}, ["plain", "warn"]),
    ],
)
def test_other_shells_are_answered(tmp_path, shell, variables, answer):
    asked = environment(_SENTINEL_COMPLETE=f"{shell}_complete", **variables)
    done = subprocess.run(
        [COMMAND], capture_output=True, text=True, timeout=TIMEOUT, check=True, cwd=tmp_path, env=asked
    )
    assert re.split(r"[,\n]", done.stdout)[: len(answer)] == answer, done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_page_says_how_each_shell_is_told(shell):
    assert f"_SENTINEL_COMPLETE={shell}_source sentinel" in SETUP
