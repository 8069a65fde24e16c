"""Files that are cut, wrong or hostile."""

import json

import pytest
import telemetry_layouts as layouts
import telemetry_samples as samples
from telemetry_spans import agent, chat, one_trace, says, texts, tool, user

from sentinel_core import ReadError
from sentinel_core.testing import work_of


def test_a_cut_last_line_is_told(read):
    lines = layouts.OTLP_LAYOUTS["lines_of_spans"](samples.run()).splitlines()
    [trace] = read("otlp", b"\n".join([*lines[:-1], lines[-1][:100]]))
    assert trace.metadata["reading_gaps"] == ["records that are not JSON: 1 (line 6)"]
    assert len(trace.messages) == 6


def test_a_lost_model_call_costs_no_other(read):
    lines = layouts.OTLP_LAYOUTS["lines_of_spans"](samples.run()).splitlines()
    [trace] = read("otlp", b"\n".join([*lines[1:], lines[0][:100]]))
    assert trace.metadata["reading_gaps"] == ["records that are not JSON: 1 (line 6)"]
    assert [call.id for message in trace.messages for call in message.tool_calls] == ["call_a", "call_b"]
    assert texts(trace) == [samples.SYSTEM, samples.ASK, samples.ANSWER]
    assert trace.token_usage.total == 210


def test_records_without_spans_are_told(read):
    data = layouts.otlp(samples.run()) + b'\n{"resourceMetrics":[]}\n[1]\n' + b'{"a":1}\n' * 6
    [trace] = read("otlp", data)
    assert trace.metadata["reading_gaps"] == [
        "records without spans: 8 (line 2, line 3, line 4, line 5, line 6 and 3 more)"
    ]


def test_spans_that_are_none_and_spans_sent_twice_are_told(read):
    document = json.loads(layouts.otlp(samples.run()))
    spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans += [7, spans[0], None, {**spans[1], "attributes": []}]
    [trace] = read("otlp", samples.dumps(document).encode())
    assert trace.metadata["reading_gaps"] == [
        "spans that are not objects: 2",
        "spans sent again with different content; the last one counts: 1",
    ]
    assert trace.metadata["reading_notes"] == ["spans sent more than once; the last one counts: 1"]
    assert len(trace.messages) == 6


def test_spans_of_no_agent_are_an_error_that_says_so(read):
    spans = [samples.span("01", "", "GET /", (0, 1), {"http.method": "GET"})]
    assert read("otlp", layouts.otlp(spans)) == [
        ReadError(message="contains no span of a model call, a tool or an agent (spans: 1)")
    ]


def test_a_file_of_another_format_is_told(read):
    native = b'{"trace_id": "t", "messages": [{"role": "user", "content": "Hello?"}]}'
    assert read("otlp", native) == [
        ReadError(message='does not look like "otlp": nothing in it has a span\'s id or start')
    ]


def test_traces_of_no_agent_beside_one_are_told(read):
    web = [samples.span("01", "", "GET /", (0, 1), {"http.method": "GET"})]
    data = layouts.otlp(web, trace_id="cd" * 16) + b"\n" + layouts.otlp(samples.run())
    [trace] = read("otlp", data)
    assert trace.metadata["reading_notes"] == ["traces without an agent: 1"]


def test_an_agent_of_which_nothing_was_recorded_is_an_error(read):
    assert read("otlp", layouts.otlp([agent("01", "", (0, 1))])) == [
        ReadError(message="contains no message, call or result of its agent")
    ]


def test_of_several_traces_an_error_names_its_own(read):
    data = layouts.otlp([agent("01", "", (0, 1))]) + b"\n" + layouts.otlp(samples.run(), trace_id="cd" * 16)
    [error, _] = read("otlp", data)
    assert error == ReadError(message=f'trace "{samples.TRACE}" contains no message, call or result of its agent')


@pytest.mark.parametrize("reader", ["otlp", "jaeger", "phoenix", "mlflow"])
def test_what_is_not_json_is_an_error_with_its_line(read, reader):
    errors = read(reader, b'{"traceId": \n{"spanId"\n')
    assert errors
    assert all(isinstance(error, ReadError) and error.message for error in errors)


