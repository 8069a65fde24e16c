"""A run with two retries, a pruning and a tool error: each is a span or an event with its attributes."""

import base64
import stat

import pytest
from google.protobuf import json_format
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from sentinel_agent import events as ev
from sentinel_agent.telemetry import rebuild, spans_of
from sentinel_agent.telemetry.logs import logs_of
from sentinel_core.telemetry import trace_id_of
from sentinel_core.telemetry.data import SpanData
from sentinel_core.telemetry.encode import span_lines
from sentinel_core.trace import from_json

IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}

# What the agent's telemetry is to tell, and the span and attributes in which it does.
ITEMS = {
    "conversation": (
        "invoke_workflow release_risk",
        {"gen_ai.conversation.id": "id1", "gen_ai.operation.name": "invoke_workflow"},
    ),
    "message count": ("invoke_workflow release_risk", {"sentinel.conversation.message_count": 11}),
    "tokens of all": (
        "invoke_workflow release_risk",
        {"gen_ai.usage.input_tokens": 4500, "gen_ai.usage.output_tokens": 200},
    ),
    "agent": ("invoke_agent detective", {"gen_ai.agent.name": "detective", "sentinel.outcome": "completed"}),
    "tool statistics": ("invoke_agent detective", {"sentinel.tool.calls": 4, "sentinel.tool.errors": 2}),
    "cost of all": ("invoke_agent detective", {"operation.cost": 1.25}),
    "message": ("sentinel.message user", {"sentinel.message.role": "user"}),
    "context": (
        "sentinel.context.manage",
        {"sentinel.context.strategy": "truncation", "sentinel.context.window": 2000},
    ),
    "pruning": ("sentinel.context.manage", {"sentinel.context.messages_dropped": 2}),
    "model call": ("chat m-1", {"gen_ai.provider.name": "scripted", "gen_ai.request.model": "m-1"}),
    "temperature": ("chat m-1", {"gen_ai.request.temperature": 0.5, "gen_ai.request.max_tokens": 200}),
    "tokens": ("chat m-1", {"gen_ai.usage.input_tokens": 900, "gen_ai.usage.cache_read.input_tokens": 100}),
    "cost": ("chat m-1", {"operation.cost": 0.25, "gen_ai.response.model": "m-1"}),
    "finish": ("chat m-1", {"gen_ai.response.finish_reasons": ["tool_call"]}),
    "compacted": ("chat m-1", {"gen_ai.conversation.compacted": True}),
    "context state": ("chat m-1", {"sentinel.context.window": 2000}),
    "retries": ("chat m-1", {"sentinel.retry.count": 2}),
    "first attempt": (
        "sentinel.attempt",
        {"sentinel.attempt.number": 1, "error.type": "rate_limit", "http.response.status_code": 429},
    ),
    "what the server asked": ("sentinel.attempt", {"sentinel.retry.after_s": 2.0}),
    "second attempt": (
        "sentinel.attempt",
        {"sentinel.attempt.number": 2, "error.type": "network", "http.request.resend_count": 1},
    ),
    "third attempt": ("sentinel.attempt", {"sentinel.attempt.number": 3, "sentinel.retry.reason": "network"}),
    "back-off": ("sentinel.backoff", {"sentinel.retry.backoff_s": 2.0, "sentinel.retry.reason": "rate_limit"}),
    "tool": (
        "execute_tool weigh",
        {"gen_ai.tool.name": "weigh", "gen_ai.tool.call.id": "c1", "gen_ai.tool.type": "function"},
    ),
    "tool arguments": ("execute_tool weigh", {"gen_ai.tool.call.arguments": '{"sack":"rye"}'}),
    "tool error": ("execute_tool weigh", {"error.type": "ToolExecutionError", "sentinel.tool.success": False}),
}


@pytest.fixture
def path(busy, tmp_path):
    (made,) = rebuild(busy, tmp_path / "state")
    return made


@pytest.mark.parametrize("item", ITEMS)
def test_each_item_is_told(path, spans_in, item):
    name, attributes = ITEMS[item]
    named = [span for span in spans_in(path) if span["name"] == name]
    assert [one for one in named if attributes.items() <= one["attributes"].items()], [
        one["attributes"] for one in named
    ]


def test_two_retries_and_their_order(path, spans_in):
    first = [span["name"] for span in spans_in(path)][4:10]
    assert first == [
        "chat m-1",
        "sentinel.attempt",
        "sentinel.backoff",
        "sentinel.attempt",
        "sentinel.backoff",
        "sentinel.attempt",
    ]


