"""From events to a trace: a pure fold, so that whatever judges traces judges our own runs like anyone's."""

from collections.abc import Iterable, Sequence
from typing import Any

from sentinel_core.agent.conversation import conversation_of
from sentinel_core.agent.events import DeliveryFinished, DeliveryStarted, Event, ReplyReceived, RunEnded, RunStarted
from sentinel_core.agent.otel_ids import trace_id_of
from sentinel_core.agent.otel_names import TRACE_ID
from sentinel_core.trace import ExecutionTrace, Message, TraceDetails
from sentinel_core.traces.readers.usage import add_usage

__all__ = ["INTERRUPTED", "to_trace"]

INTERRUPTED = "interrupted"
_SCHEMA = 2


def to_trace(events: Iterable[Event]) -> ExecutionTrace:
    """Fold the events of a conversation into a trace of schema 2.

    The trace has the id of the first run, the system prompt as its first message, the tools that the last run offered,
    and the last run's outcome: ``interrupted`` where the record breaks off before that run's end.

    Where a report was delivered, ``metadata.delivery`` says what came of it; ``metadata.otel_trace_id`` is the id of the
    same conversation as OpenTelemetry spans.

    Raises ``ValueError`` where no run has started.
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
    told: dict[str, Any] = {"status": finished.status if finished else "unknown"}
    if finished is not None and finished.report_id is not None:
        told["report_id"] = finished.report_id
    if started.below_evidence:
        told["below_evidence"] = True
    return {"delivery": told}
