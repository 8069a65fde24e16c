import json

import pytest

from sentinel_core import ReadError, judge
from sentinel_core.trace import CallDetails
from sentinel_readers_frameworks import sniff_langchain

HUMAN = {"type": "human", "content": "hi"}


def test_message_to_dict(read, data, told, tokens, origins):
    (trace,) = read("langchain", data("langchain-clean.json"))
    assert told(trace) == [
        ("user", "How deep is Lake Vättern?", [], []),
        ("assistant", None, [("call_d", "lake_depth", {"lake": "Vättern"})], []),
        ("tool", None, [], [("call_d", "128 m", True)]),
        ("assistant", "Lake Vättern is 128 m deep at most.", [], []),
    ]
    assert trace.trace_id == "thread-7"
    assert tokens(trace) == (120, 23, 143, 20, 3)
    assert origins(trace) == [f"$.messages[{at}]" for at in range(4)]
    assert (trace.details.source, trace.details.outcome, trace.metadata) == ("langchain", "completed", {})
    last = trace.messages[-1].details
    assert (last.id, last.model, last.usage.prompt_tokens) == ("a2", "gpt-4o-mini", 70)


def test_dumpd_one_message_a_line(read, data, told, tokens, origins):
    """Anthropic's content repeats the calls, one call could not be parsed, one failed, the last line is cut."""
    (trace,) = read("langchain", data("langchain-rough.jsonl"))
    calls = [("tu_1", "free_berths", {}), ("tu_2", "crane_state", {"crane": 2}), ("tu_3", "tide", {})]
    assert told(trace)[2:5] == [
        ("assistant", "I will ask for both.", calls, []),
        ("tool", None, [], [("tu_2", "Error: the crane does not answer", False)]),
        ("tool", None, [], [("tu_1", "berths 3 and 5", True)]),
    ]
    assert trace.messages[2].tool_calls[2].details == CallDetails(raw_arguments='{"at": ', result_expected=False)
    assert [message.role for message in trace.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert tokens(trace) == (200, 50, 250, 0, 0)
    assert origins(trace) == [f"line {line}" for line in range(1, 7)]
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 7"]}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ([[HUMAN], [HUMAN]], ["file:1", "file:2"]),
        ([{"messages": [HUMAN]}, {"messages": [HUMAN], "id": "own"}], ["file:1", "own"]),
        ([[{"messages": [HUMAN]}, [HUMAN]]], ["file[0]", "file[1]"]),
        ([[HUMAN, HUMAN]], ["file"]),
        ([HUMAN], ["file"]),
        ([{"values": {"messages": [HUMAN]}, "thread_id": "t"}], ["t"]),
        ([[]], []),
    ],
)
def test_each_layout_of_the_format_is_read(read, content, ids):
    assert [trace.trace_id for trace in read("langchain", content)] == ids


def test_a_line_that_is_no_conversation_costs_no_other(read):
    outcomes = read("langchain", [{"messages": [HUMAN]}, {"other": 1}, [HUMAN]])
    assert outcomes[1] == ReadError(message="contains no LangChain messages at $", line=2)
    assert [outcome.trace_id for outcome in outcomes[::2]] == ["file:1", "file:3"]


def test_a_bad_line_among_conversations_is_an_error(read):
    outcomes = read("langchain", b'{"messages": [\n{"messages": [{"type": "human", "content": "hi"}]}\n')
    assert len(outcomes) == 2
    assert isinstance(outcomes[-1], ReadError)
    assert outcomes[-1].line == 1


def test_results_without_an_id_belong_to_calls_in_order(read, told):
    call = {"type": "ai", "content": "", "tool_calls": [{"name": name, "args": {}} for name in ("a", "b")]}
    results = [{"type": "tool", "content": "B", "name": "b"}, {"type": "tool", "content": "A"}]
    (trace,) = read("langchain", [[call, *results]])
    assert [row[3] for row in told(trace)[1:]] == [[("call-2", "B", None)], [("call-1", "A", None)]]


def test_a_message_kept_twice_counts_its_tokens_once(read, tokens):
    message = {"type": "ai", "id": "m", "content": "x", "usage_metadata": {"input_tokens": 5, "output_tokens": 2}}
    (trace,) = read("langchain", [[message, message]])
    assert tokens(trace)[:2] == (5, 2)


@pytest.mark.parametrize(
    ("metadata", "outcome"),
    [({"finish_reason": "stop"}, "completed"), ({"stop_reason": "max_tokens"}, "max_tokens"), ({}, None)],
)
def test_the_end_of_a_run_gives_the_outcome(read, metadata, outcome):
    (trace,) = read("langchain", [[HUMAN, {"type": "ai", "content": "x", "response_metadata": metadata}]])
    assert trace.details.outcome == outcome


def test_what_is_no_message_is_counted(read):
    (trace,) = read("langchain", [{"messages": [HUMAN, 7, {"type": "remove", "id": "x", "content": ""}, HUMAN]}])
    assert len(trace.messages) == 2
    assert trace.metadata == {"reading_gaps": ["1 entry that is not a message"]}


AS_TEXT = "content='Hi.' additional_kwargs={} response_metadata={}"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"messages": [AS_TEXT, 'content="It\'s done." additional_kwargs={}']}, "($.messages)"),
        ({"values": {"messages": [f"HumanMessage({AS_TEXT.replace(' ', ', ')})"]}}, "($.values.messages)"),
        ([AS_TEXT], "($[0])"),
    ],
)
def test_messages_written_as_text_are_told_how_to_be_written(read, value, place):
    (error,) = read("langchain", json.dumps(value).encode())
    assert error.message.startswith("messages are text: write them with messages_to_dict")
    assert error.message.endswith(place)
    assert sniff_langchain(json.dumps(value).encode(), "state.json") > 90


def test_talk_of_content_is_not_taken_for_messages_as_text():
    assert sniff_langchain(b'{"messages": ["content=\'a\' is an attribute"]}', "t.json") == 0


def test_the_tools_of_a_run_are_those_that_the_agent_has(read):
    messages = [
        {"type": "human", "data": {"content": "Please refund order A17."}},
        {"type": "ai", "data": {"content": "I've refunded order A17."}},
    ]
    tool = {"type": "function", "function": {"name": "refund_order", "parameters": {"type": "object"}}}
    (without,) = read("langchain", [{"messages": messages}])
    (trace,) = read("langchain", [{"messages": messages, "tools": [tool]}])
    assert [one.name for one in trace.details.available_tools] == ["refund_order"]
    assert (judge(without).verdict, judge(trace).verdict) == ("WARN", "FAIL")


def test_a_summary_that_stands_for_removed_messages_is_copied_and_no_word_of_the_users(read):
    summary = {**HUMAN, "content": "Summary: much.", "additional_kwargs": {"lc_source": "summarization"}}
    (trace,) = read("langchain", [{"messages": [summary, HUMAN]}])
    assert [(one.role, bool(one.details.is_copied_context)) for one in trace.messages] == [
        ("system", True),
        ("user", False),
    ]
