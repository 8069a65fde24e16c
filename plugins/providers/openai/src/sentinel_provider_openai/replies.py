"""Reads replies of chat completions, whole or streamed, with OpenRouter's errors inside them."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from sentinel_core.errors import NetworkError, ProviderError
from sentinel_core.model import Reply, StopReason
from sentinel_core.providers.failures import failure_in
from sentinel_core.providers.responses import text_or_empty
from sentinel_core.traces.readers.chat import call_of, text_of
from sentinel_core.traces.readers.usage import usage_of

__all__ = ["gather", "reply_of"]

_STOP: Mapping[str, StopReason] = {
    "content_filter": "content_filter",
    "function_call": "tool_calls",
    "length": "max_tokens",
    "stop": "end_turn",
    "tool_calls": "tool_calls",
}


def reply_of(document: Mapping[str, Any], who: str) -> Reply:
    """A reply from a whole completion. Raises a ``ModelError`` if it is an error or has no message."""
    choice = _choice(document, who)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ProviderError(f"{who} sent a choice without a message", retryable=True)
    listed = message.get("tool_calls")
    calls = tuple(call_of(call) for call in listed if isinstance(call, dict)) if isinstance(listed, list) else ()
    refusal = text_or_empty(message.get("refusal"))
    model = document.get("model")
    return Reply(
        content=text_or_empty(text_of(message.get("content"))) or refusal,
        tool_calls=calls,
        stop_reason=_stop(choice.get("finish_reason"), calls=bool(calls), refused=bool(refusal)),
        usage=usage_of(document.get("usage")),
        model=model if isinstance(model, str) else None,
        cost_usd=_cost(document.get("usage")),
    )


def _choice(document: Mapping[str, Any], who: str) -> dict[str, Any]:
    """The first choice. Raises a ``ModelError`` if it or the reply is an error."""
    if document.get("error"):
        raise failure_in(who, document["error"])
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ProviderError(f"{who} sent a reply without choices", retryable=True)
    choice: dict[str, Any] = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise failure_in(who, choice.get("error") or "the model's own server failed")
    return choice


def _stop(reason: object, *, calls: bool, refused: bool) -> StopReason:
    if refused:
        return "refusal"
    stop = _STOP.get(str(reason), "end_turn")
    return "tool_calls" if calls and stop == "end_turn" else stop


def _cost(usage: object) -> float | None:
    """The call's cost in US dollars, as OpenRouter reports it."""
    cost = usage.get("cost") if isinstance(usage, dict) else None
    if isinstance(cost, bool) or not isinstance(cost, (int, float)):
        return None
    return float(cost) if math.isfinite(cost) and cost >= 0 else None


@attrs.define
class _Completion:
    """A completion while it is streamed."""

    head: dict[str, Any] = attrs.field(factory=dict)
    text: list[str] = attrs.field(factory=list)
    refusal: list[str] = attrs.field(factory=list)
    calls: list[dict[str, Any]] = attrs.field(factory=list)
    at: dict[object, dict[str, Any]] = attrs.field(factory=dict)
    finish: object = None

    def take(self, chunk: Mapping[str, Any], who: str, on_text: Callable[[str], None]) -> None:
        self.head |= {key: chunk[key] for key in ("model", "usage") if chunk.get(key)}
        if chunk.get("error"):
            raise failure_in(who, chunk["error"])
        choices = chunk.get("choices")
        if not choices:  # the last chunk has only the usage
            return
        choice = _choice(chunk, who)
        self.finish = choice.get("finish_reason") or self.finish
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._grow(delta, on_text)

    def _grow(self, delta: Mapping[str, Any], on_text: Callable[[str], None]) -> None:
        text = text_or_empty(delta.get("content"))
        if text:
            self.text.append(text)
            on_text(text)
        self.refusal.append(text_or_empty(delta.get("refusal")))
        listed = delta.get("tool_calls")
        for part in listed if isinstance(listed, list) else ():
            if isinstance(part, dict):
                self._grow_call(part)

    def _grow_call(self, part: Mapping[str, Any]) -> None:
        """Add a part of a call. Parts share an index, but some servers send 0 or none for all: then a new id is a new call."""
        raw_index, call_id = part.get("index"), text_or_empty(part.get("id"))
        index = raw_index if isinstance(raw_index, int) else None
        call = self.at.get(index)
        if call is None or (call_id and call["id"] and call["id"] != call_id):
            call = self.at[index] = {"id": "", "function": {"name": "", "arguments": ""}}
            self.calls.append(call)
        call["id"] = call["id"] or call_id
        function = part.get("function")
        if isinstance(function, dict):
            call["function"]["name"] += text_or_empty(function.get("name"))
            call["function"]["arguments"] += text_or_empty(function.get("arguments"))

    def document(self) -> dict[str, Any]:
        message = {"content": "".join(self.text), "refusal": "".join(self.refusal), "tool_calls": self.calls}
        return {**self.head, "choices": [{"message": message, "finish_reason": self.finish}]}


def gather(chunks: Iterable[Mapping[str, Any]], who: str, on_text: Callable[[str], None]) -> dict[str, Any]:
    """The whole completion from its chunks; text is passed to ``on_text`` as it arrives.

    Raises ``NetworkError`` if the stream ends before a finish reason, and the error that a chunk reports.
    """
    completion = _Completion()
    for chunk in chunks:
        completion.take(chunk, who, on_text)
    if completion.finish is None:
        raise NetworkError(f"{who} closed the connection in the middle of its reply")
    return completion.document()
