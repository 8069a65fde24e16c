import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each_row

import sentinel_readers_claude as claude
from sentinel_core import ExecutionTrace, ReadError, TokenUsage, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract, work_of

TOOL = {"name": "weather", "description": "Today's weather", "input_schema": {"type": "object", "required": ["city"]}}


def text(content, **more):
    return {"type": "text", "text": content, **more}


def use(call, **arguments):
    return {"type": "tool_use", "id": call, "name": "weather", "input": arguments}


def answer(call, content, **more):
    return {"type": "tool_result", "tool_use_id": call, "content": content, **more}


def user(content):
    return {"role": "user", "content": content}


def said(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def response(number, *blocks, reason="end_turn"):
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-1",
        "content": list(blocks),
        "stop_reason": reason,
        "usage": {
            "input_tokens": 5,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 100,
            "output_tokens": number,
        },
    }


def request(*messages, **more):
    return {"model": "claude-test-1", "max_tokens": 99, "messages": list(messages), **more}


def jsonl(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


MESSAGES = [
    user("Is it raining in Oslo?"),
    said({"type": "thinking", "thinking": "look it up", "signature": "s"}, text("Let me see."), use("t1", city="Oslo")),
    user([answer("t1", [text("Rain, 7 degrees")])]),
    said(text("Yes, it rains at 7 degrees.")),
]
PARALLEL = [
    user("Oslo and Atlantis?"),
    said(use("t1", city="Oslo"), use("t2", city="Atlantis")),
    user([answer("t2", "unknown city", is_error=True), answer("t1", "Rain"), text("Please be brief.")]),
    said(text("Rain in Oslo. I could not find Atlantis.")),
]
# An agent's log: the second request repeats the first, with the answer and the cache mark moved on.
LOG = (
    {
        "timestamp": "2026-05-06T07:08:09Z",
        "request": request(user("Rain in Oslo?"), system="Be kind.", tools=[TOOL]),
        "response": response(1, use("t1", city="Oslo"), reason="tool_use"),
    },
    {
        "request": request(
            user([text("Rain in Oslo?", cache_control={"type": "ephemeral"})]),
            said(use("t1", city="Oslo")),
            user([answer("t1", "Rain", cache_control={"type": "ephemeral"})]),
            system=[text("Be kind.")],
        ),
        "response": response(2, text("It rains.")),
    },
)


class TestAnthropic(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in claude.sentinel_trace_readers() if reader.name == "anthropic")

    def sample(self) -> bytes:
        return jsonl(*LOG)


def read(data):
    return list(claude.read_anthropic(BytesSource(data=data, name="chat.json")))


def shape(trace):
    return [
        (message.role, message.content, [call.id for call in message.tool_calls],
         [(result.tool_call_id, result.content, result.success) for result in message.tool_results])
        for message in trace.messages
    ]  # fmt: skip


def origins(trace):
    return [message.details.origin for message in trace.messages]


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (json.dumps(MESSAGES, indent=2).encode(), "$[{}]"),
        (jsonl(*MESSAGES), "line {}"),
        (jsonl(request(*MESSAGES)), "line 1 $.messages[{}]"),
        (jsonl({"params": request(*MESSAGES)}), "line 1 $.params.messages[{}]"),
        (json.dumps([{"request": request(*MESSAGES)}]).encode(), "$[0].request.messages[{}]"),
    ],
)
def test_a_conversation_in_any_wrapping(data, where):
    (trace,) = read(data)
    assert (trace.trace_id, trace.details.source, trace.details.outcome) == ("chat.json#1", "anthropic", None)
    assert shape(trace) == [
        ("user", "Is it raining in Oslo?", [], []),
        ("assistant", "Let me see.", ["t1"], []),
        ("tool", None, [], [("t1", "Rain, 7 degrees", None)]),
        ("assistant", "Yes, it rains at 7 degrees.", [], []),
    ]
    first = 1 if where.startswith("line {") else 0
    assert origins(trace) == [where.format(first + number) for number in range(4)]
    assert trace.messages[1].details.reasoning == "look it up"
    assert trace.messages[1].tool_calls[0].arguments == {"city": "Oslo"}
    assert trace.token_usage is None
    assert evaluate_trace(trace).findings == ()


