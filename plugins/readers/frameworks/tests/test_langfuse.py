import json

import pytest

from sentinel_core import ReadError, judge


def generation(**fields):
    return {
        "id": "g",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": "2026-01-01T00:00:01Z",
        "input": "hi",
        "output": "ho",
        **fields,
    }


def test_download(read, data, told, tokens, origins):
    (trace,) = read("langfuse", data("langfuse-clean.json"))
    assert trace.trace_id == "tr-9"
    assert told(trace) == [
        ("user", "What does parcel 77 weigh?", [], []),
        ("assistant", None, [("call_p", "parcel", {"number": 77})], []),
        ("tool", None, [], [("call_p", "3.2 kg", True)]),
        ("assistant", "It weighs 3.2 kg.", [], []),
    ]
    assert tokens(trace) == (65, 15, 80, 10, 0)
    assert origins(trace)[1:] == ["observation ob2", "observation ob3", "observation ob4"]
    assert [(tool.name, tool.description) for tool in trace.details.available_tools] == [("parcel", "A parcel's data")]
    last = trace.messages[-1].details
    assert (last.model, last.cost_usd, last.duration_ms) == ("gpt-4o-mini", 0.0004, 1250.0)
    assert trace.details.outcome is None


def test_blob_rows(read, data, told, tokens, origins):
    """Snake case, inputs as JSON text, times without a zone, any order, an error, the last line cut."""
    (trace,) = read("langfuse", data("langfuse-rough.jsonl"))
    calls = [("g1", "open_gate", {"gate": 1}), ("g2", "open_gate", {"gate": 2})]
    assert trace.trace_id == "tr-10"
    assert told(trace) == [
        ("user", "Open gates 1 and 2.", [], []),
        ("assistant", None, calls, []),
        ("tool", None, [], [("g2", "gate 2 is stuck", False)]),
        ("tool", None, [], [("g1", "open", True)]),
        ("assistant", "Gate 1 is open, gate 2 is stuck.", [], []),
    ]
    assert tokens(trace) == (75, 28, 103, 5, 0)
    assert trace.messages[1].timestamp == "2026-05-06T07:09:02.000000Z"
    assert trace.messages[1].details.model == "claude-haiku-4-5"
    assert origins(trace)[1] == "observation r2 (line 4)"
    assert trace.metadata == {"reading_gaps": ["1 line is not JSON: 6"]}


def test_a_trace_of_the_api_and_a_list_of_observations(read, data):
    value = json.loads(data("langfuse-clean.json"))
    whole = read("langfuse", data("langfuse-clean.json"))
    assert read("langfuse", [{**value["trace"], "observations": value["observations"]}]) == whole
    assert read("langfuse", [{"data": value["observations"], "meta": {}}]) == whole
    assert read("langfuse", [value["observations"]]) == whole


def test_inputs_left_out(read, told, tokens):
    """A download without the large inputs: the trace's own question and answer stand, and the tokens count."""
    value = {
        "trace": {"id": "t", "projectId": "p", "input": "hi", "output": "ho"},
        "observations": [generation(input=None, output=None, usageDetails={"input": 7, "output": 2, "total": 9})],
    }
    (trace,) = read("langfuse", [value])
    assert told(trace) == [("user", "hi", [], []), ("assistant", "ho", [], [])]
    assert tokens(trace)[:3] == (7, 2, 9)


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"input": 5, "output": 2}, (5, 2, 7, 0, 0)),
        (
            {"input": 5, "input_cached_tokens": 3, "output": 2, "output_reasoning_tokens": 1, "total": 11},
            (8, 3, 11, 3, 1),
        ),
        ({"input": 8, "input_cached_tokens": 3, "output": 2, "total": 10}, (8, 2, 10, 3, 0)),
        ({"input": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4, "output": 2}, (12, 2, 14, 3, 0)),
        ({"input": "5", "output": "2", "total": "7"}, (5, 2, 7, 0, 0)),
        ({"prompt_tokens": 5, "completion_tokens": 2}, (5, 2, 7, 0, 0)),
    ],
)
def test_usage_buckets(read, tokens, details, expected):
    (trace,) = read("langfuse", [generation(usageDetails=details)])
    assert tokens(trace) == expected
    (trace,) = read("langfuse", [generation(usage_details=json.dumps(details))])
    assert tokens(trace) == expected


def test_old_usage(read, tokens):
    (trace,) = read("langfuse", [generation(usage={"input": 5, "output": 2, "total": 7, "unit": "TOKENS"})])
    assert tokens(trace)[:3] == (5, 2, 7)


