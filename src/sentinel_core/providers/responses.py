"""Replies parsed from bytes: one JSON document, a stream of server-sent events, or a stream of JSON lines."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sentinel_core.errors import ProviderError
from sentinel_core.model import Reply

if TYPE_CHECKING:
    import httpx2

__all__ = ["document_of", "lines_of", "reply_in", "text_or_empty"]

OnText = Callable[[str], None]

_SHOWN = 80
_half_character = re.compile(rb"\\u[dD][89a-fA-F]")


def document_of(response: "httpx2.Response", who: str) -> dict[str, Any]:
    """The body as a JSON object. Raises a retryable ``ProviderError`` if it is not one."""
    return _object(response.read(), who)


def _is_event_stream(response: "httpx2.Response") -> bool:
    """True for a body of server-sent events; a server may answer with one document though a stream was asked for."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/event-stream"


def _events_of(response: "httpx2.Response", who: str) -> Iterator[dict[str, Any]]:
    """The JSON object of each event, up to ``[DONE]`` or the end of the stream."""
    import httpx2

    for event in httpx2.EventSource(response, max_event_size=None):
        if event.data.strip() == "[DONE]":
            return
        if event.data:
            yield _object(event.data.encode("utf-8", "replace"), who)


def reply_in(
    response: "httpx2.Response",
    who: str,
    on_text: OnText | None,
    *,
    whole: Callable[[Mapping[str, Any], str], Reply],
    gather: Callable[[Iterator[dict[str, Any]], str, OnText], Mapping[str, Any]],
) -> Reply:
    """The reply in a response: from events if a stream was asked for and sent, else from one document.

    ``whole`` turns a document into a reply, ``gather`` turns events into a document; both use ``who`` in their errors.
    """
    if on_text is not None and _is_event_stream(response):
        return whole(gather(_events_of(response, who), who, on_text), who)
    reply = whole(document_of(response, who), who)
    if on_text is not None and reply.content:
        on_text(reply.content)
    return reply


def lines_of(response: "httpx2.Response", who: str) -> Iterator[dict[str, Any]]:
    """The JSON object of each line."""
    for line in response.iter_lines():
        if line.strip():
            yield _object(line.encode("utf-8", "replace"), who)


def text_or_empty(text: object) -> str:
    """The text; empty for any other type."""
    return text if isinstance(text, str) else ""


def _object(data: bytes, who: str) -> dict[str, Any]:
    """Uses Python's own parser, because a NaN among the token counts must not fail the whole reply."""
    try:
        value = json.loads(data)
        if _half_character.search(data):  # half a surrogate pair cannot be encoded as UTF-8
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        hint = "; set another address with --base-url" if data.lstrip().startswith(b"<") else ""
        raise ProviderError(f"{who} sent {_describe(data)} instead of JSON{hint}", retryable=True) from None
    if not isinstance(value, dict):
        raise ProviderError(f"{who} sent a JSON {type(value).__name__} instead of an object", retryable=True)
    return value


def _describe(data: bytes) -> str:
    start = " ".join(data[:_SHOWN].decode("utf-8", "replace").split())
    if not start:
        return "an empty reply"
    return "an HTML page" if start.startswith("<") else f'a reply that begins with "{start}"'
