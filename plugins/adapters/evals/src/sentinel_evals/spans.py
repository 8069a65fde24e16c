"""Spans that a tool holds in objects of its own, written as a document that the reader of Phoenix's exports reads."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

__all__ = ["span"]


def span(
    name: str,
    *,
    ids: tuple[str, str, str | None],
    times: tuple[datetime, datetime],
    status: str,
    attributes: Mapping[str, Any],
) -> dict[str, Any]:
    """One span; ``ids`` are those of the trace, the span and its parent, ``status`` is ``OK``, ``ERROR`` or ``UNSET``."""
    trace_id, span_id, parent_id = ids
    start, end = times
    return {
        "name": name,
        "context": {"trace_id": trace_id, "span_id": span_id},
        "parent_id": parent_id,
        "start_time": start.isoformat(),
        "end_time": end.isoformat(),
        "status_code": status,
        "attributes": dict(attributes),
    }
