"""Spans from events: a pure fold, so that the spans of a run can be rebuilt from its journal at any time."""

from collections.abc import Iterable

import attrs

from sentinel_agent.events import Event, RunStarted
from sentinel_agent.telemetry.fold import HANDLERS, finish
from sentinel_agent.telemetry.open_spans import Fold, OpenSpan
from sentinel_core.telemetry.data import SpanData
from sentinel_core.telemetry.names import CONTENT, nanos_of, trace_id_of

__all__ = ["conversations", "spans_of", "without_content"]


def conversations(events: Iterable[Event]) -> list[tuple[Event, ...]]:
    """The events of a record by conversation: each attempt at a task is a conversation of its own."""
    found: list[list[Event]] = []
    current = None
    for event in events:
        if isinstance(event, RunStarted) and event.conversation_id != current:
            current = event.conversation_id
            found.append([])
        if found:
            found[-1].append(event)
    return [tuple(conversation) for conversation in found]


def spans_of(events: Iterable[Event]) -> list[SpanData]:
    """The spans of one conversation, the outermost first; none if no run has started.

    The record may end anywhere: spans that are open then end with the last event and are marked as interrupted.
    """
    record = tuple(events)
    first = next((event for event in record if isinstance(event, RunStarted)), None)
    if first is None:
        return []
    fold = Fold(record=record, first=first, trace_id=trace_id_of(first.run_id))
    for event in record:
        fold.now = max(fold.now, nanos_of(event.at))
        handle = HANDLERS.get(type(event))
        if handle is not None:
            handle(fold, event)
    finish(fold)
    return [_finished(fold, span) for span in fold.spans]


def without_content(span: SpanData) -> SpanData:
    """The span without content: messages, arguments, results, texts of errors."""
    kept = {name: value for name, value in span.attributes.items() if name not in CONTENT}
    events = tuple(
        attrs.evolve(event, attributes={name: value for name, value in event.attributes.items() if name not in CONTENT})
        for event in span.events
    )
    return attrs.evolve(span, attributes=kept, events=events, problem="")


def _finished(fold: Fold, span: OpenSpan) -> SpanData:
    attributes = {"gen_ai.conversation.id": fold.first.conversation_id, **span.attributes}
    return SpanData(
        trace_id=fold.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        name=span.name,
        kind=span.kind,
        start=span.start,
        end=fold.now if span.end is None else max(span.start, span.end),
        attributes={name: value for name, value in attributes.items() if value is not None},
        events=tuple(span.events),
        failed=span.failed,
        problem=span.problem,
    )
