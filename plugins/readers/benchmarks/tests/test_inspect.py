import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel_core import ReadError, TraceReader
from sentinel_core.testing import TraceReaderContract
from sentinel_readers_benchmarks import sentinel_trace_readers
from sentinel_readers_benchmarks.inspect_pool import Attachments, Unseen, ranges

HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "dig", "run_id": "r", "eval_id": "e", "model": "lab/m"},
}
USAGE = {
    "input_tokens": 100,
    "output_tokens": 10,
    "total_tokens": 140,
    "input_tokens_cache_read": 30,
    "total_cost": 0.5,
}


def call(call_id, function, **arguments):
    return {"id": call_id, "function": function, "arguments": arguments, "type": "function"}


def said(message_id, content="", *calls):
    return {"id": message_id, "role": "assistant", "content": content, "tool_calls": list(calls), "model": "m-1"}


def model(message, span_id, usage=None, **more):
    output = {"model": "m-1", "choices": [{"message": message, "stop_reason": "stop"}], "usage": usage}
    return {
        "event": "model",
        "model": "lab/m",
        "span_id": span_id,
        "input": [],
        "output": output,
        "working_time": 0.5,
        **more,
    }


def span(span_id, parent_id, kind, name="n"):
    return {"event": "span_begin", "id": span_id, "parent_id": parent_id, "type": kind, "name": name}


FIRST = said("a1", "I dig twice.", call("t1", "dig", deep=2), call("t2", "dig", deep=9))
LAST = said("a2", [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "There is gold."}])
GRADE = said("g1", "GRADE: C")
MESSAGES = [
    {"id": "s1", "role": "system", "content": "attachment://h1"},
    {"id": "u1", "role": "user", "content": "Dig."},
    FIRST,
    {"id": "r1", "role": "tool", "tool_call_id": "t1", "function": "dig", "content": [{"type": "text", "text": "gold"}]},
    {
        "id": "r2", "role": "tool", "tool_call_id": "t2", "function": "dig", "content": "",
        "error": {"type": "timeout", "message": "Command timed out"},
    },
    LAST,
]  # fmt: skip
SAMPLE = {
    "id": 1,
    "epoch": 2,
    "input": "Dig.",
    "messages": MESSAGES,
    "output": {},
    "scores": {"match": {"value": "C"}},
    "attachments": {"h1": "You dig."},
    "uuid": "sample-uuid",
    "events": [
        span("solvers", None, "solvers"),
        span("main", "solvers", "agent", "react"),
        model(FIRST, "main", USAGE, completed="2026-01-01T00:00:05Z", tools=[{"name": "dig", "parameters": {"type": "object"}}]),
        span("tool-1", "main", "tool", "dig"),
        {
            "event": "tool", "id": "t1", "span_id": "tool-1", "function": "dig", "arguments": {}, "working_time": 1.5,
            "timestamp": "2026-01-01T00:00:06Z", "completed": "2026-01-01T00:00:08Z",
        },
        model(LAST, "main", {"input_tokens": 150, "output_tokens": 5, "total_tokens": 155}),
        span("scorers", None, "scorers"),
        span("scorer", "scorers", "scorer"),
        model(GRADE, "scorer", {"input_tokens": 5000, "output_tokens": 500, "total_tokens": 5500}),
    ],
    "model_usage": {"lab/m": {"input_tokens": 5250, "output_tokens": 515, "total_tokens": 5795}},
}  # fmt: skip
ASK = said("a1", "", call("t1", "helper", question="x"))
INNER = [{"id": "i1", "role": "user", "content": "attachment://h1"}, said("i2", "x is 7.")]
POOLED = {
    "id": "two",
    "epoch": 1,
    "messages": [
        {"id": "u1", "role": "user", "content": "Ask."}, ASK,
        {"id": "r1", "role": "tool", "tool_call_id": "t1", "content": "x is 7."}, said("a2", "It is 7."),
    ],
    "attachments": {"h1": "What is x?"},
    "events_data": {"messages": [{"id": "u1", "role": "user", "content": "Ask."}, INNER[0]], "calls": []},
    "events": [
        span("main", None, "agent"),
        model(ASK, "main", USAGE, input_refs=[[0, 1]]),
        span("tool", "main", "tool", "helper"),
        span("sub", "tool", "agent", "helper"),
        model(INNER[1], "sub", {"input_tokens": 7, "output_tokens": 3}, input_refs=[[1, 2]]),
        {"event": "tool", "id": "t1", "span_id": "tool", "agent_span_id": "sub"},
        model(said("a2", "It is 7."), "main", {"input_tokens": 8, "output_tokens": 2}, cache="read"),
    ],
}  # fmt: skip


