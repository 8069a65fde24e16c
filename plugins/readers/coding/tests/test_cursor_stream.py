import json

import pytest
from coding_samples import CURSOR, DONE, INIT, SESSION, event, read, said, shape, tool
from tables import each_row

import sentinel_readers_claude as claude
from sentinel_core import ExecutionTrace, ReadError, evaluate_trace
from sentinel_readers_coding import sniff_cursor_stream


def trace_of(*events):
    (trace,) = read("cursor-stream", list(events))
    assert isinstance(trace, ExecutionTrace)
    return trace


def test_a_stream_field_by_field():
    trace = trace_of(*CURSOR)
    assert trace.trace_id == SESSION
    assert shape(trace) == [
        ("user", "What is in a.txt and b.txt?", [], []),
        ("assistant", "I read both.", [("read", {"path": "a.txt"}), ("read", {"path": "b.txt"})], []),
        ("tool", None, [], [("no such file", False)]),
        ("tool", None, [], [("plums", True)]),
        ("assistant", "There are plums in a.txt, and b.txt is missing.", [], []),
    ]
    spoken = trace.messages[1]
    assert (spoken.details.reasoning, spoken.details.model, spoken.details.origin) == ("Read both.", "Auto", "line 3")
    assert [result.tool_call_id for message in trace.messages for result in message.tool_results] == ["t2", "t1"]
    assert spoken.tool_calls[0].timestamp == "2026-01-02T03:04:05Z"
    usage = trace.token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.details.cached_tokens) == (17, 3, 5)
    assert trace.metadata == {"cwd": "/w", "permissionMode": "default", "duration_ms": 9, "request_id": "r1"}
    assert trace.details.outcome == "completed"


@each_row(
    ("result", "content", "success"),
    [
        ({"success": {"exitCode": 0, "stdout": "a\n", "stderr": "b"}}, "a\nb", True),
        ({"success": {"exitCode": 2, "stdout": "a", "stderr": ""}}, "a", False),
        ({"failure": {"exitCode": 1, "stdout": "", "stderr": "no"}}, "no", False),
        ({"timeout": {}}, "timeout", False),
        ({"success": {"linesAdded": 3}}, '{"linesAdded":3}', True),
        ({"success": {}}, "", True),
        ({"stillRunning": {"output": "…"}}, "…", None),
        (None, "", None),
        ("text", "text", None),
    ],
)
def test_results(result, content, success):
    trace = trace_of(
        INIT, tool("started", "t", "shell", {}), tool("completed", "t", "shell", {}, result=result), said("So.")
    )
    assert shape(trace)[1] == ("tool", None, [], [(content, success)])
    assert "reading_gaps" not in trace.metadata


def test_what_a_person_rejects_did_not_run_and_did_not_fail():
    rejected = {"rejected": {"command": "rm -r .", "reason": ""}}
    trace = trace_of(
        INIT, tool("completed", "t", "shell", {"command": "rm -r ."}, result=rejected), said("You refused.")
    )
    (result,) = trace.messages[1].tool_results
    assert (result.content, result.success, result.metadata) == ("rejected", False, {"not_run": True})
    assert evaluate_trace(trace).findings == ()


def test_tools_of_servers_and_functions_have_their_own_names():
    server = {"providerIdentifier": "db", "toolName": "query", "args": {"sql": "select 1"}}
    function = {"function": {"name": "look", "arguments": '{"at": 1}'}}
    broken = {"function": {"name": "look", "arguments": "{at"}}
    calls = [
        event("tool_call", subtype="started", call_id=f"f{at}", tool_call=one)
        for at, one in enumerate((function, broken))
    ]
    trace = trace_of(INIT, tool("started", "m", "mcp", server), *calls)
    assert shape(trace)[0][2] == [("query", {"sql": "select 1"}), ("look", {"at": 1}), ("look", {})]
    assert trace.messages[0].tool_calls[2].details.raw_arguments == "{at"
    assert trace.details.outcome == "interrupted"  # there is no result


