"""The host alone in a fresh environment: what is not there is told, with what to install."""

import json
import subprocess

import pytest
import zstandard

from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_trace

pytestmark = pytest.mark.unmeasured

TRACE = ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Done."),))
JUDGE = """
from sentinel_core import ExecutionTrace, Signal, evaluate_trace
from sentinel_core.errors import PluginError

trace = ExecutionTrace(trace_id="t", messages=())
try:
    evaluate_trace(trace)
except PluginError as error:
    print(error)
print(evaluate_trace(trace, signals=()).signal_scores)
"""
UNPACK = """
import sys
from pathlib import Path
from sentinel_core.traces.sources import FileSource
try:
    FileSource(path=Path(sys.argv[1]), label="it").open()
except OSError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def bare(make_environment):
    return make_environment("reliability-sentinel")


def python(environment, source, *arguments):
    done = subprocess.run(
        [environment.python, "-c", source, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_library_call_without_any_signal_says_what_to_install(bare):
    assert python(bare, JUDGE) == ['no signal is installed: pip install "reliability-sentinel[standard]"', "()"]


def test_a_zstandard_file_says_what_to_install(bare, tmp_path):
    path = tmp_path / "t.json.zst"
    path.write_bytes(zstandard.compress(encode_trace(TRACE)))
    assert python(bare, UNPACK, path) == ["reading Zstandard needs an extra: pip install 'reliability-sentinel[zstd]'"]


def test_a_zstandard_file_on_the_command_line_is_told_and_costs_no_other(make_environment, tmp_path):
    (tmp_path / "a.json.zst").write_bytes(zstandard.compress(encode_trace(TRACE)))
    (tmp_path / "b.json").write_bytes(encode_trace(TRACE))
    standard = make_environment("reliability-sentinel[standard]")
    done = standard.sentinel("evaluate", "a.json.zst", "b.json", "--jsonl", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "pip install 'reliability-sentinel[zstd]'" in done.stderr
    assert [json.loads(line).get("trace_id") for line in done.stdout.splitlines()][-1] == "t"
