"""Phoenix exports: spans with ``context`` and OpenInference attributes, as a list, JSON Lines, an API answer or table rows."""

from collections.abc import Iterable, Iterator

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace
from sentinel_readers_telemetry.gather import read_spans

__all__ = ["read", "spans_in"]


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each trace id."""
    return read_spans(source, "phoenix", spans_in)


def spans_in(value: object) -> Iterable[object] | None:
    """The spans of an API answer or of one trace, or the value itself if it is a span; None for anything else."""
    if not isinstance(value, dict):
        return None
    for key in ("data", "spans"):
        if isinstance(value.get(key), list):
            return list(value[key])
    return [value] if "context" in value or "context.span_id" in value else None
