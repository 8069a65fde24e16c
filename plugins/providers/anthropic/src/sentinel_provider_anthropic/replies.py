"""Reads replies of the Messages API, whole or streamed."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from sentinel_core.errors import NetworkError, ProviderError
from sentinel_core.model import Reply, StopReason
from sentinel_core.providers.failures import failure_in
from sentinel_core.providers.responses import text_or_empty
from sentinel_core.traces.readers.chat import call_of
from sentinel_core.traces.readers.usage import usage_of

__all__ = ["gather", "reply_of"]

_STOP: Mapping[str, StopReason] = {
    "end_turn": "end_turn",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "pause_turn": "end_turn",
    "refusal": "refusal",
    "stop_sequence": "end_turn",
    "tool_use": "tool_calls",
}


def reply_of(document: Mapping[str, Any], who: str) -> Reply:
    """A reply from a whole message. Raises a ``ModelError`` if it is an error or not a message."""
    if document.get("type") == "error" or "error" in document:
        raise failure_in(who, document.get("error"))
    content = document.get("content")
    if not isinstance(content, list):
        raise ProviderError(f"{who} sent a reply without content", retryable=True)
    blocks = [block for block in content if isinstance(block, dict)]
    calls = tuple(call_of(block) for block in blocks if block.get("type") == "tool_use")
    stop = _STOP.get(str(document.get("stop_reason")), "end_turn")
    model = document.get("model")
    return Reply(
        content="".join(text_or_empty(block.get("text")) for block in blocks if block.get("type") == "text"),
        tool_calls=calls,
        stop_reason="tool_calls" if calls and stop == "end_turn" else stop,
        usage=usage_of(document.get("usage")),
        model=model if isinstance(model, str) else None,
    )


@attrs.define
class _Message:
    """A message while it is streamed: its head, its blocks by index, and whether it has ended."""

    head: dict[str, Any] = attrs.field(factory=dict)
    blocks: dict[object, dict[str, Any]] = attrs.field(factory=dict)
    is_over: bool = False

    def take(self, event: Mapping[str, Any], on_text: Callable[[str], None]) -> None:
        match event:
            case {"type": "message_start", "message": dict(head)}:
                self.head = head
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self.blocks[index] = dict(block)
                self._say(text_or_empty(block.get("text")), on_text)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)} if index in self.blocks:
                self._grow(self.blocks[index], delta, on_text)
            case {"type": "message_delta", "delta": dict(delta), **rest}:
                usage = rest.get("usage")
                self.head |= {key: value for key, value in delta.items() if key != "content"}
                self.head["usage"] = _as_dict(self.head.get("usage")) | _as_dict(usage)
            case {"type": "message_stop"}:
                self.is_over = True

    def _grow(self, block: dict[str, Any], delta: Mapping[str, Any], on_text: Callable[[str], None]) -> None:
        text = text_or_empty(delta.get("text"))
        block["text"] = text_or_empty(block.get("text")) + text
        if part := text_or_empty(delta.get("partial_json")):  # replaces the input at the start of the block
            before = block.get("input")
            block["input"] = (before if isinstance(before, str) else "") + part
        self._say(text, on_text)

    def _say(self, text: str, on_text: Callable[[str], None]) -> None:
        if text:
            on_text(text)


def gather(events: Iterable[Mapping[str, Any]], who: str, on_text: Callable[[str], None]) -> dict[str, Any]:
    """The whole message from its events; text is passed to ``on_text`` as it arrives.

    Raises ``NetworkError`` if the stream ends before the message, and the error that an event reports.
    """
    message = _Message()
    for event in events:
        if event.get("type") == "error":
            raise failure_in(who, event.get("error"))
        message.take(event, on_text)
    if not message.is_over:
        raise NetworkError(f"{who} closed the connection in the middle of its reply")
    return {**message.head, "content": list(message.blocks.values())}


def _as_dict(value: object) -> dict[str, Any]:
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else {}
