"""The targets of the Makefile: each is explained, and the long tests are all run."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LONG = {"bench", "coverage", "detect", "e2e", "fuzz", "soak", "test"}


def targets() -> set[str]:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    return set(phony.split())


def test_help_explains_each_target():
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    explained = dict(line.removeprefix("make ").split(maxsplit=1) for line in done.stdout.splitlines())
    assert set(explained) == targets() >= LONG
    assert all(text.endswith(".") for text in explained.values())


def test_contributors_are_told_of_each_long_one():
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert {name for name in LONG if f"`make {name}`" not in told} == set()


def test_bench_runs_all_of_them_and_names_those_that_fail(tmp_path):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "ran $1"\ncase "$1" in */pipeline.py) exit 1; esac\n')
    python.chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "--old-file", ".venv/.ready", "bench", f"BIN={tmp_path}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^\| `(\w+\.py)`: ", page, re.MULTILINE)) | {"peers.py"}
    assert set(done.stdout.splitlines()) == {f"ran benchmarks/{one}" for one in shown}
    assert done.returncode != 0
    assert "make bench: these failed: pipeline\n" in done.stderr


def test_what_grows_with_soak_is_run_by_soak():
    (command,) = re.findall(r"^\tSENTINEL_SOAK=1 .* -m pytest (.+)$", MAKEFILE, re.MULTILINE)
    run = [ROOT / one for one in command.removeprefix("-s ").split()]
    tests = [path for folder in ("tests", "plugins") for path in (ROOT / folder).rglob("test_*.py")]
    growing = [path for path in tests if path != Path(__file__) and "SOAK" in path.read_text(encoding="utf-8")]
    assert len(growing) > 5
    assert [path for path in growing if not any(path == one or one in path.parents for one in run)] == []
    assert all(one.exists() for one in run)
