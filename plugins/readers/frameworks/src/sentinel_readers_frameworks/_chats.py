"""What readers of dumped chats share: a conversation's messages, found by their keys, to one trace."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, TokenUsage, ToolSchema
from sentinel_core.traces.readers import BadRecord, Piece, Record, TraceBuilder, pieces_of
from sentinel_readers_frameworks._files import (
    Placed,
    Skipped,
    documents,
    inner_place,
    mapping,
    name_of,
    place_of,
    text,
    utc,
)

__all__ = ["Chat", "Conversation", "located", "read_chats", "trace_of"]

_IDS = ("session_id", "conversation_id", "thread_id", "chat_id", "run_id", "id")


@attrs.define(kw_only=True)
class Conversation:
    """Messages, each with its place, and what their record says of all of them."""

    messages: list[Placed]
    trace_id: str | None = None
    system: str | None = None
    tools: tuple[ToolSchema, ...] | None = None
    usage: TokenUsage | None = None
    outcome: str | None = None
    model: str | None = None
    lost: tuple[str, ...] = ()
    children: "list[Conversation]" = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Chat:
    """A format. ``found`` yields the conversations of a record; ``pieces`` are those of one message, none if it is no message.

    ``is_message`` is True for a message that stands by itself; ``usage`` and ``model`` are those of one message;
    ``is_copied`` is True for one that is repeated from an earlier run.
    """

    name: str
    is_message: Callable[[object], bool]
    found: Callable[[Record], Iterable[Conversation]]
    pieces: Callable[[Mapping[str, Any]], Iterable[Piece]] = pieces_of
    usage: Callable[[Mapping[str, Any]], TokenUsage | None] = lambda _: None
    model: Callable[[Mapping[str, Any]], object] = lambda _: None
    is_copied: Callable[[Mapping[str, Any]], bool] = lambda _: False


def read_chats(source: Source, chat: Chat) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each conversation; single messages, in a list or one per line, together make one.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    skipped, loose = Skipped(), list[Placed]()
    for record in documents(source):
        if isinstance(record, BadRecord):
            skipped.bad.append(record)
        elif chat.is_message(record.value) or (loose and not any(True for _ in chat.found(record))):
            loose.append((record.value, place_of(record)))
        else:
            yield from _of_record(source, record, chat)
    if loose and not skipped.refusals(source):
        yield trace_of(Conversation(messages=loose), name_of(source), chat, skipped.metadata())
    else:
        yield from skipped.errors()


def located(record: Record, messages: Iterable[Any], path: str) -> list[Placed]:
    """The messages of a list, each with its place in the record."""
    return [(message, inner_place(record, f"{path}[{at}]")) for at, message in enumerate(messages)]


def _of_record(source: Source, record: Record, chat: Chat) -> Iterator[ExecutionTrace | ReadError]:
    own = next(filter(None, (text(mapping(record.value).get(key)) for key in _IDS)), None)
    fallback, found = own or name_of(source, record), list(chat.found(record))
    for number, conversation in enumerate(found):
        place = fallback if len(found) == 1 else f"{fallback}#{number + 1}"
        yield trace_of(conversation, conversation.trace_id or place, chat)
    if not found:
        yield ReadError(message=f"contains no {chat.name} messages at {record.path or '$'}", line=record.line)


def trace_of(
    conversation: Conversation, trace_id: str, chat: Chat, metadata: dict[str, Any] | None = None
) -> ExecutionTrace:
    """The trace of one conversation, with those of its sub-agents."""
    builder = TraceBuilder(trace_id, chat.name)
    if conversation.system:
        builder.add(Piece(role="system", text=conversation.system))
    for what in conversation.lost:
        builder.lose(what)
    for raw, origin in conversation.messages:
        message = mapping(raw)
        pieces = list(chat.pieces(message)) if chat.is_message(raw) else []
        if not pieces:
            builder.lose("record in no known shape")
        for number, piece in enumerate(pieces):
            is_own = piece.role == "assistant" or not number
            details = _details(message, origin, chat, conversation) if is_own else MessageDetails(origin=origin)
            builder.add(piece, timestamp=_time(message), details=details, usage_key=origin)
    children = [
        trace_of(child, child.trace_id or f"{trace_id}/{number + 1}", chat)
        for number, child in enumerate(conversation.children)
    ]
    return builder.build(
        token_usage=conversation.usage,
        available_tools=conversation.tools,
        outcome=conversation.outcome,
        children=children,
        metadata=metadata,
    )


def _details(message: Mapping[str, Any], origin: str, chat: Chat, conversation: Conversation) -> MessageDetails:
    return MessageDetails(
        id=text(message.get("id")),
        model=text(chat.model(message)) or (conversation.model if message.get("role") == "assistant" else None),
        usage=chat.usage(message),
        is_copied_context=chat.is_copied(message),
        origin=origin,
    )


def _time(message: Mapping[str, Any]) -> str | None:
    return utc(message.get("created_at") or message.get("createdAt") or message.get("timestamp"))
