"""OTLP JSON: whole exports, Tempo's two shapes, single spans, bare attributes; camel case and snake case."""

from collections.abc import Iterable, Iterator
from typing import Any

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace
from sentinel_readers_telemetry.gather import read_spans

__all__ = ["read", "spans_in"]

_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_SCOPES = (
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "instrumentation_library_spans",
)
_SPAN_KEYS = frozenset({"spanId", "span_id", "traceId", "trace_id", "context"})
_ATTRIBUTE_ROOTS = ("gen_ai.", "openinference.", "llm.", "traceloop.", "gcp.vertex.agent.", "mlflow.")


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each trace id; bare attributes become a trace named after the source."""
    return read_spans(source, "otlp", spans_in)


def spans_in(value: object) -> Iterable[object] | None:
    """The spans of an export or of Tempo's answer, or the value itself if it is a span; None for anything else."""
    if not isinstance(value, dict):
        return None
    trace = value.get("trace")
    if isinstance(trace, dict):
        value = trace
    for key in _RESOURCES:
        if isinstance(value.get(key), list):
            return _of_resources(value[key])
    if not _SPAN_KEYS.isdisjoint(value):
        return [value]
    if any(key.startswith(_ATTRIBUTE_ROOTS) for key in value):
        return [{"attributes": value}]
    return None


def _of_resources(resources: list[Any]) -> Iterator[object]:
    for resource in resources:
        if not isinstance(resource, dict):
            yield resource
            continue
        for key in _SCOPES:
            scopes = resource.get(key)
            for scope in scopes if isinstance(scopes, list) else ():
                spans = scope.get("spans") if isinstance(scope, dict) else None
                yield from spans if isinstance(spans, list) else ()
