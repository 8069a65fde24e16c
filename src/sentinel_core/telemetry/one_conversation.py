"""Gives all traces of a conversation one id, so that a reader returns one trace."""

from typing import Any

from sentinel_core.trace import from_json, to_json

__all__ = ["renamed"]


def renamed(document: bytes, trace_id: str) -> bytes:
    """The OTLP document, in JSON, with all its spans in the trace ``trace_id``."""
    found: dict[str, Any] = from_json(document)
    for resource in found["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span["traceId"] = trace_id
    return to_json(found)
