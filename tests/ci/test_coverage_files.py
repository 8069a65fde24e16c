"""Coverage data that killed processes left, and which commands measure coverage."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from coverage import CoverageData
from coverage.data import combine_parallel_data
from coverage_files import drop_broken

ROOT = Path(__file__).parents[2]


def measured(path, *files):
    data = CoverageData(str(path))
    data.add_lines({str(file): [1, 2, 3] for file in files})
    data.write()
    data.close()
    return path.read_bytes()


def test_data_of_killed_processes_is_dropped_and_counted_and_the_rest_is_combined(tmp_path):
    whole = measured(tmp_path / ".coverage.a.1", *(tmp_path / f"m{number}.py" for number in range(200)))
    measured(tmp_path / ".coverage.b.2", tmp_path / "other.py")
    (tmp_path / ".coverage.c.3").write_bytes(whole[: len(whole) // 2])
    (tmp_path / ".coverage.d.4").write_bytes(b"")
    (tmp_path / ".coverage.e.5").write_bytes(b"no data base at all")
    (tmp_path / ".coverage.e.5-journal").write_bytes(b"a journal")
    (tmp_path / ".coverage.f.6").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert drop_broken(tmp_path) == (4, 6)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".coverage.a.1", ".coverage.b.2"]
    assert drop_broken(tmp_path) == (0, 2)
    done = subprocess.run(
        [sys.executable, "-m", "coverage", "combine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "Combined 2 files" in done.stderr


def test_the_command_says_how_many(tmp_path):
    (tmp_path / ".coverage.x.1").write_bytes(b"")
    done = subprocess.run(
        [sys.executable, ROOT / "tests/coverage_files.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "coverage data: 1 of 1 files dropped, which killed processes left half written\n"


def test_what_a_worker_measured_is_saved_before_it_may_be_killed(tmp_path):
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    (tmp_path / "counted.py").write_text("def two():\n    return 2\n")
    killed = "atexit.register(os.kill, os.getpid(), signal.SIGKILL)"  # before what was registered earlier
    (tmp_path / "test_it.py").write_text(
        f"import atexit, os, signal\nfrom counted import two\n\ndef test_it():\n    {killed}\n    assert two() == 2\n"
    )
    settings = f"[run]\nparallel = true\npatch = subprocess, _exit\nsource = {tmp_path}\n"
    (tmp_path / ".coveragerc").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-n1", "-p", "no:cacheprovider"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={**{name: text for name, text in os.environ.items() if "COVERAGE" not in name}, "PYTHONPATH": str(ROOT / "tests")},
    )  # fmt: skip
    assert "1 passed" in done.stdout
    drop_broken(tmp_path)
    data = CoverageData(str(tmp_path / "whole"))
    combine_parallel_data(data, data_paths=[str(path) for path in tmp_path.glob(".coverage.*")])
    assert data.lines(str(tmp_path / "counted.py")) == [1, 2]


@pytest.mark.parametrize(("ci", "is_measured"), [("", False), ("false", False), ("true", True)])
def test_a_new_user_sees_tests_and_ci_enforces_the_coverage(tmp_path, ci, is_measured):
    for name in ("python", "coverage", "ruff", "mypy"):
        tool = tmp_path / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*"\n')
        tool.chmod(0o755)
    ready = (".venv/.ready", ".venv/.docs", ".venv/browser")
    done = subprocess.run(
        ["make", "--no-print-directory", *(f"--old-file={one}" for one in ready), "test", f"BIN={tmp_path}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True, env={**os.environ, "CI": ci, "MAKEFLAGS": ""},
    )  # fmt: skip
    ran = [line for line in done.stdout.splitlines() if line.startswith(("python ", "coverage "))]
    tests = "-m pytest --numprocesses auto --dist worksteal -m not exhaustive"
    report = "report --data-file build/.coverage"
    gates = [f"{report} --fail-under 90", f"{report} --include src/sentinel_core/evaluate/* --fail-under 100"]
    measuring = [
        "coverage erase",
        f"coverage run {tests}",
        "python tests/coverage_files.py",
        "coverage combine --quiet --data-file build/.coverage .",
    ]
    assert ran == ([*measuring, *(f"coverage {gate}" for gate in gates)] if is_measured else [f"python {tests}"])


def test_ci_calls_what_a_user_can_call():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert script.rstrip().endswith("exec make test")