def test_parallel_calls_an_error_and_a_cut_last_line():
    (trace,) = read(jsonl(*PARALLEL) + b'{"role":"user","content":"and Berg')
    assert shape(trace)[1:4] == [
        ("assistant", None, ["t1", "t2"], []),
        ("tool", None, [], [("t2", "unknown city", False), ("t1", "Rain", None)]),
        ("user", "Please be brief.", [], []),
    ]
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 5"]}
    assert evaluate_trace(trace).verdict == "PASS"


def test_a_log_of_exchanges_is_one_conversation():
    (trace,) = read(jsonl(*LOG))
    assert shape(trace) == [
        ("system", "Be kind.", [], []),
        ("user", "Rain in Oslo?", [], []),
        ("assistant", None, ["t1"], []),
        ("tool", None, [], [("t1", "Rain", None)]),
        ("assistant", "It rains.", [], []),
    ]
    assert origins(trace)[1:] == ["line 1 $.request.messages[0]", "line 1", "line 2 $.request.messages[2]", "line 2"]
    assert trace.messages[2].timestamp == "2026-05-06T07:08:09Z"
    assert (trace.messages[2].details.id, trace.messages[2].details.model) == ("msg_1", "claude-test-1")
    assert trace.messages[2].details.usage.prompt_tokens == 125
    usage = trace.token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (250, 3, 253)
    assert (usage.details.cached_tokens, usage.details.cache_write_tokens) == (200, 40)
    (tool,) = trace.details.available_tools
    assert (tool.name, tool.description, tool.parameters) == ("weather", "Today's weather", TOOL["input_schema"])
    assert trace.details.outcome == "completed"
    assert evaluate_trace(trace).findings == ()


def test_the_same_request_again_is_another_try():
    first, second = read(jsonl(LOG[0], LOG[0], LOG[1]))
    assert sorted(len(trace.messages) for trace in (first, second)) == [3, 5]


def test_conversations_that_take_turns_are_told_apart():
    def log(name, upto):
        said_so_far = [user(f"{name} 0")]
        for number in range(upto):
            said_so_far += [said(text(f"{name} answer {number}")), user(f"{name} {number + 1}")]
        return {"request": request(*said_so_far), "response": response(1, text(f"{name} answer {upto}"))}

    traces = read(jsonl(*(log(name, upto) for upto in range(3) for name in "ab")))
    assert [len(trace.messages) for trace in traces] == [6, 6]
    many = read(jsonl(*(log(f"c{number}", 0) for number in range(40))))
    assert [trace.trace_id for trace in many] == [f"chat.json#{number}" for number in range(1, 41)]


def test_batch_files():
    requests = [{"custom_id": f"q{number}", "params": request(user("same"))} for number in range(2)]
    answers = [{"custom_id": "q0", "result": {"type": "succeeded", "message": response(4, text("Hi."))}}]
    failed = [{"custom_id": "q1", "result": {"type": "errored", "error": {"message": "overloaded"}}}]
    traces = read(jsonl(*requests))
    assert [trace.trace_id for trace in traces] == ["q0", "q1"]
    good, bad = read(jsonl(*answers, *failed))
    assert (good.trace_id, good.messages[0].content, good.token_usage.completion_tokens) == ("q0", "Hi.", 4)
    assert (bad.details.outcome, bad.metadata["error"]) == ("error", "overloaded")


