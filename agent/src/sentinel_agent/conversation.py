"""The conversation and the trace as folds of the events; only ``message_of`` turns an event into a message."""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from sentinel_agent.events import (
    DeliveryFinished,
    DeliveryStarted,
    Event,
    MessageReceived,
    ReplyReceived,
    RunEnded,
    RunStarted,
    ToolFinished,
)
from sentinel_core.telemetry.names import TRACE_ID, trace_id_of
from sentinel_core.trace import ExecutionTrace, Message, MessageDetails, TokenUsage, ToolCall, TraceDetails
from sentinel_core.traces.readers.usage import add_usage

__all__ = [
    "INTERRUPTED",
    "Conversation",
    "ConversationContext",
    "context_of",
    "conversation_of",
    "message_of",
    "to_trace",
]


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
    """Facts about a conversation. ``token_usage`` is None if no reply reported any; one trace id for each run."""

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
    """Fold events into the conversation so far. Raises ``ValueError`` if no run has started."""
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


INTERRUPTED = "interrupted"
_SCHEMA = 2


def to_trace(events: Iterable[Event]) -> ExecutionTrace:
    """Fold the events of a conversation into a trace of schema 2.

    The trace has the id of the first run, the system prompt as its first message, the tools that the last run offered,
    and the last run's outcome: ``interrupted`` if the record breaks off before that run's end.

    If delivery of a report began, ``metadata.delivery`` has its result; ``metadata.otel_trace_id`` is the id of the
    same conversation as OpenTelemetry spans.

    Raises ``ValueError`` if no run has started.
    """
    record = tuple(events)
    conversation = conversation_of(record)
    runs = [event for event in record if isinstance(event, RunStarted)]
    last = next(event for event in reversed(record) if isinstance(event, RunStarted | RunEnded))
    return ExecutionTrace(
        trace_id=runs[0].run_id,
        messages=(*_system_message(runs[0]), *conversation.messages),
        token_usage=add_usage(event.reply.usage for event in record if isinstance(event, ReplyReceived)),
        metadata={**conversation.metadata, **_delivery(record), TRACE_ID: trace_id_of(runs[0].run_id)},
        details=TraceDetails(
            available_tools=runs[-1].tools,
            outcome=last.outcome if isinstance(last, RunEnded) else INTERRUPTED,
            source="sentinel",
        ),
        schema=_SCHEMA,
    )


def _system_message(run: RunStarted) -> tuple[Message, ...]:
    if not run.system_prompt:
        return ()
    return (Message(role="system", content=run.system_prompt, timestamp=run.at),)


def _delivery(record: Sequence[Event]) -> dict[str, Any]:
    started = next((event for event in reversed(record) if isinstance(event, DeliveryStarted)), None)
    finished = next((event for event in reversed(record) if isinstance(event, DeliveryFinished)), None)
    if started is None:
        return {}
    delivery: dict[str, Any] = {"status": finished.status if finished else "unknown"}
    if finished is not None and finished.report_id is not None:
        delivery["report_id"] = finished.report_id
    if started.below_evidence:
        delivery["below_evidence"] = True
    return {"delivery": delivery}
