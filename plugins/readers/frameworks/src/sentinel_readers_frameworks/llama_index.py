"""Chat messages of LlamaIndex: ``blocks``, with what a provider adds in ``additional_kwargs``; also its chat stores."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source, TokenUsage
from sentinel_core.traces.readers import Piece, Record, pieces_of, usage_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats
from sentinel_readers_frameworks._files import mapping

__all__ = ["read"]

_LISTS = ("messages", "chat_history", "history")
_ADDED = ("tool_calls", "tool_call_id", "name", "is_error")


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per chat: a list of messages, or each of the lists in a chat store."""
    return read_chats(source, _LLAMA_INDEX)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and ("blocks" in value or "content" in value)


def _found(record: Record) -> Iterator[Conversation]:
    value = record.value
    if isinstance(value, list):
        yield Conversation(messages=located(record, value, ""))
        return
    holder = mapping(mapping(value).get("chat_store")) or mapping(value)
    path = "" if holder is value else ".chat_store"
    for key, listed in mapping(holder.get("store")).items():
        if isinstance(listed, list):
            yield Conversation(messages=located(record, listed, f"{path}.store.{key}"), trace_id=key or None)
    for key in _LISTS:
        if isinstance(holder.get(key), list):
            yield Conversation(messages=located(record, holder[key], f"{path}.{key}"))


def _pieces(message: Mapping[str, Any]) -> list[Piece]:
    """As any chat message, with what the provider added beside it."""
    added = mapping(message.get("additional_kwargs"))
    fields = {key: value for key, value in message.items() if key != "additional_kwargs"}
    return pieces_of({**fields, **{key: added[key] for key in _ADDED if added.get(key) is not None}})


def _usage(message: Mapping[str, Any]) -> TokenUsage | None:
    added = mapping(message.get("additional_kwargs"))
    return usage_of(added.get("usage")) or usage_of(added)


_LLAMA_INDEX = Chat(name="llama-index", is_message=_is_message, found=_found, pieces=_pieces, usage=_usage)
