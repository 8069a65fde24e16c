"""Converts OTLP protobuf to spans with plain attributes, which the OTLP reader also accepts."""

import base64
from typing import Any

__all__ = ["messages_in", "plain_span"]

_DEEPEST = 64


def messages_in(body: bytes) -> list[Any]:
    """Every span of an export request, as a message. Raises ``google.protobuf.message.DecodeError``."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest.FromString(body)
    return [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]


def plain_span(span: Any) -> dict[str, Any]:
    """One span with plain attributes."""
    return {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "startTimeUnixNano": span.start_time_unix_nano,
        "endTimeUnixNano": span.end_time_unix_nano,
        "attributes": _attributes(span.attributes),
        "events": [{"name": event.name, "attributes": _attributes(event.attributes)} for event in span.events],
        "status": {"code": span.status.code, "message": span.status.message},
    }


def _attributes(pairs: Any, depth: int = 0) -> dict[str, Any]:
    return {pair.key: _value(pair.value, depth) for pair in pairs}


def _value(value: Any, depth: int) -> Any:
    kind = value.WhichOneof("value")
    if kind is None or depth > _DEEPEST:
        return None
    held = getattr(value, kind)
    if kind == "array_value":
        return [_value(inner, depth + 1) for inner in held.values]
    if kind == "kvlist_value":
        return _attributes(held.values, depth + 1)
    if kind == "bytes_value":
        return base64.b64encode(held).decode()
    return held
