"""Spans as OpenTelemetry's SDK hands them over when they end: grouped, and read as traces of agents."""

from typing import TYPE_CHECKING

from sentinel_core.telemetry.groups import Group, Groups
from sentinel_core.telemetry.one_conversation import renamed
from sentinel_core.telemetry.read_spans import read_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

    from sentinel_core.offers import ReadError
    from sentinel_core.trace import ExecutionTrace

__all__ = ["add_span", "read_group", "traces_of"]

_SESSIONS = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "mlflow.trace.session")


def add_span(groups: "Groups[ReadableSpan]", span: "ReadableSpan", *, now: float = 0.0) -> None:
    """Add a finished span, which has a context."""
    context, parent, attributes = span.context, span.parent, span.attributes or {}
    session = next((value for key in _SESSIONS if isinstance(value := attributes.get(key), str)), None)
    groups.add(
        span,
        trace_id=f"{context.trace_id:032x}",
        span_id=f"{context.span_id:016x}",
        parent_id="" if parent is None or parent.is_remote else f"{parent.span_id:016x}",
        conversation=session,
        now=now,
    )


def read_group(group: "Group[ReadableSpan]") -> "list[ExecutionTrace | ReadError]":
    """The traces of the spans of one group; why there are none, where they are of no agent."""
    from opentelemetry.exporter.otlp.json.common.trace_encoder import encode_spans

    document = encode_spans(list(group.spans.values())).to_json().encode()
    return read_document(renamed(document, group.id) if len(group.traces) > 1 else document)


def traces_of(spans: "Sequence[ReadableSpan]") -> "list[ExecutionTrace | ReadError]":
    """The traces of these spans, all of which have ended: those of one conversation are one."""
    groups: Groups[ReadableSpan] = Groups()
    for span in spans:
        if span.context is not None:
            add_span(groups, span)
    return [trace for group in groups.due(0.0, everything=True) for trace in read_group(group)]
