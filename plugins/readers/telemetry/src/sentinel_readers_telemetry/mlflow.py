"""MLflow traces as JSON: ``{"info", "data": {"spans"}}`` of every schema version, or rows of a search with ``spans``."""

from collections.abc import Iterable, Iterator
from typing import Any

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace, from_json
from sentinel_core.traces.readers.values import embedded_json
from sentinel_readers_telemetry.gather import read_spans

__all__ = ["read", "spans_in"]

_TRACE_ID = ("trace_id", "request_id")


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each trace id: MLflow's own (``tr-...``) if the file has it."""
    return read_spans(source, "mlflow", spans_in)


def spans_in(value: object) -> Iterable[object] | None:
    """The spans of a trace, under its own id; None for anything else."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("trace"), str):
        value = embedded_json(value["trace"])
    if not isinstance(value, dict):
        return None
    data = value.get("data")
    spans = data.get("spans") if isinstance(data, dict) else value.get("spans")
    if isinstance(spans, str):
        spans = embedded_json(spans)
    if not isinstance(spans, list):
        return None
    info = value.get("info")
    header = info if isinstance(info, dict) else value
    trace_id = next((header[key] for key in _TRACE_ID if isinstance(header.get(key), str)), None)
    return [_with_plain_attributes(span, trace_id) for span in spans]


def _with_plain_attributes(span: Any, trace_id: str | None) -> Any:
    """The span with its attributes decoded: MLflow stores each, even text, as JSON in text."""
    if not isinstance(span, dict):
        return span
    attributes = span.get("attributes")
    if isinstance(attributes, dict):
        attributes = {key: _plain(value) for key, value in attributes.items()}
    context = span.get("context")
    if trace_id and isinstance(context, dict):
        return {**span, "attributes": attributes, "context": {**context, "trace_id": trace_id}, "traceId": trace_id}
    return {**span, "attributes": attributes, **({"traceId": trace_id} if trace_id else {})}


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value[:1] == '"':
        try:
            return from_json(value)
        except ValueError:
            return value
    return value
