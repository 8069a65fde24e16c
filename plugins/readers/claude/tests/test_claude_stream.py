import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentinel_readers_claude as claude
from sentinel_core import ExecutionTrace, ReadError, TokenUsage, ToolSchema, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract

INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "run-1",
    "tools": ["Bash", "Read", "Task"],
    "model": "claude-test-1",
}


def said(response, *blocks, parent=None, usage=(20, 4), **more):
    message = {
        "id": response,
        "role": "assistant",
        "model": "claude-test-1",
        "content": list(blocks),
        "stop_reason": None,
        "usage": {"input_tokens": usage[0], "cache_read_input_tokens": 100, "output_tokens": usage[1]},
    }
    return {"type": "assistant", "message": message, "parent_tool_use_id": parent, "session_id": "run-1", **more}


def heard(content, parent=None, **more):
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "parent_tool_use_id": parent, "session_id": "run-1", **more}


def result(subtype="success", **more):
    return {
        "type": "result",
        "subtype": subtype,
        "is_error": False,
        "num_turns": 2,
        "duration_ms": 900,
        "total_cost_usd": 0.012,
        "session_id": "run-1",
        "result": "the last text again",
        "usage": {"input_tokens": 41, "cache_read_input_tokens": 200, "output_tokens": 33},
        **more,
    }


def use(call, name="Read", **arguments):
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def answer(call, content, **more):
    return {"type": "tool_result", "tool_use_id": call, "content": content, **more}


def text(content):
    return {"type": "text", "text": content}


CLEAN = (
    INIT,
    said("msg_1", text("I will read it.")),
    said("msg_1", use("toolu_1", file_path="a.txt")),
    heard([answer("toolu_1", "seven plums")]),
    said("msg_2", text("It lists seven plums.")),
    result(),
)
PARALLEL = (
    INIT,
    said("msg_1", use("toolu_1", file_path="a.txt")),
    heard([answer("toolu_1", "plums")]),
    said("msg_1", use("toolu_2", file_path="b.txt")),
    heard([answer("toolu_2", "File does not exist.", is_error=True)]),
    said("msg_2", text("b.txt is missing.")),
)
NESTED = (
    INIT,
    said("msg_1", use("toolu_t", "Task", prompt="look")),
    heard("look", parent="toolu_t"),
    said("msg_s1", use("toolu_u", "Task", prompt="deeper"), parent="toolu_t"),
    said("msg_s2", text("Deep."), parent="toolu_u"),
    heard([answer("toolu_u", "Deep.")], parent="toolu_t"),
    heard([answer("toolu_t", "Seen.")]),
    said("msg_2", text("That is all.")),
    result(),
)


class TestClaudeStream(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in claude.sentinel_trace_readers() if reader.name == "claude-stream")

    def sample(self) -> bytes:
        return jsonl(*NESTED)


def jsonl(*events):
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def read(data):
    return list(claude.read_claude_stream(BytesSource(data=data, name="out.jsonl")))


def trace_of(*events) -> ExecutionTrace:
    (trace,) = read(jsonl(*events))
    assert isinstance(trace, ExecutionTrace)
    return trace


def test_a_clean_run_field_by_field():
    trace = trace_of(*CLEAN)
    assert (trace.trace_id, trace.details.source, trace.details.outcome) == ("run-1", "claude-stream", "completed")
    assert [(message.role, message.content) for message in trace.messages] == [
        ("assistant", "I will read it."),
        ("tool", None),
        ("assistant", "It lists seven plums."),
    ]
    assert [message.details.origin for message in trace.messages] == ["line 2", "line 4", "line 5"]
    assert [call.id for call in trace.messages[0].tool_calls] == ["toolu_1"]
    assert trace.messages[1].tool_results[0].success is True
    assert trace.messages[0].details.usage.prompt_tokens == 120
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (241, 33)
    assert trace.token_usage.details.cached_tokens == 200
    assert trace.details.available_tools == tuple(ToolSchema(name=name) for name in INIT["tools"])
    assert trace.metadata == {"duration_ms": 900, "num_turns": 2, "total_cost_usd": 0.012}
    assert evaluate_trace(trace).findings == ()


def test_parallel_calls_an_error_and_a_cut_last_line():
    (trace,) = read(jsonl(*PARALLEL) + b'{"type":"result","subt')
    assert [call.id for call in trace.messages[0].tool_calls] == ["toolu_1", "toolu_2"]
    assert [
        (result.content, result.success) for message in trace.messages for result in message.tool_results
    ] == [("plums", True), ("File does not exist.", False)]  # fmt: skip
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 7"]}
    assert trace.token_usage == attrs_usage(prompt=240, completion=8, cached=200)
    assert evaluate_trace(trace).verdict == "PASS"


def attrs_usage(prompt, completion, cached):
    from sentinel_core.trace import TokenDetails

    details = TokenDetails(cached_tokens=cached)
    return TokenUsage(
        prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion, details=details
    )


