"""OTLP JSON in its file format: hexadecimal ids, 64-bit integers as text, enums as numbers, one document per line.

https://opentelemetry.io/docs/specs/otel/protocol/file-exporter and .../otlp/#json-protobuf-encoding.
"""

import bisect
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from sentinel_core._version import __version__
from sentinel_core.telemetry.data import Attribute, Attributes, LogData, MetricData, Point, SpanData

__all__ = ["is_disabled", "is_json_line", "log_lines", "metric_lines", "span_lines"]

_SCHEMA = "https://opentelemetry.io/schemas/1.37.0"
_DELTA = 1
_STATUS_ERROR = 2
_SEVERITIES = {5: "DEBUG", 9: "INFO", 13: "WARN", 17: "ERROR"}
_encode = msgspec.json.Encoder().encode


def is_disabled() -> bool:
    """Whether OpenTelemetry's own switch, ``OTEL_SDK_DISABLED``, is on."""
    return os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"


def span_lines(spans: Iterable[SpanData], scope: str = "sentinel") -> Iterator[bytes]:
    """One line per span; ``scope`` is the name of the instrumentation scope."""
    return _lines(spans, "resourceSpans", "scopeSpans", "spans", _span, scope)


def log_lines(logs: Iterable[LogData]) -> Iterator[bytes]:
    """One line per record."""
    return _lines(logs, "resourceLogs", "scopeLogs", "logRecords", _log)


def metric_lines(metrics: Iterable[MetricData]) -> Iterator[bytes]:
    """One line per metric. Values are those of one run: the temporality is delta."""
    return _lines(metrics, "resourceMetrics", "scopeMetrics", "metrics", _metric)


def _lines(
    values: Iterable[Any],
    resources: str,
    scopes: str,
    leaf: str,
    encoded: Callable[[Any], dict[str, Any]],
    name: str = "sentinel",
) -> Iterator[bytes]:
    resource, scope = msgspec.Raw(_encode(_resource())), {"name": name, "version": __version__}
    for value in values:
        inner = {"scope": scope, leaf: [encoded(value)], "schemaUrl": _SCHEMA}
        yield _encode({resources: [{"resource": resource, scopes: [inner], "schemaUrl": _SCHEMA}]}) + b"\n"


def _span(span: SpanData) -> dict[str, Any]:
    found: dict[str, Any] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
        "status": {"code": _STATUS_ERROR, "message": span.problem} if span.failed else {},
    }
    if span.parent_id:
        found["parentSpanId"] = span.parent_id
    if span.events:
        found["events"] = [
            {"name": event.name, "timeUnixNano": str(event.time), "attributes": _attributes(event.attributes)}
            for event in span.events
        ]
    return found


def _log(log: LogData) -> dict[str, Any]:
    found: dict[str, Any] = {
        "timeUnixNano": str(log.time),
        "observedTimeUnixNano": str(log.time),
        "severityNumber": log.severity,
        "severityText": _SEVERITIES[log.severity],
        "body": {"stringValue": log.body},
        "attributes": _attributes(log.attributes),
    }
    optional = {"traceId": log.trace_id, "spanId": log.span_id, "eventName": log.event_name}
    return {**found, **{key: value for key, value in optional.items() if value}}


def _metric(metric: MetricData) -> dict[str, Any]:
    times = {"startTimeUnixNano": str(metric.start), "timeUnixNano": str(metric.end)}
    head = {"name": metric.name, "unit": metric.unit, "description": metric.description}
    if metric.bounds:
        points = [{**times, **_histogram_point(point, metric.bounds)} for point in metric.points]
        return {**head, "histogram": {"dataPoints": points, "aggregationTemporality": _DELTA}}
    sums = [
        {**times, "attributes": _attributes(point.attributes), "asDouble": math.fsum(point.values)}
        for point in metric.points
    ]
    return {**head, "sum": {"dataPoints": sums, "aggregationTemporality": _DELTA, "isMonotonic": True}}


def _histogram_point(point: Point, bounds: tuple[float, ...]) -> dict[str, Any]:
    counts = [0] * (len(bounds) + 1)
    for value in point.values:
        counts[bisect.bisect_left(bounds, value)] += 1
    return {
        "attributes": _attributes(point.attributes),
        "count": str(len(point.values)),
        "sum": math.fsum(point.values),
        "min": min(point.values),
        "max": max(point.values),
        "bucketCounts": list(map(str, counts)),
        "explicitBounds": list(bounds),
    }


def _attributes(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": key, "value": _any_value(value)} for key, value in attributes.items()]


def _any_value(value: Attribute) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"arrayValue": {"values": [{"stringValue": item} for item in value]}}


def _resource() -> dict[str, Any]:
    """The sender: as ``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME`` say, else "sentinel"."""
    attributes: dict[str, Attribute] = {"service.name": "sentinel", "service.version": __version__}
    if more := os.environ.get("OTEL_RESOURCE_ATTRIBUTES"):
        attributes.update(_resource_attributes(more))
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        attributes["service.name"] = name
    return {"attributes": _attributes(attributes)}


def _resource_attributes(text: str) -> Iterator[tuple[str, str]]:
    from urllib.parse import unquote

    for pair in text.split(","):
        key, sign, value = pair.partition("=")
        if sign and key.strip():
            yield key.strip(), unquote(value.strip())


def is_json_line(line: bytes) -> bool:
    """Whether this is a whole line of JSON, with its newline."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return line.endswith(b"\n")
