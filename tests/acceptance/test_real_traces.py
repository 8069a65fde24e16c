"""Traces that strangers' agents made, where the machine has them (``SENTINEL_TRACES``)."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_commands import run_forked

pytestmark = pytest.mark.unmeasured

DATA = Path(os.environ.get("SENTINEL_TRACES", Path(__file__).parents[3] / "shared" / "data" / "traces"))
FILES = sorted(DATA.glob("*.jsonl.gz"))
SENTINEL = Path(sys.executable).parent / "sentinel"


def test_the_traces_are_here():
    if not FILES:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no traces in {DATA}")
        pytest.skip(f"no labelled traces in {DATA}; SENTINEL_TRACES names their folder")
    assert len(FILES) == 12


def evaluate(path: str, seed: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    environ = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        [str(SENTINEL), "evaluate", path, "--jsonl"],
        capture_output=True,
        cwd=cwd,
        env=environ,
        timeout=300,
        check=False,
    )


def name_of(path: Path) -> str:
    return path.name.partition(".")[0]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_one_report_a_trace(path, tmp_path):
    first = run_forked("evaluate", path, "--jsonl", cwd=tmp_path, text=False)
    assert first.stderr == b""
    with gzip.open(path) as stream:
        traces = [json.loads(line) for line in stream]
    reports = [json.loads(line) for line in first.stdout.splitlines()]
    assert [report["trace_id"] for report in reports] == [trace["trace_id"] for trace in traces]
    unjudged = [trace["trace_id"] for trace in traces if not trace["messages"]]
    assert [report["trace_id"] for report in reports if report["verdict"] is None] == unjudged
    assert first.returncode == 3 if unjudged else first.returncode in (0, 1, 2)
    assert all(report["failures"] == [] for report in reports)


SOME = [pytest.param(path, marks=pytest.mark.exhaustive if number % 5 else ()) for number, path in enumerate(FILES)]


@pytest.mark.parametrize("path", SOME, ids=name_of)
def test_always_the_same_bytes(path, tmp_path):
    first, second = evaluate(str(path), "0", tmp_path), evaluate(path.name, "1", path.parent)
    assert first.stdout
    assert first.stdout == second.stdout
