"""Scores a file for each reader by its first bytes."""

import re

__all__ = ["jaeger", "mlflow", "otlp", "phoenix"]

_CERTAIN = 95
_LIKELY = 65
_BOM = b"\xef\xbb\xbf"
_ENVELOPES = (
    (b'"resourceSpans"',),
    (b'"resource_spans"',),
    (b'"batches"', b'"instrumentationLibrarySpans"'),
    (b'"batches"', b'"scopeSpans"'),
    (b'"batches"', b'"scope_spans"'),
)
_OTLP_MARKS = (
    *_ENVELOPES,
    (b'"traceId"', b'"spanId"', b'"startTimeUnixNano"'),
    (b'"trace_id"', b'"span_id"', b'"start_time_unix_nano"'),
    (b'"context"', b'"trace_id"', b'"span_id"', b'"parent_id"', b'"resource"', b'"SpanKind.'),
)
_JAEGER_MARKS = ((b'"traceID"', b'"spanID"', b'"operationName"'),)
_PHOENIX_MARKS = (
    (b'"context"', b'"trace_id"', b'"span_id"', b'"span_kind"'),
    (b'"context.trace_id"', b'"context.span_id"', b'"span_kind"'),
)
_MLFLOW_MARKS = ((b'"spans"', b'"mlflow.', b'"info"'), (b'"spans"', b'"mlflow.span'))
# Attribute names as keys; in OTLP and Jaeger files they are values.
_ATTRIBUTE = rb'"(?:gen_ai\.[a-z_.]{1,60}|openinference\.span\.kind|traceloop\.span\.kind)"\s{0,8}:'
_FAMILIES = ((b'"gen_ai.',), (b'"openinference.',), (b'"traceloop.',))


def otlp(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for the keys of an OTLP document or span, 65 for an object of bare attributes."""
    if not _is_json(head) or phoenix(head, "") or mlflow(head, ""):
        return 0
    if _has(head, _OTLP_MARKS):
        return _CERTAIN
    return _LIKELY if _has(head, _FAMILIES) and re.search(_ATTRIBUTE, head) else 0


def jaeger(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for Jaeger's keys of ids and operation names."""
    return _CERTAIN if _is_json(head) and _has(head, _JAEGER_MARKS) else 0


def phoenix(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for spans with a context and a kind."""
    return _CERTAIN if _is_json(head) and _has(head, _PHOENIX_MARKS) else 0


def mlflow(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for spans with MLflow's own attributes, unless it is an OTLP document."""
    if not _is_json(head) or _has(head, _ENVELOPES):
        return 0
    return _CERTAIN if _has(head, _MLFLOW_MARKS) else 0


def _is_json(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip().startswith((b"{", b"["))


def _has(head: bytes, marks: tuple[tuple[bytes, ...], ...]) -> bool:
    return any(all(mark in head for mark in row) for row in marks)