def log(*samples, **more):
    return {**HEADER, "samples": list(samples), **more}


def archive(samples, header=HEADER, journal=None):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        if journal is not None:
            file.writestr("_journal/start.json", json.dumps(journal))
        for name, sample in samples.items():
            file.writestr(f"samples/{name}.json", sample if isinstance(sample, bytes) else json.dumps(sample))
        if header is not None:
            file.writestr("header.json", json.dumps(header))
    return data.getvalue()


class TestInspectJson(TraceReaderContract):
    def make(self) -> TraceReader:
        return {reader.name: reader for reader in sentinel_trace_readers()}["inspect"]

    def sample(self) -> bytes:
        return json.dumps(log(SAMPLE, POOLED)).encode()

    def filename(self) -> str:
        return "log.json"


class TestInspectEval(TestInspectJson):
    def sample(self) -> bytes:
        return archive({"1_epoch_2": SAMPLE, "two_epoch_1": POOLED})

    def filename(self) -> str:
        return "log.eval"


def test_every_field(tools):
    trace = tools.one("inspect", archive({"1_epoch_2": SAMPLE}), "log.eval")
    assert trace.trace_id == "sample-uuid"
    assert [(message.role, message.content) for message in trace.messages] == [
        ("system", "You dig."), ("user", "Dig."), ("assistant", "I dig twice."), ("tool", None), ("tool", None),
        ("assistant", "There is gold."),
    ]  # fmt: skip
    first, good, bad, last = trace.messages[2:]
    assert [(asked.id, asked.name, asked.arguments) for asked in first.tool_calls] == [
        ("t1", "dig", {"deep": 2}),
        ("t2", "dig", {"deep": 9}),
    ]
    assert (first.timestamp, first.tool_calls[0].timestamp, good.timestamp) == (
        "2026-01-01T00:00:05Z", "2026-01-01T00:00:06Z", "2026-01-01T00:00:08Z",
    )  # fmt: skip
    assert (first.details.cost_usd, first.details.duration_ms, good.details.duration_ms) == (0.5, 500, 1500)
    assert (good.tool_results[0].content, good.tool_results[0].success) == ("gold", None)
    failed = bad.tool_results[0]
    assert (failed.content, failed.success, failed.metadata) == ("Command timed out", False, {"error_type": "timeout"})
    assert (last.details.reasoning, last.details.model, last.details.id) == ("hm", "m-1", "a2")
    assert last.details.origin == "samples/1_epoch_2.json $.messages[5]"
    assert trace.details.outcome == "completed"
    assert [tool.name for tool in trace.details.available_tools] == ["dig"]
    assert trace.metadata == {
        "task": "dig", "run_id": "r", "model": "lab/m", "sample_id": 1, "epoch": 2, "scores": {"match": "C"},
    }  # fmt: skip


def test_graders_are_not_the_agent_and_cached_tokens_are_read_too(tools):
    usage = tools.one("inspect", log(SAMPLE)).token_usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.details.cached_tokens) == (280, 15, 30)


def test_without_events_the_tokens_by_model_count(tools):
    usage = tools.one("inspect", log({**SAMPLE, "events": []})).token_usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (5250, 515)


