import json

import pytest

from sentinel_core import ExecutionTrace, ReadError, TraceReader, evaluate_trace
from sentinel_core.testing import BytesSource, TraceReaderContract
from sentinel_readers_openai import sentinel_trace_readers, sniff_agents
from sentinel_readers_openai.agents import read as read_agents

TRACE = {"object": "trace", "id": "trace_1", "workflow_name": "Travel", "group_id": "g1", "metadata": None}


def span(
    own: str,
    parent: str | None,
    seconds: tuple[int, int],
    kind: str,
    error: dict[str, object] | None = None,
    **data: object,
) -> dict[str, object]:
    start, end = (f"2026-03-01T10:{second // 60:02}:{second % 60:02}+00:00" for second in seconds)
    return {
        "object": "trace.span",
        "id": own,
        "trace_id": "trace_1",
        "parent_id": parent,
        "started_at": start,
        "ended_at": end,
        "span_data": {"type": kind, **data},
        "error": error,
    }


def call(call_id: str, name: str, arguments: str) -> dict[str, object]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def agent(own: str, parent: str | None, seconds: tuple[int, int], name: str, **more: object) -> dict[str, object]:
    data = {"name": name, "handoffs": [], "tools": ["find_trains", "find_hotels"], "output_type": "str", **more}
    error = data.pop("error", None)
    return span(own, parent, seconds, "agent", error, **data)


SYSTEM = {"role": "system", "content": "You plan trips."}
QUESTION = {"role": "user", "content": "Trains and hotels in Leeds?"}
ASKING = {
    "role": "assistant",
    "content": None,
    "refusal": None,
    "tool_calls": [call("c1", "find_trains", '{"to": "Leeds"}'), call("c2", "find_hotels", '{"in": "Leeds"}')],
}
ANSWER = {"role": "assistant", "content": "There is one train; hotels could not be found."}
RESULTS = [
    {"role": "tool", "tool_call_id": "c1", "content": "9:40"},
    {"role": "tool", "tool_call_id": "c2", "content": "An error occurred while running the tool."},
]
FIRST = span(
    "span_g1",
    "span_a",
    (1, 3),
    "generation",
    input=[SYSTEM, QUESTION],
    output=[ASKING],
    model="small-1",
    model_config={},
    usage={"input_tokens": 100, "output_tokens": 20},
)
SECOND = span(
    "span_g2",
    "span_a",
    (6, 8),
    "generation",
    input=[SYSTEM, QUESTION, {"role": "assistant", "tool_calls": ASKING["tool_calls"]}, *RESULTS],
    output=[ANSWER],
    model="small-1",
    usage={"input_tokens": 180, "output_tokens": 10},
)
TRAINS = span("span_f1", "span_a", (4, 5), "function", name="find_trains", input='{"to":"Leeds"}', output="9:40")
HOTELS = span(
    "span_f2",
    "span_a",
    (4, 6),
    "function",
    {"message": "Error running tool (non-fatal)", "data": {"tool_name": "find_hotels", "error": "no network"}},
    name="find_hotels",
    input='{"in":"Leeds"}',
    output="An error occurred while running the tool.",
)
TURN = span(
    "span_t", "span_a", (1, 8), "custom", name="turn", data={"usage": {"input_tokens": 280, "output_tokens": 30}}
)
# In the order in which spans end; hotels are asked for in parallel.
GENERATIONS = [TRACE, FIRST, TRAINS, HOTELS, SECOND, TURN, agent("span_a", None, (0, 9), "Planner")]
CLEAN = [
    TRACE,
    {**FIRST, "span_data": {**FIRST["span_data"], "output": [{**ASKING, "tool_calls": ASKING["tool_calls"][:1]}]}},
    TRAINS,
    {
        **SECOND,
        "span_data": {
            **SECOND["span_data"],
            "input": [SYSTEM, QUESTION, {**ASKING, "tool_calls": ASKING["tool_calls"][:1]}, RESULTS[0]],
            "output": [{"role": "assistant", "content": "There is a train at 9:40."}],
        },
    },
    agent("span_a", None, (0, 9), "Planner"),
]
USAGE = {"requests": 1, "input_tokens": 50, "output_tokens": 5, "total_tokens": 55}
RESPONSES = [
    TRACE,
    span("span_r1", "span_a", (1, 2), "response", response_id="resp_1", usage=USAGE),
    TRAINS,
    HOTELS,
    span("span_r2", "span_a", (7, 8), "response", response_id="resp_2", usage=USAGE),
    agent("span_a", None, (0, 9), "Planner"),
]
HANDOFF = [
    TRACE,
    span("span_r1", "span_a", (1, 2), "response", response_id="resp_1", usage=USAGE),
    span("span_h", "span_a", (3, 3), "handoff", from_agent="Planner", to_agent="Billing Desk"),
    agent("span_a", None, (0, 4), "Planner", handoffs=["Billing Desk"]),
    span("span_r2", "span_b", (5, 6), "response", response_id="resp_2", usage=USAGE),
    agent("span_b", None, (4, 7), "Billing Desk"),
]
# An agent that runs inside a tool of another one.
NESTED = [
    *GENERATIONS[:2],
    span(
        "span_gx",
        "span_x",
        (4, 4),
        "generation",
        input=[{"role": "user", "content": "Leeds"}],
        output=[{"role": "assistant", "content": "9:40"}],
        usage={"input_tokens": 7, "output_tokens": 1},
    ),
    agent("span_x", "span_f1", (4, 5), "Train clerk", tools=[]),
    *GENERATIONS[2:],
]