def test_a_text_in_parts_counts_once():
    parts = [said("I ", timestamp_ms=1), said("look.", timestamp_ms=2)]
    whole = said("I look.", timestamp_ms=3, model_call_id="m")
    run = [tool("started", "t", "ls", {}), tool("completed", "t", "ls", {}, result={"success": {"output": "a"}})]
    end = [said("Do", timestamp_ms=4), said("ne.", timestamp_ms=5), said("Done."), DONE]
    for before in ([whole, *run], [*run, whole]):  # the whole text may come after the call
        texts = [message.content for message in trace_of(INIT, *parts, *before, *end).messages if message.content]
        assert texts == ["I look.", "Done."]
    twice = trace_of(INIT, said("Done."), *run, said("Done."), DONE)
    assert [message.content for message in twice.messages if message.content] == ["Done.", "Done."]


def test_what_is_not_known_is_told():
    odd = [
        event("dream", text="x"),
        event("dream"),
        event("tool_call", subtype="completed", call_id="z", tool_call={"new": 3}),
        tool("completed", "t", "shell", {}, result={"vanished": {}}),
        event("assistant", message=7),
    ]
    trace = trace_of(INIT, said("Go.", "user"), *odd[:3], odd[3], odd[4], said("Done."), event("late"))
    assert sorted(trace.metadata["reading_gaps"]) == [
        "1 event of a call to an unknown tool",
        '1 event of the unknown kind "late"',
        '1 event with the unknown outcome "vanished"',
        "1 event without a message of the assistant",
        '2 events of the unknown kind "dream"',
    ]
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["", "shell"]


def test_a_call_without_an_id_and_a_stream_that_breaks_off():
    started = {**tool("started", "", "ls", {}), "call_id": None}
    ended = {**tool("completed", "", "ls", {}, result={"success": {"output": "a"}}), "call_id": None}
    data = "".join(f"{json.dumps(one)}\n" for one in (INIT, started, ended, said("a"))) + '{"type": "assis'
    (trace,) = read("cursor-stream", data)
    assert [call.id for message in trace.messages for call in message.tool_calls] == ["call-1"]
    assert trace.messages[1].tool_results[0].tool_call_id == "call-1"
    assert trace.metadata["reading_gaps"] == ["1 line is not JSON: 5"]
    assert read("cursor-stream", data, strict=True)[0].line == 5


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([INIT], "no event is a message"),
        ([DONE], "contains a result without its messages; use --output-format stream-json"),
        ([7], "no event is a message"),
    ],
)
def test_a_stream_without_messages_is_an_error(events, message):
    assert read("cursor-stream", events) == [ReadError(message=message)]


def test_sessions_are_told_apart_and_failures_are_outcomes():
    other = {**said("Hi."), "session_id": "other"}
    failed = {**DONE, "session_id": "other", "subtype": "error", "is_error": True}
    first, second = read("cursor-stream", [INIT, said("Hi."), other, DONE, failed])
    assert [(one.trace_id, one.details.outcome) for one in (first, second)] == [
        (SESSION, "completed"),
        ("other", "error"),
    ]


def test_it_is_never_taken_for_claude_s_stream():
    def sure(*events):
        head = "\n".join(map(json.dumps, events)).encode()
        return sniff_cursor_stream(head, "x"), claude.sniff_claude_stream(head, "x")

    own = {**said("Hi."), "message": {"id": "msg_1", "model": "claude-test", "role": "assistant", "content": []}}
    assert sure(*CURSOR) == (96, 0)
    assert sure(INIT, said("Hi.", "user"), said("Hello.")) == (90, 70)
    assert sure({**INIT, "tools": ["Bash"]}, own) == (0, 95)
    assert sure({**INIT, "uuid": "u"}) == (0, 95)
    assert sure({**said("Hi."), "parent_tool_use_id": None}) == (0, 95)
    assert sure({"type": "message", "role": "user"}) == (0, 0)
    assert sure(INIT, {"type": ["tool_call"], "session_id": "s"}) == (90, 70)


def test_claude_s_reader_tells_events_that_it_does_not_know():
    data = "\n".join(map(json.dumps, [*CURSOR, event("stream_event")])).encode()
    from sentinel_core.testing import BytesSource

    (trace,) = claude.read_claude_stream(BytesSource(data=data, name="x"))
    assert trace.metadata["reading_gaps"] == [
        '3 events of the unknown type "thinking": 3, 4, 5',
        '4 events of the unknown type "tool_call": 7, 8, 9, 10',
    ]