def test_graders_of_logs_without_spans_are_marked_by_steps(tools):
    events = [
        model(LAST, None, {"input_tokens": 150, "output_tokens": 5}),
        {"event": "step", "action": "begin", "type": "scorer", "name": "match"},
        model(GRADE, None, {"input_tokens": 5000, "output_tokens": 500}),
        {"event": "step", "action": "end", "type": "scorer", "name": "match"},
        model(said("x"), None, {"input_tokens": 1, "output_tokens": 1}),
    ]
    assert tools.one("inspect", log({**SAMPLE, "events": events})).token_usage.prompt_tokens == 151


def test_a_pooled_sub_agent_is_a_child(tools):
    trace = tools.one("inspect", log(POOLED), "log.json")
    assert trace.trace_id == "log/1"
    assert trace.token_usage.prompt_tokens == 130
    (child,) = trace.details.children
    assert (child.trace_id, child.details.parent_call_id, child.metadata) == ("log/1/1", "t1", {"agent": "helper"})
    assert [message.content for message in child.messages] == ["What is x?", "x is 7."]
    assert child.token_usage.prompt_tokens == 7
    assert child.messages[1].details.origin == "$.samples[0] span sub[1]"
    assert tools.findings(trace) == []


def test_a_handoff_speaks_in_the_conversation_and_is_no_child(tools):
    messages = [*POOLED["messages"], *INNER]
    trace = tools.one("inspect", log({**POOLED, "messages": messages}))
    assert trace.details.children == ()
    assert trace.token_usage.prompt_tokens == 137


def test_a_conversation_that_only_events_tell(tools):
    trace = tools.one("inspect", log({**POOLED, "messages": []}))
    assert [message.content for message in trace.messages] == ["Ask.", None, "It is 7."]


def test_server_side_tools_bring_their_result(tools):
    use = {
        "type": "tool_use",
        "tool_type": "web_search",
        "id": "w1",
        "name": "web_search",
        "arguments": '{"q": 1}',
        "result": "hit",
    }
    broken = {**use, "id": "w2", "result": "", "error": "no net"}
    message = said("a1", [use, broken, {"type": "text", "text": "It hit."}])
    trace = tools.one("inspect", log({"messages": [message]}))
    (answered,) = trace.messages
    assert [asked.arguments for asked in answered.tool_calls] == [{"q": 1}, {"q": 1}]
    assert [(result.tool_call_id, result.content, result.success) for result in answered.tool_results] == [
        ("w1", "hit", True),
        ("w2", "no net", False),
    ]


def test_arguments_that_did_not_parse(tools):
    broken = {**call("t1", "dig"), "parse_error": "Error parsing: {oops"}
    trace = tools.one("inspect", log({"messages": [said("a1", "", broken)]}))
    assert trace.messages[0].tool_calls[0].details.raw_arguments == "Error parsing: {oops"


def test_a_score_that_is_no_number_costs_nothing(tools):
    data = json.dumps({**SAMPLE, "scores": {"a": {"value": float("nan")}, "b": {"value": -float("inf")}}})
    data = data.replace("I dig twice.", 'NaN, \\"NaN\\": -Infinity')
    trace = tools.one("inspect", archive({"1_epoch_1": data.encode()}), "log.eval")
    assert trace.messages[2].content == 'NaN, "NaN": -Infinity'
    assert trace.metadata["scores"] == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"limit": {"type": "message", "limit": 5}}, "max_turns"),
        ({"limit": {"type": "time", "limit": 5}}, "timeout"),
        ({"limit": {"type": "token", "limit": 5}}, "token_limit"),
        ({"error": {"message": "CancelledError()"}}, "cancelled"),
        ({"error": {"message": "boom"}}, "error"),
    ],
)
def test_the_end_of_a_run_gives_the_outcome(tools, more, outcome):
    assert tools.one("inspect", log({**SAMPLE, **more})).details.outcome == outcome


def test_an_unfinished_log_has_a_journal(tools):
    data = archive({"1_epoch_2": {**SAMPLE, "scores": None}}, header=None, journal={**HEADER, "status": "started"})
    trace = tools.one("inspect", data, "log.eval")
    assert (trace.metadata["task"], trace.details.outcome) == ("dig", None)