def as_lines(objects: list[dict[str, object]]) -> bytes:
    return b"\n".join(json.dumps(entry).encode() for entry in objects)


class TestOpenAIAgents(TraceReaderContract):
    def make(self) -> TraceReader:
        return next(reader for reader in sentinel_trace_readers() if reader.name == "openai-agents")

    def sample(self) -> bytes:
        return as_lines(NESTED)

    def filename(self) -> str:
        return "spans.jsonl"


class TestResponseSpans(TestOpenAIAgents):
    def sample(self) -> bytes:
        return json.dumps({"data": HANDOFF}).encode()


def read(objects: object) -> list[ExecutionTrace | ReadError]:
    data = objects if isinstance(objects, bytes) else as_lines(objects)
    return list(read_agents(BytesSource(data=data, name="spans.jsonl")))


def only(objects: object) -> ExecutionTrace:
    (trace,) = read(objects)
    assert isinstance(trace, ExecutionTrace)
    return trace


def roles(trace: ExecutionTrace) -> list[str]:
    return [message.role for message in trace.messages]


def test_every_message_is_told_once():
    trace = only(GENERATIONS)
    assert trace.trace_id == "trace_1"
    assert roles(trace) == ["system", "user", "assistant", "tool", "tool", "assistant"]
    asked = trace.messages[2]
    assert [made.id for made in asked.tool_calls] == ["c1", "c2"]
    assert asked.tool_calls[0].arguments == {"to": "Leeds"}
    assert (asked.details.id, asked.details.model, asked.details.origin) == ("span_g1", "small-1", "span span_g1")
    assert (asked.timestamp, asked.details.duration_ms) == ("2026-03-01T10:00:03+00:00", 2000.0)
    assert trace.messages[5].content == ANSWER["content"]
    assert trace.metadata == {"workflow_name": "Travel", "group_id": "g1"}
    assert [tool.name for tool in trace.details.available_tools] == ["find_trains", "find_hotels"]
    assert trace.details.outcome == "completed"


def test_tokens_are_those_of_the_innermost_spans():
    usage = only(GENERATIONS).token_usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (280, 30)


def test_tool_errors_and_durations():
    results = [result for message in only(GENERATIONS).messages for result in message.tool_results]
    assert [(result.tool_call_id, result.success) for result in results] == [("c1", None), ("c2", False)]
    assert results[0].metadata == {"duration_ms": 1000.0}
    assert results[1].metadata == {"duration_ms": 2000.0, "error": "no network"}


