"""Replies out of bytes: one JSON document, a stream of server-sent events, or a stream of JSON lines."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sentinel_core.errors import ProviderError

if TYPE_CHECKING:
    import httpx2

__all__ = ["document_of", "events_of", "is_event_stream", "lines_of", "text_or_empty"]

_SHOWN = 80
_half_character = re.compile(rb"\\u[dD][89a-fA-F]")


def document_of(response: "httpx2.Response", who: str) -> dict[str, Any]:
    """The JSON object that is the whole body. Raises ``ProviderError`` where it is none; the same request may do better."""
    return _object(response.read(), who)


def is_event_stream(response: "httpx2.Response") -> bool:
    """True for a body of server-sent events; a server may answer with one document though a stream was asked for."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/event-stream"


def events_of(response: "httpx2.Response", who: str) -> Iterator[dict[str, Any]]:
    """The JSON object of each event; ``[DONE]`` ends the stream, and so does its last byte."""
    import httpx2

    for event in httpx2.EventSource(response, max_event_size=None):
        if event.data.strip() == "[DONE]":
            return
        if event.data:
            yield _object(event.data.encode("utf-8", "replace"), who)


def lines_of(response: "httpx2.Response", who: str) -> Iterator[dict[str, Any]]:
    """The JSON object of each line."""
    for line in response.iter_lines():
        if line.strip():
            yield _object(line.encode("utf-8", "replace"), who)


def text_or_empty(text: object) -> str:
    """The text; empty for what is none."""
    return text if isinstance(text, str) else ""


def _object(data: bytes, who: str) -> dict[str, Any]:
    """Python's own parser, because a NaN among the token counts must not cost the whole reply."""
    try:
        value = json.loads(data)
        if _half_character.search(data):  # half of a pair cannot be written again, anywhere
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise ProviderError(f"{who} sent {_called(data)} instead of JSON", retryable=True) from None
    if not isinstance(value, dict):
        raise ProviderError(f"{who} sent a JSON {type(value).__name__} instead of an object", retryable=True)
    return value


def _called(data: bytes) -> str:
    start = data[:_SHOWN].decode("utf-8", "replace").strip()
    if not start:
        return "an empty reply"
    return "an HTML page" if start.startswith("<") else f"a reply that begins with {start!r}"
