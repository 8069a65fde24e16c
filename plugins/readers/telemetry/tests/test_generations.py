"""One run in every spelling and layout must give one and the same trace."""

import pytest
import telemetry_layouts as layouts
import telemetry_samples as samples

from sentinel_core import TokenUsage, evaluate_trace


def told(trace):
    """What a trace says, without where it was found."""
    return [
        (
            message.role,
            message.content,
            [(call.id, call.name, call.arguments) for call in message.tool_calls],
            [(result.tool_call_id, result.content, result.success) for result in message.tool_results],
        )
        for message in trace.messages
    ]


EXPECTED = [
    ("system", samples.SYSTEM, [], []),
    ("user", samples.ASK, [], []),
    (
        "assistant",
        None,
        [("call_a", "get_stock", {"bread": "rye"}), ("call_b", "get_price", {"bread": "rye"})],
        [],
    ),
    ("tool", None, [], [("call_a", samples.STOCK_RESULT, None)]),
    ("tool", None, [], [("call_b", samples.PRICE_RESULT, False)]),
    ("assistant", samples.ANSWER, [], []),
]


def check(trace, source):
    assert told(trace) == EXPECTED
    usage = trace.token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total) == (310, 50, 360)
    assert trace.details.source == source
    assert trace.details.outcome == "completed"
    assert trace.details.children == ()
    assert "reading_gaps" not in trace.metadata


@pytest.mark.parametrize("generation", samples.GENERATIONS)
def test_generations(read, generation):
    [trace] = read("otlp", layouts.otlp(samples.run(generation)))
    check(trace, "otlp")
    assert trace.trace_id == samples.TRACE
    assert trace.metadata == {"conversation_id": "c-7", "otel_span_id": "00000000000000ff"}


@pytest.mark.parametrize("tool", samples.TOOLS)
def test_a_tool_call_of_each_shape_is_read(read, tool):
    [trace] = read("otlp", layouts.otlp(samples.run("openinference", tool)))
    check(trace, "otlp")


@pytest.mark.parametrize("layout", layouts.OTLP_LAYOUTS)
def test_otlp_layouts(read, layout):
    [trace] = read("otlp", layouts.OTLP_LAYOUTS[layout](samples.run()))
    check(trace, "otlp")
    assert trace.trace_id == samples.TRACE


@pytest.mark.parametrize("generation", ["semconv_text", "indexed", "openinference", "adk", "message_events"])
def test_jaeger(read, generation):
    [trace] = read("jaeger", layouts.jaeger(samples.run(generation)))
    check(trace, "jaeger")
    assert trace.trace_id == samples.TRACE


@pytest.mark.parametrize("layout", layouts.PHOENIX_LAYOUTS)
def test_phoenix_layouts(read, layout):
    [trace] = read("phoenix", layouts.PHOENIX_LAYOUTS[layout](samples.run("openinference", "openinference")))
    check(trace, "phoenix")
    assert trace.trace_id == samples.TRACE


@pytest.mark.parametrize("layout", layouts.MLFLOW_LAYOUTS)
def test_mlflow_layouts(read, layout):
    [trace] = read("mlflow", layouts.MLFLOW_LAYOUTS[layout](samples.run("mlflow", "mlflow")))
    check(trace, "mlflow")
    assert trace.trace_id == "tr-1"


def test_where_messages_come_from(read):
    [trace] = read("otlp", layouts.otlp(samples.run()))
    origins = [message.details.origin for message in trace.messages]
    assert origins == [f"span 00000000000000{end}" for end in ("a2", "a2", "a2", "a3", "a4", "a5")]
    asked, answered = trace.messages[2], trace.messages[5]
    assert asked.details.id == "resp-0"
    assert asked.details.model == samples.MODEL
    assert asked.details.usage == TokenUsage(prompt_tokens=120, completion_tokens=30)
    assert asked.details.duration_ms == 1000.0
    assert asked.timestamp == "2026-02-02T02:40:02Z"
    assert answered.details.duration_ms == 2000.0
    assert trace.messages[0].timestamp == "2026-02-02T02:40:01Z"
    assert trace.messages[4].tool_results[0].metadata == {"duration_ms": 1500.0}


def test_a_clean_run_passes_without_findings(read):
    spans = samples.run()
    spans[2] |= {"failed": None, "attributes": samples.TOOLS["semconv"](samples.PRICE, '{"price":3.2}')}
    spans[3]["attributes"]["gen_ai.output.messages"] = samples.dumps(
        [samples.parts_message(("assistant", "There are 4 rye breads left, at 3.2 each.", [], None))]
    )
    [trace] = read("otlp", layouts.otlp(spans))
    report = evaluate_trace(trace)
    assert (report.verdict, report.findings) == ("PASS", ())


def test_two_traces_in_one_file(read):
    data = layouts.otlp(samples.run()) + b"\n" + layouts.otlp(samples.run("indexed"), trace_id="ab" * 16)
    traces = read("otlp", data)
    assert [trace.trace_id for trace in traces] == [samples.TRACE, "ab" * 16]
    assert told(traces[0]) == told(traces[1]) == EXPECTED