def test_a_wrapped_generation_counts_once(read, tokens):
    usage = {"usageDetails": {"input": 5, "output": 2}}
    outer, inner = generation(id="outer", **usage), generation(id="inner", parentObservationId="outer", **usage)
    (trace,) = read("langfuse", [[inner, outer]])
    assert tokens(trace)[:2] == (5, 2)
    assert len(trace.messages) == 2


def test_an_observation_written_again_counts_once(read, tokens, told):
    rows = [
        generation(output=None, usageDetails={"input": 1, "output": 1}),
        generation(usageDetails={"input": 5, "output": 2}),
    ]
    (trace,) = read("langfuse", rows)
    assert tokens(trace)[:2] == (5, 2)
    assert told(trace)[-1][1] == "ho"


def test_a_failed_root_is_the_outcome(read):
    (trace,) = read("langfuse", [generation(level="ERROR", statusMessage="quota")])
    assert trace.details.outcome == "error"


def test_traces_of_one_export(read):
    traces = read("langfuse", [generation(), generation(traceId="u"), {"id": "t", "timestamp": "x", "name": "n"}])
    assert [trace.trace_id for trace in traces] == ["t", "u"]


def test_what_is_no_observation_is_counted(read):
    (trace,) = read("langfuse", [[generation(), {"type": "SPAN"}, 4]])
    gaps = ["1 observation without an id or a type", "1 entry that is not an observation"]
    assert trace.metadata == {"reading_gaps": gaps}
    assert read("langfuse", [{"x": 1}]) == [ReadError(message="contains no Langfuse trace or observation")]


NAMED = {"id": "t", "timestamp": "2026-01-01T00:00:00Z", "input": "Cancel order 17.", "output": "I've cancelled it."}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([{"data": [{**NAMED, "observations": ["o1", "o2"]}], "meta": {}}], ["GET /api/public/traces/ID", "1 trace "]),
        ([NAMED, {**NAMED, "id": "u"}], ['"observations" files', "2 traces "]),
        (
            b'"id","timestamp","name"\n"t","2026-01-01","I cancelled it."\n',
            ["is CSV, which is not read: download the trace as JSON"],
        ),
    ],
)
def test_traces_without_their_observations_are_refused(read, content, told):
    (error,) = read("langfuse", content)
    assert isinstance(error, ReadError)
    assert [part for part in told if part not in error.message] == []


def test_a_trace_row_beside_others_with_observations_is_refused_alone(read):
    trace, error = read("langfuse", [generation(), {**NAMED, "observations": ["g"]}, {**NAMED, "id": "u"}])
    assert trace.trace_id == "t"
    assert "has 1 trace without observations" in error.message


def test_a_trace_that_came_without_any_observation_is_read(read, told):
    (trace,) = read("langfuse", [{**NAMED, "observations": []}])
    assert told(trace)[-1][:2] == ("assistant", "I've cancelled it.")


