"""Reads replies of Ollama, whole or streamed in lines."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from sentinel_core.errors import NetworkError, ProviderError
from sentinel_core.model import Reply, StopReason
from sentinel_core.providers.failures import failure_in
from sentinel_core.providers.responses import text_or_empty
from sentinel_core.trace import ToolCall
from sentinel_core.traces.readers.chat import call_of
from sentinel_core.traces.readers.usage import usage_of

__all__ = ["gather", "reply_of"]

_STOP: Mapping[str, StopReason] = {"length": "max_tokens", "stop": "end_turn"}


def reply_of(document: Mapping[str, Any], who: str, *, turn: int) -> Reply:
    """A reply from a whole document; calls get the ids ``ollama-<turn>-<number>``.

    Raises ``NetworkError`` if it is not done, and another ``ModelError`` if it is an error or has no message.
    """
    message = _message(document, who)
    if document.get("done") is not True:
        raise NetworkError(f"{who} closed the connection in the middle of its reply")
    listed = message.get("tool_calls")
    calls = [call_of(call) for call in listed if isinstance(call, dict)] if isinstance(listed, list) else []
    stop = _STOP.get(str(document.get("done_reason")), "end_turn")
    model = document.get("model")
    return Reply(
        content=text_or_empty(message.get("content")),
        tool_calls=tuple(_named(call, turn, number) for number, call in enumerate(calls, 1)),
        stop_reason="tool_calls" if calls and stop == "end_turn" else stop,
        usage=_usage(document),
        model=model if isinstance(model, str) else None,
    )


def _named(call: ToolCall, turn: int, number: int) -> ToolCall:
    return attrs.evolve(call, id=f"ollama-{turn}-{number}")


def _usage(document: Mapping[str, Any]) -> Any:
    return usage_of(
        {"prompt_tokens": document.get("prompt_eval_count"), "completion_tokens": document.get("eval_count")}
    )


def gather(lines: Iterable[Mapping[str, Any]], who: str, on_text: Callable[[str], None]) -> dict[str, Any]:
    """The whole reply from its lines; text is passed to ``on_text`` as it arrives.

    The last line has the counts. Raises the error if one comes as a line in the middle of a reply.
    """
    texts: list[str] = []
    calls: list[object] = []
    last: Mapping[str, Any] = {}
    for last in lines:
        message = _message(last, who)
        text, listed = text_or_empty(message.get("content")), message.get("tool_calls")
        texts.append(text)
        calls.extend(listed if isinstance(listed, list) else ())
        if text:
            on_text(text)
    if not last:
        raise ProviderError(f"{who} sent an empty reply instead of JSON", retryable=True)
    return {**last, "message": {"content": "".join(texts), "tool_calls": calls}}


def _message(document: Mapping[str, Any], who: str) -> dict[str, Any]:
    if document.get("error"):
        raise failure_in(who, document["error"])
    message = document.get("message")
    if not isinstance(message, dict):
        raise ProviderError(f"{who} sent a reply without a message", retryable=True)
    return message
