"""Plugins whose errors cannot be printed, or are no ordinary ones: each costs what it was at, and nothing else."""

import json

import pytest

pytestmark = pytest.mark.unmeasured

BASE = """
import os
from sentinel_core import ExecutionTrace, Message, Signal, TraceReader, hookimpl


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return ValueError(value)


def fail():
    raise {"mute": Mute, "deep": deep, "exit": SystemExit, "generator": GeneratorExit}[os.environ["HOW"]]()


def trace(source):
    said = (Message(role="user", content="hi"), Message(role="assistant", content="I am fine."))
    return ExecutionTrace(trace_id=source.name, messages=said)


"""
SIGNAL = (
    BASE
    + """
@hookimpl
def sentinel_signals():
    return [Signal(name="odd", summary="s", detect=lambda index: fail())]
"""
)
READER = (
    BASE
    + """
def read(source):
    yield trace(source)
    if b"BAD" in source.open().read():
        fail()


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="s", sniff=lambda head, name: 100 * (b"ODD" in head), read=read)]
"""
)
SNIFF = (
    BASE
    + """
def sniff(head, name):
    return 100 * (b"ODD" in head) if b"BAD" not in head else fail()


def read(source):
    yield trace(source)


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="s", sniff=sniff, read=read)]
"""
)
ENDS = (
    BASE
    + """
def read(source):
    text = source.open().read()
    if b"BAD" in text:
        os._exit(7)
    yield trace(source)


@hookimpl
def sentinel_trace_readers():
    return [TraceReader(name="odd", summary="s", sniff=lambda head, name: 100 * (b"ODD" in head), read=read)]
"""
)
HOWS = ("mute", "deep", "exit", "generator")


@pytest.fixture
def judged(sentinel, folder):
    """What stands in the place of each record of four files, of which the second is bad, by a plugin."""

    def judge(plugin, how=""):
        (folder / "odd.py").write_text(plugin)
        for name, text in (("a", "ODD"), ("b", "ODD BAD"), ("c", "ODD"), ("d", "ODD")):
            (folder / f"{name}.txt").write_text(text)
        done = sentinel("evaluate", "a.txt", "b.txt", "c.txt", "d.txt", "--plugins", "./odd.py", "--jsonl", HOW=how)
        return [json.loads(line) for line in done.stdout.splitlines()], done

    return judge


def named(rows):
    return [row["trace_id"] if "trace_id" in row else f"error {row['error']['source']}" for row in rows]


@pytest.mark.parametrize("how", HOWS)
def test_a_reader_that_fails_so_costs_its_own_file_alone(judged, how):
    rows, done = judged(READER, how)
    assert named(rows) == ["a.txt", "b.txt", "error b.txt", "c.txt", "d.txt"]
    assert 'its reader "odd" raised ' in rows[2]["error"]["message"]
    assert done.returncode == 3


@pytest.mark.parametrize("how", HOWS)
def test_a_sniff_that_fails_so_costs_its_own_file_alone(judged, how):
    rows, _ = judged(SNIFF, how)
    assert named(rows) == ["a.txt", "error b.txt", "c.txt", "d.txt"]
    assert "odd raised " in rows[1]["error"]["message"]


def test_a_reader_that_ends_the_process_costs_the_file_that_it_was_at_and_no_other(judged):
    rows, _ = judged(ENDS)
    assert named(rows) == ["a.txt", "error b.txt", "c.txt", "d.txt"]
    assert rows[1]["error"]["message"] == 'its reader "odd" ended the process with exit code 7'


@pytest.mark.parametrize("how", HOWS)
def test_an_advisory_signal_that_fails_so_is_a_named_failure(sentinel, folder, how):
    (folder / "odd.py").write_text(SIGNAL)
    said = {"role": "assistant", "content": "I am fine."}
    lines = [json.dumps({"trace_id": f"t{number}", "messages": [said]}) for number in range(5)]
    (folder / "five.jsonl").write_text("\n".join(lines))
    done = sentinel(
        "evaluate", "five.jsonl", "--plugins", "./odd.py,cost,loop,tool_misuse,hallucination", "--jsonl", HOW=how
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["PASS"] * 5
    (failure,) = rows[0]["failures"]
    assert (failure["signal_name"], failure["advisory"]) == ("odd", True)
    assert failure["error"].startswith("raised ")
    assert done.returncode == 0


@pytest.mark.parametrize("more", [{}, {"messages": [{"role": "user", "content": "hi"}]}])
def test_a_session_of_openclaw_is_refused_by_name(sentinel, folder, more):
    header = {"type": "session", "version": 3, "id": "b7", "timestamp": "2026-04-08T01:03:43Z", "cwd": "/w", **more}
    said = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    message = {"type": "message", "id": "a1", "parentId": None, "message": said}
    (folder / "session.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(message)}\n")
    done = sentinel("evaluate", "session.jsonl")
    assert done.returncode == 3
    assert "is an OpenClaw or Pi session, which no installed reader can read" in done.stderr