@pytest.mark.parametrize("objects", [CLEAN, HANDOFF])
def test_clean_runs_pass_without_a_finding(objects):
    report = evaluate_trace(only(objects))
    assert (report.verdict, report.findings) == ("PASS", ())


@pytest.mark.parametrize("objects", [GENERATIONS, RESPONSES, NESTED])
def test_runs_with_an_error_pass(objects):
    report = evaluate_trace(only(objects))
    assert report.verdict == "PASS"
    assert {finding.rule.partition(".")[0] for finding in report.findings} <= {"ending", "tool_misuse"}


def test_the_order_of_lines_does_not_matter():
    told = only(GENERATIONS).messages
    assert only([TRACE, *reversed(GENERATIONS[1:])]).messages == told
    assert only({"data": GENERATIONS} and json.dumps({"data": GENERATIONS}).encode()).messages == told
    assert only(json.dumps(GENERATIONS).encode()).messages == told


def test_response_spans_have_no_text():
    trace = only(RESPONSES)
    assert roles(trace) == ["assistant", "tool", "tool", "assistant"]
    assert [made.id for made in trace.messages[0].tool_calls] == ["span_f1", "span_f2"]
    assert trace.messages[0].details.id == "resp_1"
    assert trace.messages[1].tool_results[0].content == "9:40"
    assert trace.token_usage.prompt_tokens == 100
    assert trace.metadata["reading_gaps"] == ["2 model replies are recorded without text: span span_r1, span span_r2"]


def test_a_handoff_stays_in_the_trace():
    trace = only(HANDOFF)
    assert trace.messages[0].tool_calls[0].name == "transfer_to_billing_desk"
    assert trace.messages[1].tool_results[0].content == '{"assistant":"Billing Desk"}'
    assert trace.details.children == ()
    assert trace.details.available_tools is None


def test_a_handoff_that_the_reply_told_is_one_call():
    asking = {"role": "assistant", "content": None, "tool_calls": [call("c1", "transfer_to_billing_desk", "{}")]}
    trace = only(
        [
            TRACE,
            span("span_g1", "span_a", (1, 2), "generation", input=[SYSTEM, QUESTION], output=[asking]),
            span("span_h", "span_a", (3, 3), "handoff", from_agent="Planner", to_agent="Billing Desk"),
            span(
                "span_g2",
                "span_b",
                (5, 6),
                "generation",
                input=[
                    {"role": "system", "content": "You bill."},
                    QUESTION,
                    asking,
                    {"role": "tool", "tool_call_id": "c1", "content": "{'assistant': 'Billing Desk'}"},
                ],
                output=[{"role": "assistant", "content": "Hello from billing."}],
            ),
        ]
    )
    assert roles(trace) == ["system", "user", "assistant", "tool", "system", "assistant"]
    assert trace.details.outcome is None


def test_folded_history_is_copied_context():
    folded = {"role": "assistant", "content": "<CONVERSATION HISTORY>\n1. user: Trains?\n</CONVERSATION HISTORY>"}
    trace = only([TRACE, span("span_g", None, (1, 2), "generation", input=[folded], output=[ANSWER])])
    assert [message.details.is_copied_context for message in trace.messages] == [True, False]


def test_an_agent_in_a_tool_is_a_child():
    trace = only(NESTED)
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id) == ("span_f1", "c1")
    assert roles(child) == ["user", "assistant"]
    assert (child.token_usage.total, trace.token_usage.total) == (8, 310)
    assert roles(trace) == roles(only(GENERATIONS))


def test_what_is_said_twice_is_told_twice():
    yes = {"role": "user", "content": "Yes."}
    trace = only(
        [
            span("span_g1", None, (1, 2), "generation", input=[yes], output=[ANSWER]),
            span("span_g2", None, (3, 4), "generation", input=[yes, ANSWER, yes], output=[ANSWER]),
        ]
    )
    assert roles(trace) == ["user", "assistant", "user", "assistant"]


