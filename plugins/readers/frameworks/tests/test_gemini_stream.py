import json

import pytest

from sentinel_core import ExecutionTrace, ReadError, TraceReader
from sentinel_core.testing import TraceReaderContract
from sentinel_readers_frameworks import sentinel_trace_readers, sniff_gemini_cli

TIME = "2026-01-02T03:04:05.000Z"


def event(kind, **fields):
    return {"type": kind, "timestamp": TIME, **fields}


def part(text):
    return event("message", role="assistant", content=text, delta=True)


def use(call, name="read_file", **parameters):
    return event("tool_use", tool_name=name, tool_id=call, parameters=parameters)


def result(call, status="success", **fields):
    return event("tool_result", tool_id=call, status=status, **fields)


INIT = event("init", session_id="g-1", model="gemini-test")
ASKED = event("message", role="user", content="What is in a.txt and b.txt?")
STATS = {
    "total_tokens": 120, "input_tokens": 100, "output_tokens": 15, "cached": 40, "input": 60, "duration_ms": 7, "tool_calls": 2, "models": {},
}  # fmt: skip
DONE = event("result", status="success", stats=STATS)
CLEAN = [
    INIT,
    ASKED,
    part("I read "),
    part("both."),
    use("t1", path="a.txt"),
    use("t2", path="b.txt"),
    result("t1", output="plums"),
    result("t2", "error", error={"type": "file_not_found", "message": "no such file"}),
    part("Plums; b.txt "),
    part("is missing."),
    DONE,
]


class TestGeminiStream(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in sentinel_trace_readers() if reader.name == "gemini-cli")

    def sample(self) -> bytes:
        return b"".join(json.dumps(one).encode() + b"\n" for one in CLEAN)

    def filename(self) -> str:
        return "stream.jsonl"


def test_a_stream_field_by_field(read, told, origins, tokens):
    (trace,) = read("gemini-cli", CLEAN)
    assert told(trace) == [
        ("user", "What is in a.txt and b.txt?", [], []),
        (
            "assistant",
            "I read both.",
            [("t1", "read_file", {"path": "a.txt"}), ("t2", "read_file", {"path": "b.txt"})],
            [],
        ),
        ("tool", None, [], [("t1", "plums", True)]),
        ("tool", None, [], [("t2", "no such file", False)]),
        ("assistant", "Plums; b.txt is missing.", [], []),
    ]
    assert (trace.trace_id, trace.details.outcome, trace.details.source) == ("g-1", "completed", "gemini-cli")
    assert origins(trace) == ["line 2", "line 3", "line 7", "line 8", "line 9"]
    assert tokens(trace) == (100, 15, 120, 40, 0)
    assert trace.messages[1].details.model == "gemini-test"
    assert (trace.messages[1].timestamp, trace.messages[1].tool_calls[0].timestamp) == (TIME, TIME)
    assert trace.metadata == {"duration_ms": 7, "tool_calls": 2}


def test_errors_are_notices_and_an_outcome(read):
    failed = event("result", status="error", error={"type": "FatalTurnLimitedError", "message": "too many turns"})
    warned = event("error", severity="warning", message="Loop detected, stopping execution")
    (trace,) = read("gemini-cli", [INIT, ASKED, part("Well"), warned, failed])
    assert trace.details.outcome == "error"
    assert trace.metadata == {"notices": ["Loop detected, stopping execution", "too many turns"]}


def test_what_is_not_known_is_told(read):
    odd = [
        event("thought", text="x"),
        event("thought"),
        event("tool_use", parameters="{"),
        event("message", role="robot", content="x"),
    ]
    (trace,) = read("gemini-cli", [INIT, ASKED, *odd, part("Done."), event("late"), 7])
    assert sorted(trace.metadata["reading_gaps"]) == [
        "1 event of a call without a name or parameters",
        '1 event of the unknown kind "late"',
        "1 line is not an event",
        '1 message with the unknown role "robot"',
        '2 events of the unknown kind "thought"',
    ]
    assert trace.details.outcome == "interrupted"


def test_sessions_follow_one_another(read):
    other = {**INIT, "session_id": "g-2"}
    first, second = read("gemini-cli", [INIT, ASKED, part("A"), DONE, other, ASKED, part("B"), DONE])
    assert [(one.trace_id, one.messages[-1].content) for one in (first, second)] == [("g-1", "A"), ("g-2", "B")]


def test_a_stream_that_breaks_off(read):
    data = b"".join(json.dumps(one).encode() + b"\n" for one in CLEAN[:7]) + b'{"type": "mess'
    (trace,) = read("gemini-cli", data)
    assert isinstance(trace, ExecutionTrace)
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: 8"]
    assert read("gemini-cli", [INIT]) == [ReadError(message="no event is a message")]


@pytest.mark.parametrize("first", [INIT, ASKED, use("t"), result("t")])
def test_any_first_event_is_known(first):
    assert sniff_gemini_cli(json.dumps(first).encode(), "x") == 94
    assert sniff_gemini_cli(json.dumps(first, separators=(",", ":")).encode(), "x") == 94
    assert sniff_gemini_cli(json.dumps({"text": json.dumps(first)}).encode(), "x") == 0


def test_messages_of_unknown_types_in_a_chat_are_told(read):
    header = {"sessionId": "s", "projectHash": "ab", "startTime": TIME}
    lines = [
        header,
        {"id": "u", "type": "user", "content": "Hi."},
        {"id": "d", "type": "dream", "content": "x"},
        {"id": "n", "type": "dream"},
    ]
    (trace,) = read("gemini-cli", lines)
    assert [message.content for message in trace.messages] == ["Hi."]
    assert trace.metadata["reading_gaps"] == ['2 messages of the unknown type "dream"']