@pytest.mark.parametrize("reader", ["otlp", "jaeger", "phoenix", "mlflow"])
@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]", b"7", b'{"data": []}', b'{"resourceSpans": []}'])
def test_nothing_gives_no_trace(read, reader, data):
    assert all(isinstance(outcome, ReadError) for outcome in read(reader, data))


def test_spans_without_ids_or_times_keep_their_order(read):
    lines = [
        {"traceId": "t", "spanId": "", "attributes": {"openinference.span.kind": "LLM", "output.value": text}}
        for text in ("one", "two", "three")
    ]
    [trace] = read("otlp", "\n".join(map(samples.dumps, lines)).encode())
    assert texts(trace) == ["one", "two", "three"]


def ring(size):
    return [chat(f"{n:04x}", f"{(n + 1) % size:04x}", (n, n + 1), None, says(str(n))) for n in range(size)]


def test_spans_in_a_ring(read):
    inner = one_trace(
        read, [agent("01", "02", (0, 5)), agent("02", "01", (1, 4)), chat("03", "02", (2, 3), None, says("Hi"))]
    )
    assert texts(inner) == ["Hi"]
    assert len(one_trace(read, ring(5)).messages) >= 1


def test_a_span_that_is_its_own_parent(read):
    assert texts(one_trace(read, [chat("01", "01", (0, 1), None, says("Hi"))])) == ["Hi"]


def chain(length, make):
    spans = [make(f"{n:08x}", f"{n - 1:08x}" if n else "", (n / 1e4, 9)) for n in range(length)]
    last = chat("ffffffff", f"{length - 1:08x}", (8, 9), [user("Hi")], says("Hello"), usage=(1, 1))
    return layouts.otlp([*spans, last])


@pytest.mark.parametrize("make", [agent, lambda i, p, s: chat(i, p, s, None, None)])
def test_a_chain_of_many_spans(read, make):
    short, long = chain(100, make), chain(800, make)
    assert work_of(lambda: read("otlp", long)) < 10 * work_of(lambda: read("otlp", short))
    [trace] = read("otlp", chain(4_000, make))
    assert texts(trace) == ["Hi", "Hello"]
    assert trace.token_usage.total == 2


def test_agents_of_agents_nest_so_deep_and_no_deeper(read):
    spans = []
    for n in range(60):
        call = {"id": f"c{n}", "name": f"ask_{n}", "arguments": {}}
        spans.append(chat(f"{n:04x}a", f"{n - 1:04x}b" if n else "", (n, 99), None, says(None, call)))
        spans.append(tool(f"{n:04x}b", f"{n:04x}a", (n + 0.5, 99), call, "fine"))
    trace, depth = one_trace(read, spans), 0
    while trace.details.children:
        [trace] = trace.details.children
        depth += 1
    assert depth == 16


def test_a_key_of_very_many_parts_and_a_very_long_number(read):
    line = {
        "traceId": "t",
        "spanId": "s",
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "Hi",
            "llm.input_messages.0" + ".a" * 30_000: 1,
            "llm.input_messages." + "9" * 6_000 + ".message.content": "far",
            "llm.input_messages.²": 1,
            "gen_ai.usage.input_tokens": "9" * 30,
            "gen_ai.usage.output_tokens": 3,
        },
    }
    [trace] = read("otlp", samples.dumps(line).encode())
    assert texts(trace) == ["Hi"]
    assert (trace.token_usage.prompt_tokens, trace.token_usage.completion_tokens) == (0, 3)


def test_work_grows_with_the_number_of_calls(read):
    """Every model call is sent a message of its own, as with servers that keep the history."""

    def calls(count):
        return layouts.otlp([chat(f"{n:06x}", "", (n, n + 0.5), [user(f"Q{n}")], says(f"A{n}")) for n in range(count)])

    few, many = calls(60), calls(480)
    [trace] = read("otlp", many)
    assert len(trace.messages) == 960
    assert work_of(lambda: read("otlp", many)) < 10 * work_of(lambda: read("otlp", few))
