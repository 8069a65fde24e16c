"""Chat histories of Semantic Kernel: messages whose ``items`` are texts, function calls and function results."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source, TokenUsage
from sentinel_core.traces.readers import Record, usage_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats
from sentinel_readers_frameworks._files import mapping, text

__all__ = ["read"]

_OUTCOMES: Mapping[object, str] = {"stop": "completed", "length": "max_tokens", "content_filter": "refused"}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per history: a list of messages, or an object with ``messages``."""
    return read_chats(source, _SEMANTIC_KERNEL)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("items"), list)


def _found(record: Record) -> Iterator[Conversation]:
    value = record.value
    listed = value if isinstance(value, list) else mapping(value).get("messages")
    if isinstance(listed, list):
        reason = text(mapping(listed[-1]).get("finish_reason")) if listed else None
        placed = located(record, listed, "" if listed is value else ".messages")
        yield Conversation(messages=placed, outcome=_OUTCOMES.get(reason))


def _usage(message: Mapping[str, Any]) -> TokenUsage | None:
    return usage_of(mapping(message.get("metadata")).get("usage"))


_SEMANTIC_KERNEL = Chat(
    name="semantic-kernel",
    is_message=_is_message,
    found=_found,
    usage=_usage,
    model=lambda message: message.get("ai_model_id"),
)