def test_sub_agents_stand_below_the_call_that_started_them():
    trace = trace_of(*NESTED)
    (child,) = trace.details.children
    (grandchild,) = child.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("run-1/toolu_t", "toolu_t")
    assert (grandchild.trace_id, grandchild.details.parent_call_id) == ("run-1/toolu_t/toolu_u", "toolu_u")
    assert [len(one.messages) for one in (trace, child, grandchild)] == [3, 3, 1]
    assert evaluate_trace(trace).findings == ()


def test_agents_of_unknown_calls_and_circles_are_kept():
    trace = trace_of(
        said("msg_0", text("Hello.")),
        said("msg_1", use("b"), parent="a"),
        said("msg_2", use("a"), parent="b"),
    )
    (child,) = trace.details.children
    assert (child.details.parent_call_id, child.details.children[0].details.parent_call_id) == ("a", "b")


def test_deep_agents_are_cut_into_levels():
    events = [said(f"msg_{number}", use(f"c{number + 1}"), parent=f"c{number}") for number in range(40)]
    trace = trace_of(said("msg_x", use("c0")), *events)
    count, level, depth = 0, [trace], 0
    while level := [child for one in level for child in one.details.children]:
        count, depth = count + len(level), depth + 1
    assert (count, depth) == (40, 8)


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (result("error_max_turns"), "max_turns"),
        (result("error_during_execution"), "error"),
        (result("error_max_budget_usd"), "max_budget"),
        (result(is_error=True), "error"),
        (result("something_new"), None),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(last, outcome):
    assert trace_of(INIT, said("msg_1", text("Hi.")), last).details.outcome == outcome


def test_with_several_results_the_messages_are_counted():
    trace = trace_of(
        INIT, said("msg_1", text("One.")), result(), INIT, said("msg_2", text("Two."), usage=(30, 6)), result()
    )
    assert trace.token_usage == attrs_usage(prompt=250, completion=10, cached=200)


def test_sessions_are_traces_and_repeated_events_count_once():
    other = {**said("msg_9", text("Elsewhere.")), "session_id": "run-2"}
    first, other_trace = read(jsonl(heard("go", uuid="e1"), heard("go", uuid="e1", isReplay=True), other))
    assert (first.trace_id, len(first.messages), other_trace.trace_id) == ("run-1", 1, "run-2")


def test_a_summary_after_compaction_is_copied_context():
    boundary = {"type": "system", "subtype": "compact_boundary", "session_id": "run-1"}
    trace = trace_of(
        heard("note", isSynthetic=True), boundary, heard("Summary: so far", isSynthetic=True), heard("go on")
    )
    assert [message.details.is_copied_context for message in trace.messages] == [False, True, False]


def test_a_list_of_events_in_one_document():
    (trace,) = read(json.dumps(CLEAN, indent=1).encode())
    assert [message.details.origin for message in trace.messages] == ["$[1]", "$[3]", "$[4]"]


def test_unusable_events_are_told():
    (trace,) = read(jsonl(*CLEAN[:2], 7, {"no": "type"}, {"type": "user", "session_id": "run-1", "message": "x"}))
    assert trace.metadata["reading_gaps"] == ["3 lines are not usable events: 3, 4, 5"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (jsonl(result()), "use --output-format stream-json --verbose"),
        (jsonl(INIT), "no event is a message"),
        (b"{nonsense", "is not JSON"),
        (b"", "no event is a message"),
    ],
)
def test_a_stream_without_messages_is_refused(data, message):
    (error,) = read(data)
    assert isinstance(error, ReadError)
    assert message in error.message


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (jsonl(*CLEAN), 95),
        (json.dumps(CLEAN, indent=2).encode(), 95),
        (json.dumps(CLEAN, indent=2).encode()[:300], 75),
        (jsonl({"type": "user", "sessionId": "s", "session_id": "s", "message": {}}), 0),
        (jsonl({"type": "message", "session_id": "s", "message": {}}), 0),
        (jsonl({"session_id": "s", "steps": []}), 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert claude.sniff_claude_stream(head, "any") == sure


@settings(max_examples=100)
@given(st.integers(0, 1500), st.binary(max_size=12), st.integers(0, 200))
def test_mutated_bytes_never_raise(at, inserted, removed):
    data = jsonl(*NESTED)
    mutated = data[:at] + inserted + data[at + removed :]
    claude.sniff_claude_stream(mutated, "any")
    for outcome in read(mutated):
        assert isinstance(outcome, ExecutionTrace) or outcome.message


@settings(max_examples=100)
@given(
    st.integers(0, 8),
    st.sampled_from(("type", "message", "parent_tool_use_id", "session_id", "uuid", "tools", "usage", "subtype")),
    st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers() | st.none()) | st.dictionaries(st.text(), st.none()),
)  # fmt: skip
def test_any_value_anywhere_is_read_or_refused(position, key, value):
    events = [dict(event) for event in NESTED]
    events[position][key] = value
    for outcome in read(jsonl(*events)):
        assert isinstance(outcome, ExecutionTrace) or outcome.message
