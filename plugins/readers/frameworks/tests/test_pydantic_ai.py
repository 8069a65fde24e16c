import pytest

from sentinel_core import ReadError
from sentinel_core.trace import CallDetails


def request(*parts, **fields):
    return {"kind": "request", "parts": list(parts), **fields}


def response(*parts, **fields):
    return {"kind": "response", "parts": list(parts), **fields}


USER = {"part_kind": "user-prompt", "content": "hi"}
CALL = {"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c"}
TEXT = {"part_kind": "text", "content": "done"}


def test_a_clean_run_is_read_whole(read, data, told, tokens, origins):
    (trace,) = read("pydantic-ai", data("pydantic-ai-clean.json"))
    assert trace.trace_id == "run-bee"
    assert told(trace) == [
        ("system", "You keep bees.", [], []),
        ("user", "How many hives?\n[image-url]", [], []),
        ("assistant", None, [("pyd_1", "count_hives", {"meadow": "north"})], []),
        ("tool", None, [], [("pyd_1", '{"hives":12}', True)]),
        ("assistant", "There are 12 hives.", [], []),
    ]
    assert tokens(trace) == (83, 16, 99, 5, 0)
    assert origins(trace) == ["$[0]", "$[0]", "$[1]", "$[2]", "$[3]"]
    asked = trace.messages[2]
    assert (asked.details.reasoning, asked.details.id, asked.details.model) == (
        "I should count them.",
        "resp_1",
        "gpt-5-mini",
    )
    assert (asked.details.cost_usd, asked.timestamp) == (0.0001, "2026-01-02T03:04:06Z")
    assert trace.details.outcome == "completed"


def test_a_rough_run_is_read_whole(read, data, told, tokens):
    """Parallel calls, a retry prompt, a tool of the provider's own, counts of the old names, the last line cut."""
    (trace,) = read("pydantic-ai", data("pydantic-ai-rough.jsonl"))
    calls = [("b1", "book", {"table": "four"}), ("b2", "menu", {}), ("s1", "web_search", {"query": "menu"})]
    assert trace.trace_id == "conv-4"
    assert told(trace)[:4] == [
        ("system", "Be polite.", [], []),
        ("user", "Book table 4 and look up the menu.", [], []),
        ("assistant", None, calls, [("s1", "fish", None)]),
        ("tool", None, [], [("b2", "fish", None), ("b1", "table: not a number", False)]),
    ]
    assert trace.messages[2].tool_calls[2].details == CallDetails(result_expected=False)
    assert tokens(trace)[:2] == (110, 21)
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 7"]}


@pytest.mark.parametrize(
    ("outcome", "success"),
    [("success", True), ("failed", False), ("denied", False), ("interrupted", None), ("retried", False), (None, None)],
)
def test_a_tools_outcome(read, outcome, success):
    returned = {"part_kind": "tool-return", "tool_name": "f", "content": "x", "tool_call_id": "c", "outcome": outcome}
    (trace,) = read("pydantic-ai", [[request(USER), response(CALL), request(returned), response(TEXT)]])
    assert trace.messages[2].tool_results[0].success is success


def test_a_retry_without_a_tool_is_said_to_the_model(read, told):
    retry = {"part_kind": "retry-prompt", "content": "Answer with a number.", "tool_name": None}
    (trace,) = read("pydantic-ai", [[request(USER), response(TEXT), request(retry), response(TEXT)]])
    assert told(trace)[2] == ("user", "Answer with a number.", [], [])


def test_feedback_is_said_to_the_model(read, told):
    errors = [{"loc": ["hives"], "msg": "Input should be an integer"}]
    feedback = {"part_kind": "retry-feedback", "content": errors, "retry": {"cause": "validation_error"}}
    (trace,) = read("pydantic-ai", [request(USER), response(TEXT), request(feedback), response(TEXT)])
    assert told(trace)[2] == ("user", "hives: Input should be an integer", [], [])


def test_what_the_framework_notes_is_not_the_users_word(read, told):
    noted = [
        {"part_kind": "instruction-delta", "id": "hives", "content": "Be brief."},
        {"part_kind": "tool-availability-delta", "tools_added": ["count_hives"]},
        {"part_kind": "instruction-baseline", "instructions": []},
    ]
    (trace,) = read("pydantic-ai", [request(USER), response(TEXT), request(*noted, USER), response(TEXT)])
    assert [row[:2] for row in told(trace)] == [
        ("user", "hi"),
        ("assistant", "done"),
        ("system", "Be brief."),
        ("user", "hi"),
        ("assistant", "done"),
    ]


def test_results_and_a_prompt_in_one_request_keep_their_order(read, told):
    returned = {"part_kind": "tool-return", "tool_name": "f", "content": "x", "tool_call_id": "c"}
    (trace,) = read("pydantic-ai", [[request(USER), response(CALL), request(returned, USER)]])
    assert [row[0] for row in told(trace)] == ["user", "assistant", "tool", "user"]


def test_instructions_stand_once_until_they_change(read, told):
    history = [request(USER, instructions=text) for text in ("a", "a", "b")]
    (trace,) = read("pydantic-ai", [history])
    assert [row[1] for row in told(trace) if row[0] == "system"] == ["a", "b"]


def test_arguments_that_are_not_json_are_kept(read):
    (trace,) = read("pydantic-ai", [[response({**CALL, "args": '{"a": '})]])
    assert trace.messages[0].tool_calls[0].details == CallDetails(raw_arguments='{"a": ')


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"finish_reason": "stop"}, "completed"),
        ({"finish_reason": "length"}, "max_tokens"),
        ({"finish_reason": "error"}, "error"),
        ({"finish_reason": "tool_call"}, None),
        ({"state": "interrupted"}, "interrupted"),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(read, fields, outcome):
    (trace,) = read("pydantic-ai", [[request(USER), response(TEXT, **fields)]])
    assert trace.details.outcome == outcome


def test_each_layout_of_the_format_is_read(read):
    history = [request(USER), response(TEXT)]
    assert [trace.trace_id for trace in read("pydantic-ai", [history, history])] == ["file:1", "file:2"]
    assert [trace.trace_id for trace in read("pydantic-ai", [{"all_messages": history}])] == ["file"]
    assert [trace.trace_id for trace in read("pydantic-ai", [[history, history]])] == ["file[0]", "file[1]"]
    assert read("pydantic-ai", [{"x": 1}]) == [ReadError(message="contains no message history at $", line=1)]


def test_what_is_no_message_is_counted(read):
    (trace,) = read("pydantic-ai", [{"messages": [request(USER), {"kind": "note"}, 3]}])
    assert trace.metadata == {"reading_gaps": ["2 entries that are neither request nor response"]}