def test_a_bad_sample_costs_no_other(tools):
    first, second, third = tools.read("inspect", archive({"a": b'{"id', "b": SAMPLE, "c": [1]}), "log.eval")
    assert first.message.startswith("samples/a.json: is not JSON")
    assert second.trace_id == "sample-uuid"
    assert third == ReadError(message="samples/c.json: expected an object at $")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04 no zip", "is not a complete zip file"),
        (archive({}), "contains no samples"),
        (b'{"version": 2}', "expected a list of samples at $.samples"),
        (b'{"samples": [4]}', "expected an object at $.samples[0]"),
        (b"NaN", "expected a list of samples"),
    ],
)
def test_what_is_no_log_is_refused(tools, data, message):
    (error,) = tools.read("inspect", data)
    assert error.message.startswith(message)


def test_what_could_not_be_used_is_counted(tools):
    messages = [*MESSAGES, 3, {"id": "x", "role": "user", "content": "attachment://gone"}]
    gaps = tools.one("inspect", log({**SAMPLE, "messages": messages, "events": [5]})).metadata["reading_gaps"]
    assert gaps == [
        "1 message could not be read: 6",
        "1 attachment is missing from the log",
        "1 event could not be read",
    ]


def test_spans_may_be_deep_or_in_circles(tools):
    deep = [span(str(n), str(n - 1), "tool" if n % 2 else "agent") for n in range(4_000)]
    circle = [span("p", "q", "agent"), span("q", "p", "agent"), span("q", "q", "tool")]
    spoken = [model(said(f"m{n}", "x"), str(n), {"input_tokens": 1, "output_tokens": 1}) for n in range(0, 4_000, 2)]
    trace = tools.one("inspect", log({**SAMPLE, "events": deep + circle + spoken}))
    depth, tokens = 0, trace.token_usage.prompt_tokens
    while trace.details.children:
        (trace,) = trace.details.children
        depth, tokens = depth + 1, tokens + trace.token_usage.prompt_tokens
    assert (depth, tokens) == (24, 2_000)


def test_ranges_that_repeat_are_read_once(tools):
    pool = [{"id": f"p{n}", "role": "user", "content": "x"} for n in range(3000)]
    events = [model(said(f"m{n}", "y"), None, input_refs=[[0, 10**12], [-5, n], "x"]) for n in range(3000)]
    sample = {"events": events, "events_data": {"messages": pool}}
    assert len(tools.one("inspect", log(sample)).messages) == 6000


def test_unseen_gives_each_position_once():
    unseen = Unseen()
    assert list(unseen.take(3, 6)) == [3, 4, 5]
    assert list(unseen.take(0, 9)) == [0, 1, 2, 6, 7, 8]
    assert list(unseen.take(0, 9)) == []
    assert list(ranges([[1, 99], [-4, 2], [1], "x", [True, 2]], 5)) == [(1, 5), (0, 2)]


def test_attachments_have_a_budget():
    many = ["attachment://big"] * 257
    attachments = Attachments({"big": "x" * (1 << 20)})
    assert attachments.resolved(many)[255:] == ["x" * (1 << 20), "attachment://big"]
    assert attachments.gaps() == ["1 attachment would make the sample larger than 256 MB"]


@given(st.data())
@settings(max_examples=100)
def test_mutated_bytes_do_not_raise(tools, data):
    sample = json.dumps(log(SAMPLE, POOLED)).encode()
    tools.survives("inspect", tools.mutated(data.draw, sample))


@given(st.data())
@settings(max_examples=100)
def test_mutated_archives_do_not_raise(tools, data):
    inner = tools.mutated(data.draw, json.dumps(POOLED).encode())
    whole = archive({"a": inner, "b": SAMPLE})
    start = data.draw(st.integers(0, len(whole)))
    cut = whole[:start] + data.draw(st.binary(max_size=3)) + whole[start + data.draw(st.integers(0, 3)) :]
    tools.survives("inspect", data.draw(st.sampled_from([whole, cut])), "log.eval")
