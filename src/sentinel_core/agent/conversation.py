"""The conversation as a view of the events; ``message_of`` is the one place where an event becomes a message."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from sentinel_core.agent.events import Event, MessageReceived, ReplyReceived, RunStarted, ToolFinished
from sentinel_core.trace import Message, MessageDetails, TokenUsage, ToolCall
from sentinel_core.traces.readers.usage import add_usage

__all__ = ["Conversation", "ConversationContext", "context_of", "conversation_of", "message_of"]


@attrs.frozen(kw_only=True)
class Conversation:
    """A dialogue between a user and the agent. ``messages`` do not contain the system prompt."""

    id: str
    system_prompt: str
    messages: tuple[Message, ...]
    created_at: str
    metadata: dict[str, Any]


@attrs.frozen(kw_only=True)
class ConversationContext:
    """Facts about a conversation. ``token_usage`` is None where no reply reported any; one trace id for each run."""

    conversation_id: str
    message_count: int
    token_usage: TokenUsage | None
    provider: str
    model: str | None
    trace_ids: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]


def message_of(event: Event) -> Message | None:
    """The message that an event adds to the conversation; None for the events that add none."""
    match event:
        case MessageReceived(content=content, at=at):
            return Message(role="user", content=content, timestamp=at)
        case ReplyReceived():
            return _assistant_message(event)
        case ToolFinished(result=result, at=at):
            return Message(role="tool", tool_results=(attrs.evolve(result, timestamp=at),), timestamp=at)
        case _:
            return None


def _assistant_message(event: ReplyReceived) -> Message:
    reply = event.reply
    return Message(
        role="assistant",
        content=reply.content or None,
        tool_calls=tuple(attrs.evolve(call, timestamp=call.timestamp or event.at) for call in reply.tool_calls),
        timestamp=event.at,
        details=MessageDetails(
            model=reply.model, usage=reply.usage, cost_usd=reply.cost_usd, duration_ms=event.duration_ms
        ),
    )


def conversation_of(events: Iterable[Event]) -> Conversation:
    """Fold events into the conversation so far. Raises ``ValueError`` where no run has started."""
    record = tuple(events)
    first = next((event for event in record if isinstance(event, RunStarted)), None)
    if first is None:
        raise ValueError("no run has started: there is no conversation yet")
    messages = tuple(message for event in record if (message := message_of(event)) is not None)
    metadata = {"provider": first.provider, **first.metadata}
    return Conversation(
        id=first.conversation_id,
        system_prompt=first.system_prompt,
        messages=messages,
        created_at=first.at,
        metadata=metadata,
    )


def context_of(conversation_id: str, provider: str, events: Sequence[Event]) -> ConversationContext:
    """Fold events into the facts about a conversation; without events, those of one that is still empty."""
    messages = [message for event in events if (message := message_of(event)) is not None]
    replies = [event.reply for event in events if isinstance(event, ReplyReceived)]
    return ConversationContext(
        conversation_id=conversation_id,
        message_count=len(messages),
        token_usage=add_usage(reply.usage for reply in replies),
        provider=provider,
        model=next((reply.model for reply in reversed(replies) if reply.model), None),
        trace_ids=tuple(event.run_id for event in events if isinstance(event, RunStarted)),
        tool_calls=tuple(call for message in messages for call in message.tool_calls),
    )
