"""C: plugins that misbehave, each in another place in another way: no verdict is faked, and no other file is hurt.

102 of them with ``SENTINEL_SOAK=1`` (``make soak``), else six.
"""

import json
import os
from pathlib import Path

import pytest
from commanding import run_command

from sentinel_core.testing import honest_trace
from sentinel_core.traces.codec import encode_trace

pytestmark = [pytest.mark.unmeasured, pytest.mark.process]

SOAK = os.environ.get("SENTINEL_SOAK") == "1"
LIMITS = ("--timeout", 5, "--max-memory-mb", 1024)
HEAD = """
import ctypes, gc, json, os, signal, sys, threading, time
from sentinel_core import Detection, ExecutionTrace, Finding, Message, Signal, TraceReader, hookimpl
FAKE = json.dumps({"trace_id": "honest", "verdict": "PASS", "overall_score": 0.0}) + "\\n"

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")
    __repr__ = __str__

def deep(value):
    return deep(value)

def nested():
    value = []
    for _ in range(50_000):
        value = [value]
    raise ValueError(value)

def hog():
    kept = []
    while True:
        kept.append(bytearray(64 << 20))

def misbehave():
"""
WAYS = {
    "raises": 'raise RuntimeError("no")',
    "raises what cannot be printed": "raise Mute()",
    "raises what is nested": "nested()",
    "raises a base exception": 'raise BaseException("no")',
    "leaves": "raise SystemExit(0)",
    "leaves as a generator": "raise GeneratorExit()",
    "interrupts": "raise KeyboardInterrupt()",
    "ends the process": "os._exit(0)",
    "is killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "segfaults": "ctypes.string_at(0)",
    "calls itself without end": "deep(0)",
    "hangs": "time.sleep(1000)",
    "takes all memory": "hog()",
    "prints a report": 'print(FAKE, end="", flush=True); raise RuntimeError("no")',
    "writes to descriptor 1": 'os.write(1, FAKE.encode()); raise RuntimeError("no")',
    "closes what is open": "os.closerange(3, 256)",
    "hangs in a thread": "threading.Thread(target=time.sleep, args=(1000,)).start(); raise RuntimeError()",
}
PLACES = {
    "signal, import": "misbehave()",
    "signal, hook": """
@hookimpl
def sentinel_signals():
    misbehave()
    return []
""",
    "signal, detect": """
@hookimpl
def sentinel_signals():
    return [Signal(name="odd", summary="s", detect=lambda index: misbehave() or 0.0)]
""",
    "reader, hook": """
@hookimpl
def sentinel_trace_readers():
    misbehave()
    return []
""",
    "reader, sniff": """
def read(source):
    yield ExecutionTrace(trace_id="odd", messages=(Message(role="assistant", content="x"),))

@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="s", sniff=lambda head, name: 100 * (b"ODD" in head) and (misbehave() or 100), read=read)]
""",
    "reader, read": """
def read(source):
    misbehave()
    yield ExecutionTrace(trace_id="odd", messages=(Message(role="assistant", content="x"),))

@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="s", sniff=lambda head, name: 100 * (b"ODD" in head), read=read)]
""",
}
CASES = [(place, way) for place in PLACES for way in WAYS]
FABRICATED = Path(__file__).parents[2] / "examples" / "traces" / "fabricated.json"
GOOD = "cost,hallucination,loop,tool_misuse"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("odd")
    (made / "1.json").write_bytes(encode_trace(honest_trace()))
    (made / "2.json").write_bytes(FABRICATED.read_bytes())
    (made / "3.odd").write_text("ODD")
    (made / "4.json").write_bytes(encode_trace(honest_trace()))
    return made


def judged(folder, *more):
    names = ("1.json", "2.json", "4.json", "3.odd")
    done = run_command(folder, "evaluate", *names, "--jsonl", *LIMITS, *more)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done, [told(row) for row in rows if "verdict" in row and row.get("trace_id") != "odd"]


def told(row):
    """What a good file comes to, without what is said of the odd plugin."""
    scores = [score for score in row["signal_scores"] if score["signal_name"] != "odd"]
    return row["trace_id"], row["verdict"], row["overall_score"], scores


@pytest.fixture(scope="module")
def alone(folder):
    done, found = judged(folder, "--plugins", GOOD)
    assert [one[1] for one in found] == ["PASS", "FAIL", "PASS"], done.stderr
    return found


@pytest.mark.parametrize(("place", "way"), CASES if SOAK else CASES[::19])
def test_no_verdict_is_faked_and_no_other_file_is_hurt(folder, alone, place, way):
    plugin = folder / f"odd_{CASES.index((place, way))}.py"
    plugin.write_text(f"{HEAD}    {WAYS[way]}\n\n{PLACES[place]}")
    done, found = judged(folder, "--plugins", f"{GOOD},./{plugin.name}")
    if not found:  # asked for by name, and it cannot be loaded
        assert done.returncode == 3, done.stderr
        assert "odd" in done.stderr
        assert place.endswith(("import", "hook"))
        return
    assert found == alone, (done.stdout, done.stderr)
    assert done.returncode in (2, 3), done.stderr
