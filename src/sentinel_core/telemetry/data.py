"""Spans, logs and metrics as plain values."""

from collections.abc import Mapping
from typing import Literal

import attrs

__all__ = [
    "CLIENT",
    "INTERNAL",
    "Attributes",
    "LogData",
    "MetricData",
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
