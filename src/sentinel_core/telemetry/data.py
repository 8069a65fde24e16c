"""Spans, logs and metrics as plain values; open spans, and the state of the fold that builds them."""

from collections.abc import Mapping
from typing import Literal

import attrs

from sentinel_core.agent.events import Event, RunStarted
from sentinel_core.telemetry.content import clean_text
from sentinel_core.telemetry.ids import span_id_of

__all__ = [
    "CLIENT",
    "INTERNAL",
    "Attributes",
    "Fold",
    "LogData",
    "MetricData",
    "OpenSpan",
    "Point",
    "SpanData",
    "SpanEvent",
]

Attribute = str | bool | int | float | tuple[str, ...]
Attributes = Mapping[str, Attribute]
INTERNAL, CLIENT = 1, 3


@attrs.frozen(kw_only=True)
class SpanEvent:
    """Something that happened during a span, at ``time`` (nanoseconds since 1970)."""

    name: str
    time: int
    attributes: Attributes = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class SpanData:
    """One finished span. Ids are hexadecimal digits, times nanoseconds since 1970; ``parent_id`` is empty for a root.

    ``kind`` is OTLP's number: 1 internal, 3 client. ``problem`` is the text of an error status.
    """

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    start: int
    end: int
    kind: int = INTERNAL
    attributes: Attributes = attrs.field(factory=dict)
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    problem: str = ""

    @property
    def seconds(self) -> float:
        """The duration."""
        return (self.end - self.start) / 1e9


@attrs.frozen(kw_only=True)
class LogData:
    """One log record. ``severity`` is OTLP's number: 5 debug, 9 info, 13 warning, 17 error."""

    time: int
    severity: Literal[5, 9, 13, 17]
    body: str
    attributes: Attributes = attrs.field(factory=dict)
    trace_id: str = ""
    span_id: str = ""
    event_name: str = ""


@attrs.frozen(kw_only=True)
class Point:
    """All values of one metric that share their attributes, in order of arrival."""

    attributes: Attributes
    values: tuple[float, ...]


@attrs.frozen(kw_only=True)
class MetricData:
    """One metric over the time from ``start`` to ``end``: a histogram if it has ``bounds``, else a growing sum."""

    name: str
    unit: str
    description: str
    start: int
    end: int
    points: tuple[Point, ...]
    bounds: tuple[float, ...] = ()


OpenAttributes = dict[str, Attribute | None]


@attrs.define(eq=False)
class OpenSpan:
    """A span that may still be open. Attributes that are None are left out of the finished span."""

    span_id: str
    parent_id: str
    name: str
    start: int
    kind: int
    attributes: OpenAttributes
    end: int | None = None
    events: list[SpanEvent] = attrs.field(factory=list)
    failed: bool = False
    problem: str = ""

    def fail(self, kind: str, problem: str | None) -> None:
        """Set an error status, with the kind of error as ``error.type``."""
        self.failed, self.problem = True, clean_text(problem or "")
        self.attributes["error.type"] = kind


@attrs.define(eq=False, kw_only=True)
class Fold:
    """The state of the fold. ``now`` is the time of the current event; ``open`` holds spans by their role.

    ``inputs`` are the conversation's messages so far, as JSON text each.
    """

    record: tuple[Event, ...]
    first: RunStarted
    trace_id: str
    now: int = 0
    spans: list[OpenSpan] = attrs.field(factory=list)
    open: dict[str, OpenSpan] = attrs.field(factory=dict)
    inputs: list[str] = attrs.field(factory=list)
    run: RunStarted = attrs.field(init=False)
    compacted: bool = False
    context: OpenAttributes = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.run = self.first

    def start(
        self, key: object, name: str, parent: OpenSpan | None, *, kind: int = INTERNAL, **attributes: Attribute
    ) -> OpenSpan:
        """Begin a span; ``key`` names it within the trace."""
        span_id = span_id_of(self.trace_id, key)
        span = OpenSpan(span_id, "" if parent is None else parent.span_id, name, self.now, kind, {**attributes})
        self.spans.append(span)
        return span

    def instant(self, key: object, name: str, parent: OpenSpan | None, attributes: OpenAttributes) -> OpenSpan:
        """A span that begins and ends with the current event."""
        span = self.start(key, name, parent)
        span.attributes.update(attributes)
        span.end = self.now
        return span

    def hold(self, role: str, span: OpenSpan) -> OpenSpan:
        """Keep a span open as ``role``; an earlier span that is still open as ``role`` was interrupted."""
        self.interrupt(role)
        self.open[role] = span
        return span

    def close(self, role: str) -> OpenSpan | None:
        """End the span that is open as ``role``, if there is one."""
        span = self.open.pop(role, None)
        if span is not None:
            span.end = self.now
        return span

    def interrupt(self, role: str) -> None:
        """End the span that is open as ``role`` without a result."""
        span = self.close(role)
        if span is not None:
            span.attributes["sentinel.interrupted"] = True

    @property
    def parent(self) -> OpenSpan | None:
        """The parent of the run's operations: its agent span, else the outermost."""
        return self.open.get("agent") or self.open.get("workflow")
