"""Reads OpenAI chat messages: bare lists, records, requests with their replies, and runs of tau-bench and tau2."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source
from sentinel_core.traces.readers import (
    Piece,
    TraceBuilder,
    gaps_at,
    iso_time,
    pieces_of,
    refusals,
    tool_schemas,
    usage_of,
)
from sentinel_readers_openai.conversations import Conversation, conversations_in, has_no_role, is_message
from sentinel_readers_openai.values import Value, field, gaps_metadata, json_values, lines_not_json, mapping, text

__all__ = ["read"]

SOURCE = "openai-chat"

_OUTCOMES: Mapping[str, str] = {
    "agent_stop": "completed",
    "completed": "completed",
    "content_filter": "refused",
    "length": "max_tokens",
    "max_steps": "max_turns",
    "stop": "completed",
    "timeout": "timeout",
    "user_stop": "completed",
}
# The only keys of the API's own messages, which have no ids, times or tokens.
_BARE = frozenset({"content", "function_call", "name", "refusal", "role", "tool_call_id", "tool_calls"})
_NO_ROLE = 'message has no "role" (expected system, user, assistant or tool)'
_ERROR_ENDINGS = ("error", "errors")
_MILLISECONDS = 1000
_LARGEST = 1e12


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per conversation. Single messages, one per line or element, together make one conversation.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    loose: list[tuple[object, str]] = []
    refused: list[ReadError] = []
    unread: list[ReadError] = []
    mute: list[ReadError] = []
    for value in json_values(source):
        if isinstance(value, ReadError) and loose:
            unread.append(value)
        elif isinstance(value, ReadError):
            yield value
            refused.append(value)
        elif has_no_role(value.value):
            mute.append(value.error(_NO_ROLE))
        elif is_message(value.value) or (loose and not isinstance(value.value, (Mapping, list))):
            loose.append((value.value, value.origin()))
        else:
            yield from _records(value, source.name)
    if not loose or refusals(mute, strict=source.strict):
        yield from mute[:1]
    if loose and refusals(refused + unread + mute, strict=source.strict):
        yield from unread
    elif loose:
        gaps = lines_not_json(unread) + _mute_gaps(f"line {error.line}" for error in mute)
        yield _trace(Conversation(messages=loose, gaps=gaps), source.name)


def _mute_gaps(places: Iterable[str]) -> list[str]:
    return gaps_at("message has no role", "messages have no role", places)


def _records(value: Value, name: str) -> Iterator[ExecutionTrace | ReadError]:
    found = False
    for position, conversation in enumerate(conversations_in(value)):
        found = True
        if not conversation.messages:
            yield value.error("has no messages: nothing to check")
            continue
        place = value.origin() if not position else f"{value.origin()} {position}"
        yield _trace(conversation, name if place == "$" else f"{name} {place}")
    if not found:
        yield value.error("contains no chat messages")


def _trace(conversation: Conversation, fallback: str) -> ExecutionTrace:
    builder = TraceBuilder(conversation.name or fallback, SOURCE)
    unusable = []
    last = len(conversation.messages) - 1 if conversation.reply else -1
    for position, (message, origin) in enumerate(conversation.messages):
        reply = conversation.reply if position == last else {}
        if not _add(builder, message, origin, reply):
            unusable.append(origin)
    gaps = conversation.gaps + _mute_gaps(place for raw, place in conversation.messages if has_no_role(raw))
    gaps += gaps_at("entry is not a message", "entries are not messages", unusable)
    return builder.build(
        token_usage=None if conversation.reply else usage_of(conversation.record.get("usage")),
        available_tools=tool_schemas(conversation.tools),
        outcome=_outcome(conversation),
        metadata=gaps_metadata(gaps, conversation.notes, **conversation.known()),
    )


def _add(builder: TraceBuilder, raw: object, origin: str, reply: Mapping[str, Any]) -> bool:
    """Append the message of one entry; False if it has none."""
    message = mapping(raw)
    bundled = message.get("tool_messages")
    if isinstance(bundled, list):
        added = [_add_one(builder, mapping(entry), origin, reply) for entry in bundled]
        return any(added)
    return _add_one(builder, message, origin, reply)


def _add_one(builder: TraceBuilder, message: Mapping[str, Any], origin: str, reply: Mapping[str, Any]) -> bool:
    if not message:
        return False
    if not reply and message.keys() <= _BARE:
        pieces = pieces_of(message)
        for piece in pieces:
            builder.add(piece, details=MessageDetails(origin=origin))
        return bool(pieces)
    pieces = _pieces(message)
    for piece in pieces:
        if piece.role == "assistant":
            details = _spoken(message, origin, reply)
        else:
            details = MessageDetails(id=field(message, "id"), origin=origin)
        builder.add(piece, timestamp=_time(message), details=details)
    return bool(pieces)


def _pieces(message: Mapping[str, Any]) -> list[Piece]:
    """The pieces of a message. Results of a simulated user's own tools are not results of the agent."""
    requestor = message.get("requestor")
    if requestor is not None and message.get("role") == "tool":
        if requestor == "user":
            answer = {"name": message.get("name"), "content": message.get("content")}
            return [Piece(role="user", metadata={"user_side_results": [answer]})]
        # tau2 gives a result the id of its call.
        return pieces_of({"tool_call_id": message.get("id"), **message})
    pieces = pieces_of(message)
    spoken = text(mapping(message.get("audio")).get("transcript"))
    if spoken is not None and len(pieces) == 1 and pieces[0].text is None:
        return [attrs.evolve(pieces[0], text=spoken)]
    return pieces


def _time(message: Mapping[str, Any]) -> str | None:
    return iso_time(message.get("timestamp") or message.get("created_at") or message.get("created"))


def _spoken(message: Mapping[str, Any], origin: str, reply: Mapping[str, Any]) -> MessageDetails:
    """Details of an assistant's message, from the message or its completion."""
    raw = mapping(message.get("raw_data"))
    usage = reply.get("usage") or message.get("usage")
    return MessageDetails(
        id=field(reply, "id") or field(message, "id") or field(raw, "id"),
        model=text(reply.get("model")) or text(message.get("model")) or text(raw.get("model")),
        usage=usage_of(usage) if usage else None,
        cost_usd=_number(mapping(reply.get("usage")).get("cost"), message.get("cost")),
        duration_ms=_milliseconds(message.get("generation_time_seconds")),
        origin=origin,
    )


def _number(*values: Any) -> float | None:
    """The first value that is a number of at least 0 and a plausible price or duration."""
    for value in values:
        if value is not None and type(value) in (int, float) and 0 <= value <= _LARGEST:
            return float(value)
    return None


def _milliseconds(seconds: object) -> float | None:
    known = _number(seconds)
    return None if known is None else known * _MILLISECONDS


def _outcome(conversation: Conversation) -> str | None:
    """How the run ended, from a benchmark's reason or the last reply's finish reason."""
    choices = conversation.reply.get("choices")
    choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    reason = text(conversation.record.get("termination_reason")) or text(choice.get("finish_reason"))
    if reason is None:
        return None
    return "error" if reason.endswith(_ERROR_ENDINGS) else _OUTCOMES.get(reason)