def test_a_call_that_came_through_has_no_error_but_its_attempts_do(path, spans_in):
    spans = spans_in(path)
    (chat, *_) = [span for span in spans if span["name"] == "chat m-1"]
    assert "error.type" not in chat["attributes"]
    assert chat["status"] == {}
    failed = [span for span in spans if span["status"].get("code") == 2]
    assert [span["name"] for span in failed] == [*["sentinel.attempt"] * 2, *["execute_tool weigh"] * 2]


def test_one_tree(path, spans_in, busy):
    spans = spans_in(path)
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == len(spans)
    assert {span["traceId"] for span in spans} == {trace_id_of("id2")} == {path.name.removesuffix(".otlp.jsonl")}
    root, *others = spans
    assert "parentSpanId" not in root
    for span in others:
        parent = by_id[span["parentSpanId"]]
        assert int(parent["startTimeUnixNano"]) <= int(span["startTimeUnixNano"])
        assert int(span["endTimeUnixNano"]) <= int(parent["endTimeUnixNano"])
    attempts = [span for span in spans if span["name"] in ("sentinel.attempt", "sentinel.backoff")]
    assert {by_id[span["parentSpanId"]]["name"] for span in attempts} == {"chat m-1"}


def with_base64(value):
    if isinstance(value, list):
        return [with_base64(one) for one in value]
    if not isinstance(value, dict):
        return value
    for key in IDS.keys() & value.keys():
        assert len(bytes.fromhex(value[key])) == IDS[key]
    return {
        key: base64.b64encode(bytes.fromhex(one)).decode() if key in IDS else with_base64(one)
        for key, one in value.items()
    }


def test_each_line_is_otlp(path):
    state = path.parent.parent
    for folder, kind in (("traces", TracesData), ("logs", LogsData), ("metrics", MetricsData)):
        file = state / folder / path.name
        told = file.read_bytes().splitlines()
        assert told
        for line in told:
            json_format.ParseDict(with_base64(from_json(line)), kind())
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_secrets_are_taken_out(path):
    for file in path.parent.parent.rglob("*.jsonl"):
        assert b"sk-abcdef" not in file.read_bytes()
    assert b"[redacted]" in path.read_bytes()


def test_the_same_events_give_the_same_bytes(busy):
    assert list(span_lines(spans_of(busy))) == list(span_lines(spans_of(busy)))


def test_no_run_no_span():
    assert spans_of([]) == []
    assert spans_of([ev.MessageReceived(content="Hi")]) == []


def test_logs_tell_failures_retries_pruning_and_tools(path, logs_in):
    logs = logs_in(path.parent.parent / "logs" / path.name)
    told = [(log["severityText"], log["body"]["stringValue"]) for log in logs]
    assert ("WARN", "attempt 1 failed: slow down") in told
    assert ("WARN", "waiting 2 s before another attempt: rate_limit") in told
    assert ("INFO", "tool weigh worked") in told
    assert next(text for level, text in told if level == "ERROR").startswith(
        'tool weigh failed: tool "weigh" failed: ValueError'
    )
    assert any(text.endswith("messages left out to fit the context") for _, text in told)
    assert all(log["traceId"] == trace_id_of("id2") and len(log["spanId"]) == 16 for log in logs)
    assert [int(log["timeUnixNano"]) for log in logs] == sorted(int(log["timeUnixNano"]) for log in logs)


def test_one_message_left_out_is_one_message():
    attributes = {"sentinel.context.messages_dropped": 1}
    span = SpanData(
        trace_id="a", span_id="b", parent_id="", name="sentinel.context.manage", start=0, end=1, attributes=attributes
    )
    (log,) = logs_of([span])
    assert log.body == "1 message left out to fit the context"


def test_metrics(path, metrics_in):
    metrics = metrics_in(path.parent.parent / "metrics" / path.name)
    duration = metrics["gen_ai.client.operation.duration"]["histogram"]["dataPoints"]
    assert sum(int(point["count"]) for point in duration) == 5
    assert len(duration[0]["explicitBounds"]) + 1 == len(duration[0]["bucketCounts"]) == 15
    usage = metrics["gen_ai.client.token.usage"]["histogram"]["dataPoints"]
    assert sorted(point["sum"] for point in usage) == [200, 4500]
    tools = metrics["gen_ai.execute_tool.duration"]["histogram"]["dataPoints"]
    assert sorted(int(point["count"]) for point in tools) == [1, 1, 2]
    retries = metrics["sentinel.client.retries"]["sum"]
    assert retries["isMonotonic"]
    assert sum(point["asDouble"] for point in retries["dataPoints"]) == 2
    assert metrics["sentinel.client.cost"]["sum"]["dataPoints"][0]["asDouble"] == 1.25
    assert all(0 < point["max"] <= 1 for point in metrics["sentinel.context.utilization"]["histogram"]["dataPoints"])