def test_server_tools_need_no_other_answer_and_inform_what_follows():
    blocks = [
        text("Searching."),
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s1",
            "content": [{"type": "web_search_result", "title": "Rain in Oslo", "url": "https://weather.example"}],
        },
        text("According to the search results it rains."),
        {"type": "mcp_tool_use", "id": "m1", "name": "post", "server_name": "board", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": False, "content": [text("posted")]},
        {"type": "server_tool_use", "id": "s2", "name": "web_search", "input": {"query": "snow"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s2",
            "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
        },
    ]
    (trace,) = read(jsonl({"request": request(user("Rain?")), "response": response(3, *blocks)}))
    assert shape(trace)[1:] == [
        ("assistant", "Searching.", ["s1"], [("s1", "Rain in Oslo\nhttps://weather.example", None)]),
        ("assistant", "According to the search results it rains.", ["m1"], [("m1", "posted", True)]),
        ("assistant", None, ["s2"], [("s2", "[web_search_tool_result_error]", False)]),
    ]
    assert all(not call.details.result_expected for message in trace.messages for call in message.tool_calls)
    assert trace.token_usage == TokenUsage(
        prompt_tokens=125, completion_tokens=3, total_tokens=128, details=trace.token_usage.details
    )
    unanswered = [block for block in blocks if not block["type"].endswith("_tool_result")]
    (trace,) = read(jsonl(user("Rain?"), response(3, *unanswered), user("And?"), said(text("That is all."))))
    assert "hallucination.call_without_result" not in {finding.rule for finding in evaluate_trace(trace).findings}


def test_messages_that_cannot_be_used_are_told():
    messages = [user("hi"), 7, {"role": "robot", "content": "x"}, {"role": "assistant"}, said(text("Hello."))]
    (trace,) = read(jsonl(request(*messages)))
    assert [message.content for message in trace.messages] == ["hi", "Hello."]
    assert trace.metadata["reading_gaps"] == [
        "3 messages cannot be used: line 1 $.messages[1], line 1 $.messages[2], line 1 $.messages[3]"
    ]


def test_records_of_nothing_are_refused_with_their_line():
    outcomes = read(jsonl(LOG[0], {"some": "thing"}, 7) + b"{nonsense\n")
    assert [outcome.line for outcome in outcomes if isinstance(outcome, ReadError)] == [2, 3, 4]
    assert sum(isinstance(outcome, ExecutionTrace) for outcome in outcomes) == 1
    (error,) = read(b"[]")
    assert error == ReadError(message="contains no message")


@each_row(
    ("head", "sure"),
    [
        (json.dumps(MESSAGES).encode(), 80),
        (json.dumps(MESSAGES, indent=2).encode()[:400], 75),
        (jsonl(*LOG), 80),
        (jsonl(request(user("hi"))), 80),
        (jsonl({"custom_id": "q", "result": {"type": "succeeded", "message": response(1, text("x"))}}), 80),
        (jsonl({"messages": [user("hi"), {"role": "assistant", "content": "ho"}]}), 0),
        (jsonl({"model": "claude-test", "messages": [{"role": "tool", "content": "x", "tool_call_id": "c"}]}), 0),
        (jsonl({"trace_id": "t", "messages": MESSAGES}), 0),
        (jsonl({"type": "assistant", "sessionId": "s", "message": MESSAGES[1]}), 0),
        (jsonl({"role": "assistant", "content": [text("x")], "tool_calls": []}), 0),
    ],
)
def test_a_file_is_known_by_how_it_begins(head, sure):
    assert claude.sniff_anthropic(head, "any") == sure


def test_many_exchanges_cost_what_their_bytes_cost():
    def log(turns):
        messages, records = [], []
        for number in range(turns):
            messages.append(user(f"question {number}"))
            records.append({"request": request(*messages), "response": response(1, text(f"answer {number}"))})
            messages.append(said(text(f"answer {number}")))
        return jsonl(*records)

    few, many = log(12), log(100)
    (trace,) = read(many)
    assert len(trace.messages) == 200
    assert work_of(lambda: read(many)) / len(many) < 2 * work_of(lambda: read(few)) / len(few)


@settings(max_examples=100)
@given(st.integers(0, 1200), st.binary(max_size=12), st.integers(0, 200), st.sampled_from([LOG, MESSAGES, [MESSAGES]]))
def test_mutated_bytes_never_raise(at, inserted, removed, records):
    data = jsonl(*records)
    mutated = data[:at] + inserted + data[at + removed :]
    claude.sniff_anthropic(mutated, "any")
    for outcome in read(mutated):
        assert isinstance(outcome, ExecutionTrace) or outcome.message


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150)
@given(
    st.sampled_from(("request", "response", "timestamp", "custom_id", "result", "params")),
    st.sampled_from(("messages", "system", "tools", "content", "usage", "stop_reason", "model", "id", "error", "role")),
    VALUES,
)
def test_any_value_anywhere_is_read_or_refused(outer, inner, value):
    changed = {**LOG[1], outer: value}
    deep = {**LOG[1], "response": {**LOG[1]["response"], inner: value}, "request": {**LOG[1]["request"], inner: value}}
    for outcome in read(jsonl(LOG[0], changed, deep, {inner: value}, [{**MESSAGES[1], inner: value}])):
        assert isinstance(outcome, ExecutionTrace) or outcome.message
