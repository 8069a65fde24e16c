import json

import pytest

from sentinel_core import ExecutionTrace, ReadError, TraceReader
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_readers_openai import sentinel_trace_readers, sniff_codex, sniff_responses

READER = next(reader for reader in sentinel_trace_readers() if reader.name == "codex")


def item(state, number, kind, **fields):
    return {"type": f"item.{state}", "item": {"id": f"item_{number}", "type": kind, **fields}}


def ran(number, command, output, code):
    status = "completed" if code == 0 else "failed"
    open_ = item(
        "started",
        number,
        "command_execution",
        command=command,
        aggregated_output="",
        exit_code=None,
        status="in_progress",
    )
    over = item(
        "completed",
        number,
        "command_execution",
        command=command,
        aggregated_output=output,
        exit_code=code,
        status=status,
    )
    return open_, over


STARTED = {"type": "thread.started", "thread_id": "0198aaaa-0000-7000-8000-000000000009"}
TURN = {"type": "turn.started"}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 90, "cached_input_tokens": 40, "output_tokens": 9, "reasoning_output_tokens": 4}}  # fmt: skip
FIRST, SECOND = ran(1, "ls", "a.txt", 0), ran(2, "cat b.txt", "no such file", 1)
CLEAN = [
    STARTED, TURN,
    item("completed", 0, "reasoning", text="Look first."),
    FIRST[0], SECOND[0], SECOND[1], FIRST[1],
    item("started", 3, "todo_list", items=[{"text": "look", "completed": False}]),
    item("completed", 4, "agent_message", text="There is a.txt; b.txt is missing."),
    DONE,
]  # fmt: skip


class TestCodexExec(TraceReaderContract):
    def make(self) -> TraceReader:
        return READER

    def sample(self) -> bytes:
        return b"".join(json.dumps(one).encode() + b"\n" for one in CLEAN)

    def filename(self) -> str:
        return "stream.jsonl"


def read(*events, **more):
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in events)
    return list(READER.read(BytesSource(data=data, name="x", **more)))


def shape(trace):
    return [
        (message.role, message.content, [(call.name, call.arguments) for call in message.tool_calls],
         [(result.content, result.success) for result in message.tool_results])
        for message in trace.messages
    ]  # fmt: skip


def results(*events):
    (trace,) = read(STARTED, TURN, *events)
    return [(call.name, call.arguments) for message in trace.messages for call in message.tool_calls], [
        (result.content, result.success) for message in trace.messages for result in message.tool_results
    ]


def test_a_stream_field_by_field():
    (trace,) = read(*CLEAN)
    assert shape(trace) == [
        ("assistant", None, [("shell", {"command": "ls"}), ("shell", {"command": "cat b.txt"})], []),
        ("tool", None, [], [("no such file", False)]),
        ("tool", None, [], [("a.txt", True)]),
        ("assistant", "There is a.txt; b.txt is missing.", [], []),
    ]
    assert (trace.trace_id, trace.details.outcome) == (STARTED["thread_id"], "completed")
    assert trace.messages[0].details.reasoning == "Look first."
    assert [message.details.origin for message in trace.messages] == ["line 3", "line 6", "line 7", "line 9"]
    usage = trace.token_usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (90, 9)
    assert (usage.details.cached_tokens, usage.details.reasoning_tokens) == (40, 4)
    assert trace.metadata == {}


def test_each_kind_of_call():
    change = {"changes": [{"path": "a.py", "kind": "update"}, {"path": "b.py", "kind": "add"}]}
    mcp = {"server": "db", "tool": "query", "arguments": {"sql": "select 1"}}
    assert results(
        item("completed", 1, "file_change", **change, status="completed"),
        item("completed", 2, "file_change", **change, status="failed"),
        item(
            "completed",
            3,
            "mcp_tool_call",
            **mcp,
            status="completed",
            result={"content": [{"type": "text", "text": "1"}]},
        ),
        item("completed", 4, "mcp_tool_call", **mcp, status="failed", error={"message": "no table"}),
        item(
            "completed",
            5,
            "mcp_tool_call",
            **mcp,
            status="completed",
            result={"content": [], "structured_content": {"n": 1}},
        ),
    ) == (
        [("apply_patch", change)] * 2 + [("db__query", {"sql": "select 1"})] * 3,
        [
            ("update a.py\nadd b.py", True),
            ("update a.py\nadd b.py", False),
            ("1", True),
            ("no table", False),
            ('{"n":1}', True),
        ],
    )


def test_a_declined_command_did_not_run_and_a_search_needs_no_result():
    declined = item(
        "completed", 1, "command_execution", command="rm -r .", aggregated_output="", exit_code=-1, status="declined"
    )
    (trace,) = read(STARTED, TURN, declined, item("completed", 2, "web_search", query="x"))
    (result,) = trace.messages[1].tool_results
    assert (result.content, result.metadata) == ("declined", {"not_run": True})
    assert not trace.messages[2].tool_calls[0].details.result_expected
    assert trace.details.outcome == "interrupted"


def test_what_is_not_known_is_told():
    agent = item("completed", 1, "collab_tool_call", tool="spawn_agent", prompt="Look.", receiver_thread_ids=["t"], agents_states={"t": {"status": "completed"}}, status="completed")  # fmt: skip
    odd = (item("completed", 2, "dream"), item("completed", 3, "dream"), {"type": "thread.paused"}, 7, agent)
    (trace,) = read(STARTED, TURN, *odd, item("completed", 4, "plan", text="First this."), DONE)
    assert trace.metadata["reading_gaps"] == [
        "1 line is not an event: line 6",
        '2 items of the unknown type "dream": line 3, line 4',
        '1 event of the unknown type "thread.paused": line 5',
        "1 call to a sub-agent whose own calls are not in the stream: line 7",
    ]
    assert trace.messages[-1].content == "First this."


def test_errors_are_notices_and_an_outcome():
    warned = item("completed", 1, "error", message="falling back")
    failed = {"type": "turn.failed", "error": {"message": "no quota"}}
    (trace,) = read(
        STARTED,
        TURN,
        warned,
        {"type": "error", "message": "reconnecting"},
        item("completed", 2, "agent_message", text="So"),
        failed,
    )
    assert trace.metadata == {"notices": ["falling back", "reconnecting", "no quota"]}
    assert trace.details.outcome == "error"


def test_threads_are_told_apart_and_one_goes_on():
    other = {**STARTED, "thread_id": "other"}
    said = item("completed", 0, "agent_message", text="Hi.")
    first, second = read(STARTED, TURN, said, DONE, other, TURN, said, DONE, STARTED, TURN, said)
    assert [(one.trace_id, len(one.messages), one.details.outcome) for one in (first, second)] == [
        (STARTED["thread_id"], 2, "interrupted"),
        ("other", 1, "completed"),
    ]


def test_a_stream_that_breaks_off():
    (trace,) = read(*CLEAN[:6], b'{"type": "item.comp')
    assert isinstance(trace, ExecutionTrace)
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: line 7"]
    assert read(*CLEAN[:6], b'{"type": "item.comp', strict=True)[0].line == 7
    assert read(STARTED, TURN) == [ReadError(message="contains no item")]


@pytest.mark.parametrize("first", [STARTED, TURN, CLEAN[2], FIRST[1]])
def test_any_first_event_is_known(first):
    for separators in ((", ", ": "), (",", ":")):
        head = json.dumps(first, separators=separators).encode()
        assert sniff_codex(head, "x") >= 90
        assert sniff_responses(head, "x") == 0
    assert sniff_codex(json.dumps({"text": json.dumps(first)}).encode(), "x") == 0