def test_withheld_content_is_a_gap():
    quiet = span("span_g", "span_a", (1, 2), "generation", input=None, output=None, usage={"input_tokens": 9})
    tool = span("span_f", "span_a", (3, 4), "function", name="find_trains", input=None, output=None)
    trace = only([TRACE, quiet, tool])
    assert roles(trace) == ["assistant", "tool"]
    assert trace.token_usage.prompt_tokens == 9
    assert trace.messages[0].tool_calls[0].arguments == {}


def test_calls_of_one_name_pair_by_arguments_before_order():
    asking = {
        "role": "assistant",
        "tool_calls": [call("c1", "find_trains", '{"to":"A"}'), call("c2", "find_trains", '{"to":"B"}')],
    }
    trace = only(
        [
            span("span_g", None, (1, 2), "generation", input=[QUESTION], output=[asking]),
            span("span_f1", None, (3, 4), "function", name="find_trains", input='{"to": "B"}', output="b"),
            span("span_f2", None, (4, 5), "function", name="find_trains", input='{"to": "A"}', output="a"),
        ]
    )
    results = [result for message in trace.messages for result in message.tool_results]
    assert [(result.tool_call_id, result.content) for result in results] == [("c2", "b"), ("c1", "a")]


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        ("Max turns exceeded", "max_turns"),
        ("Guardrail tripwire triggered", "guardrail"),
        ("Run cancelled", "cancelled"),
        ("Agent run failed", "error"),
    ],
)
def test_how_a_run_ended(problem, outcome):
    failed = agent("span_a", None, (0, 9), "Planner", error={"message": problem, "data": {}})
    assert only([TRACE, FIRST, failed]).details.outcome == outcome


def test_a_tripped_guardrail_ends_the_run():
    guard = span("span_x", "span_a", (2, 3), "guardrail", name="polite", triggered=True)
    assert only([*CLEAN, guard]).details.outcome == "guardrail"


def test_spans_that_cannot_be_used_are_counted():
    voice = span("span_v", None, (0, 1), "speech", input="Hello")
    trace = only(as_lines([*CLEAN, voice, {"object": "other"}]) + b'\n{"object": "trace.sp')
    assert trace.metadata["reading_gaps"] == [
        "1 line is not JSON: line 8",
        "1 entry is neither a trace nor a span: line 7",
        '1 span of the type "speech" contains no message: span_v',
    ]


def test_traces_of_one_file_are_kept_apart():
    other = [{**entry, "trace_id": "trace_2"} for entry in CLEAN[1:]]
    assert [trace.trace_id for trace in read([*CLEAN, *other])] == ["trace_1", "trace_2"]
    headless = {key: value for key, value in FIRST.items() if key != "trace_id"}
    assert only([headless]).trace_id == "spans.jsonl"


def test_circles_and_endless_chains_of_parents_end():
    functions = [
        span(f"span_{place}", f"span_{(place - 1) % 4_000}", (place // 100, place // 100), "function", name="deeper")
        for place in range(4_000)
    ]
    trace = only([TRACE, *functions])
    depth = 0
    while trace.details.children:
        depth += 1
        trace = trace.details.children[0]
    assert depth == 16


@pytest.mark.parametrize(("data", "line"), [(b'{"object": "trace.span"}', None), (b'{"object": "trace', 1)])
def test_what_holds_no_spans_is_told(data, line):
    (error,) = read(data)
    assert isinstance(error, ReadError)
    assert read(b"") == []


def test_times_that_are_none():
    odd = {**FIRST, "started_at": "soon", "ended_at": 7}
    assert only([odd]).messages[-1].details.duration_ms is None


def test_a_file_is_known_by_how_it_begins():
    assert sniff_agents(as_lines(CLEAN), "any") == 95
    assert sniff_agents(b'{"object":"trace.span"}', "any") == 95
    assert sniff_agents(b'{"object": "traces"}', "any") == 0
