"""Sentinel trace readers for the spans of AI agents: OTLP JSON, Jaeger, Phoenix and MLflow exports.

A file is scored for each reader by its first bytes.
"""

import re
from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl

__all__ = ["sentinel_trace_readers", "sniff_jaeger", "sniff_mlflow", "sniff_otlp", "sniff_phoenix"]

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


def _read_otlp(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.otlp import read

    return read(source)


def _read_jaeger(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.jaeger import read

    return read(source)


def _read_phoenix(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.phoenix import read

    return read(source)


def _read_mlflow(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_telemetry.mlflow import read

    return read(source)


def sniff_otlp(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for the keys of an OTLP document or span, 65 for an object of bare attributes."""
    if not _is_json(head) or sniff_phoenix(head, "") or sniff_mlflow(head, ""):
        return 0
    if _has(head, _OTLP_MARKS):
        return _CERTAIN
    return _LIKELY if _has(head, _FAMILIES) and re.search(_ATTRIBUTE, head) else 0


def sniff_jaeger(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for Jaeger's keys of ids and operation names."""
    return _CERTAIN if _is_json(head) and _has(head, _JAEGER_MARKS) else 0


def sniff_phoenix(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for spans with a context and a kind."""
    return _CERTAIN if _is_json(head) and _has(head, _PHOENIX_MARKS) else 0


def sniff_mlflow(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 for spans with MLflow's own attributes, unless it is an OTLP document."""
    if not _is_json(head) or _has(head, _ENVELOPES):
        return 0
    return _CERTAIN if _has(head, _MLFLOW_MARKS) else 0


def _is_json(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip().startswith((b"{", b"["))


def _has(head: bytes, marks: tuple[tuple[bytes, ...], ...]) -> bool:
    return any(all(mark in head for mark in row) for row in marks)


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The four readers of this package."""
    return [
        TraceReader(
            name="otlp",
            summary="OpenTelemetry spans as OTLP JSON, including Tempo's",
            sniff=sniff_otlp,
            read=_read_otlp,
        ),
        TraceReader(name="jaeger", summary="Jaeger traces as JSON", sniff=sniff_jaeger, read=_read_jaeger),
        TraceReader(
            name="phoenix", summary="Phoenix exports of OpenInference spans", sniff=sniff_phoenix, read=_read_phoenix
        ),
        TraceReader(name="mlflow", summary="MLflow traces as JSON", sniff=sniff_mlflow, read=_read_mlflow),
    ]