@pytest.mark.parametrize(
    "kept",
    [
        {"tool_calls": [{"id": "c", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 17}'}}]},
        {"function_call": {"name": "cancel", "arguments": '{"id": 17}'}},
    ],
)
def test_calls_kept_only_as_the_provider_gave_them(read, told, kept):
    """Older LangChain callbacks write no ``tool_calls`` of their own."""
    observations = [
        generation(
            id="g1",
            input=[{"role": "user", "content": "Cancel order 17."}],
            output={"role": "assistant", "content": "", "additional_kwargs": kept},
        ),
        generation(id="t1", type="TOOL", name="cancel", startTime="2026-01-01T00:00:02Z", input="{'id': 17}", output="done"),
        generation(
            id="g2", startTime="2026-01-01T00:00:03Z", input=None, output={"role": "assistant", "content": "Cancelled."}
        ),
    ]  # fmt: skip
    (trace,) = read("langfuse", [observations])
    ((_, _, _, ((call_id, _, _),)),) = (row for row in told(trace) if row[0] == "tool")
    assert told(trace) == [
        ("user", "Cancel order 17.", [], []),
        ("assistant", None, [(call_id, "cancel", {"id": 17})], []),
        ("tool", None, [], [(call_id, "done", True)]),
        ("assistant", "Cancelled.", [], []),
    ]


EARLIER = [
    {"role": "user", "content": "Please cancel order 4417."},
    {"role": "assistant", "content": "I've cancelled order 4417."},
    {"role": "user", "content": "Thanks!"},
]


def copied(trace):
    return [message.content for message in trace.messages if message.details.is_copied_context]


def test_earlier_turns_of_a_chat_are_copied_context(read):
    """Each turn is a trace of its own, and its history has words alone."""
    (trace,) = read("langfuse", [{"id": "t", "observations": [generation(input=EARLIER, output="You're welcome!")]}])
    assert copied(trace) == ["I've cancelled order 4417."]
    assert judge(trace).verdict == "PASS"


def test_earlier_turns_with_their_calls_are_judged(read):
    call = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": "{}"}}
    history = [
        EARLIER[0],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        *EARLIER[1:],
    ]
    (trace,) = read("langfuse", [{"id": "t", "observations": [generation(input=history, output="You're welcome!")]}])
    assert copied(trace) == []


def test_a_later_call_of_a_model_repeats_what_was_said(read):
    first = generation(input=EARLIER[:1], output="I've cancelled order 4417.")
    second = generation(id="h", startTime="2026-01-01T00:00:02Z", input=EARLIER, output="You're welcome!")
    (trace,) = read("langfuse", [{"id": "t", "observations": [first, second]}])
    assert copied(trace) == []
    assert [message.content for message in trace.messages] == [*(one["content"] for one in EARLIER), "You're welcome!"]


def test_a_span_is_the_tool_that_the_model_called(read):
    call = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order": 17}'}}
    asks = generation(output={"role": "assistant", "content": None, "tool_calls": [call]})
    span = {"id": "s", "type": "SPAN", "name": "refund", "startTime": "2026-01-01T00:00:02Z", "input": {"order": 17}}
    failed = span | {"level": "ERROR", "statusMessage": "gateway timeout"}
    answers = generation(id="h", startTime="2026-01-01T00:00:03Z", output="I've refunded order 17.")
    (trace,) = read("langfuse", [{"id": "t", "observations": [asks, failed, answers]}])
    (result,) = (result for message in trace.messages for result in message.tool_results)
    assert (result.tool_call_id, result.content, result.success) == ("c1", "gateway timeout", False)
    assert judge(trace).verdict == "FAIL"
    other = span | {"name": "middleware"}
    (trace,) = read("langfuse", [{"id": "t", "observations": [asks, other, answers]}])
    assert not any(message.tool_results for message in trace.messages)


def test_a_retriever_is_a_look(read):
    look = {
        "id": "r",
        "type": "RETRIEVER",
        "name": "search_help",
        "startTime": "2026-01-01T00:00:00Z",
        "input": "tax",
        "output": ["..."],
    }
    (trace,) = read("langfuse", [{"id": "t", "observations": [look, generation(output="I searched the help centre.")]}])
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["search_help"]
    assert judge(trace).verdict == "PASS"


def turn(answer):
    """The second turn of a chat: it looks at order 18."""
    history = [
        EARLIER[0],
        {"role": "assistant", "content": "I've cancelled order 4417, reference RF-7731."},
        {"role": "user", "content": "And 18?"},
    ]
    call = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"id": 18}'}}
    tool = {"id": "s", "type": "TOOL", "name": "get_order", "startTime": "2026-01-01T00:00:02Z", "output": "delivered"}
    asks = generation(input=history, output={"role": "assistant", "content": None, "tool_calls": [call]})
    return {
        "id": "t",
        "observations": [
            asks,
            tool,
            generation(id="h", startTime="2026-01-01T00:00:02Z", input=history, output=answer),
        ],
    }


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("It is delivered. And yes, I've cancelled order 4417, reference RF-7731.", "PASS"),
        ("It is delivered, and I've cancelled order 1818.", "FAIL"),
        ("It is delivered. The reference is RF-8842.", "FAIL"),
    ],
)
def test_what_an_earlier_turn_said_may_be_said_again(read, answer, verdict):
    (trace,) = read("langfuse", [turn(answer)])
    assert judge(trace).verdict == verdict


def test_a_tool_ran_before_the_model_that_begins_in_the_same_moment(read):
    (trace,) = read("langfuse", [turn("It is delivered.")])
    assert [message.role for message in trace.messages][-3:] == ["assistant", "tool", "assistant"]


def test_innermost_spans_are_tools_where_no_call_is_on_record(read):
    span = {
        "id": "s",
        "type": "SPAN",
        "name": "refund",
        "startTime": "2026-01-01T00:00:02Z",
        "input": {"order": 17},
        "output": "ok",
    }
    root = {
        "id": "r",
        "type": "SPAN",
        "name": "handle",
        "startTime": "2026-01-01T00:00:00Z",
        "output": "I've refunded order 17.",
    }
    answers = generation(
        id="h", startTime="2026-01-01T00:00:03Z", input="Refund order 17.", output="I've refunded order 17."
    )
    observations = [root, span | {"parentObservationId": "r"}, answers | {"parentObservationId": "r"}]
    (trace,) = read("langfuse", [{"id": "t", "observations": observations}])
    assert [call.name for message in trace.messages for call in message.tool_calls] == ["refund"]
    assert judge(trace).verdict == "PASS"
