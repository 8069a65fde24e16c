"""Large and hostile files: bounded memory, bounded time, one line of error.

``make test`` judges a file of 200 MB and a line that unzips to 512 MB. With ``SENTINEL_SOAK=1`` (``make soak``) each is
1 GB. What grows without bound shows in both. Memory is the peak of the parent or its child, whichever is more; time, held
by ``make soak`` alone, is that of the processor.
"""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from sentinel_core.testing import exchange
from sentinel_core.trace import ExecutionTrace, Message
from sentinel_core.traces.codec import encode_trace

pytestmark = pytest.mark.unmeasured

SENTINEL = Path(sys.executable).parent / "sentinel"
MEGABYTE = 1 << 20
SOAK = os.environ.get("SENTINEL_SOAK") == "1"
LARGE = 1024 if SOAK else 200
MEMORY_OF_MANY = 300
MEMORY_OF_ONE = 400
SECONDS_OF_ONE = 10
UNZIPPED = 1024 if SOAK else 512
BRACKETS = 200
# A process that is started from a large one counts that one's memory as its own; so a small one stands between.
LAUNCHER = """
import json, os, resource, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
status, used = os.wait4(pid, 0)[1:]
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_maxrss, used.ru_utime + used.ru_stime]))
"""
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


@attrs.frozen
class Used:
    """How a command ended, its peak of memory in MB, its processor time in seconds, and what it said was wrong."""

    code: int
    megabytes: float
    seconds: float
    errors: list[str]


def evaluate(path: Path, *options: object) -> Used:
    """Judge a file, measured, and without what would measure the tests' coverage."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "SENTINEL_"))}
    out = path.with_name("out.jsonl")
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, SENTINEL, "evaluate", path, "--jsonl", "-o", out, *map(str, options)],
        capture_output=True,
        text=True,
        env=environ,
        cwd=path.parent,
        timeout=600,
        check=False,
    )
    code, peak, seconds = json.loads(done.stdout.splitlines()[-1])
    errors = [line for line in done.stderr.splitlines() if line.startswith("sentinel: error: ")]
    others = [line for line in done.stderr.splitlines() if line not in errors and not line.startswith("  ")]
    assert len(others) == 1, done.stderr
    return Used(code, peak * PEAK_UNIT / MEGABYTE, seconds, errors)


@pytest.fixture
def folder(tmp_path):
    """Where large files are made; none stays."""
    yield tmp_path
    for path in tmp_path.iterdir():
        path.unlink()


def line_of(number: int) -> bytes:
    """A trace of 14 kB."""
    steps = (exchange(f"c{step}", "get_order", {"order": step}, "item of the order " * 90) for step in range(8))
    asked = Message(role="user", content=f"look at the orders of day {number}")
    answer = Message(role="assistant", content="These are the orders.")
    messages = (asked, *(message for step in steps for message in step), answer)
    return encode_trace(ExecutionTrace(trace_id=f"day-{number}", messages=messages)) + b"\n"


def filled(path: Path, start: bytes, block: bytes, blocks: int) -> Path:
    with path.open("wb") as file:
        file.write(start)
        for _ in range(blocks):
            file.write(block)
    return path


def zipped(path: Path, start: bytes) -> Path:
    """A line of so many MB, in a file of 1 MB or less."""
    return filled(path, gzip.compress(start), gzip.compress(b"x" * MEGABYTE), UNZIPPED)


def test_a_file_of_many_records_takes_no_more_memory_than_one(folder):
    block = b"".join(line_of(number) for number in range(75))
    blocks = LARGE * MEGABYTE // len(block) + 1
    used = evaluate(filled(folder / "many.jsonl", b"", block, blocks))
    assert (used.code, used.errors) == (0, [])
    assert used.megabytes <= MEMORY_OF_MANY
    with (folder / "out.jsonl").open("rb") as stream:
        assert sum(1 for _ in stream) == 75 * blocks


@pytest.mark.parametrize(
    ("start", "options", "words"),
    [
        (b"", (), "is in no format"),
        (b"", ("--from", "native"), "lists and objects are nested more than 200 levels deep at $[0]"),
        (b'{"trace_id": "t", "messages": ', (), "Expected object, got array at $.messages[0]"),
        (
            b'{"trace_id": "t", "messages": [], "metadata": {"a": ',
            (),
            "lists and objects are nested more than 200 levels deep",
        ),
        (
            b'{"trace_id": "t", "messages": [], "more": ',
            ("--from", "openai-chat"),
            "lists and objects are nested more than 200 levels deep",
        ),
        (
            b'{"trace_id": "t", "messages": [], "more": ',
            ("--from", "langsmith"),
            "lists and objects are nested more than 200 levels deep",
        ),
    ],
)
def test_a_line_of_brackets(folder, start, options, words):
    used = evaluate(filled(folder / "brackets.jsonl", start, b"[" * MEGABYTE, BRACKETS), *options)
    assert used.code == 3
    (error,) = used.errors
    assert words in error
    assert used.megabytes < MEMORY_OF_ONE
    assert used.seconds < SECONDS_OF_ONE or not SOAK


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"", "is in no format"),
        (b'{"trace_id": "t", "messages": [{"role": "user", "content": "', "line 1: is larger than 256 MB"),
        (b'[{"trace_id": "t", "messages": [{"role": "user", "content": "', "the list is not closed at $[0]"),
        pytest.param(
            b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "',
            "is larger than 256 MB",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            b'{"type": "user", "uuid": "u", "sessionId": "s", "parentUuid": null, "message": "',
            "is larger than 256 MB",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_a_line_that_unzips_to_much_more(folder, start, words):
    used = evaluate(zipped(folder / "bomb.jsonl.gz", start))
    assert used.code == 3
    (error,) = used.errors
    assert words in error
    assert used.megabytes < MEMORY_OF_ONE
    assert used.seconds < SECONDS_OF_ONE or not SOAK
