"""Spans of a whole file, sorted by trace: what all readers here share."""

from collections.abc import Callable, Iterable, Iterator

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.reading.values import json_values
from sentinel_core.trace import ExecutionTrace
from sentinel_readers_telemetry.aliases import INPUTS, OUTPUTS, Kind
from sentinel_readers_telemetry.assemble import trace_of
from sentinel_readers_telemetry.own import own_trace
from sentinel_readers_telemetry.span import Span, span_of

__all__ = ["read_spans"]

_SHOWN = 5
_CONTENT = frozenset((*INPUTS, *OUTPUTS))


@attrs.define
class _Found:
    """What a file held. ``bad`` are places of records that are no JSON, ``odd`` of values that hold no spans."""

    traces: dict[str, dict[str, Span]] = attrs.field(factory=dict)
    errors: list[ReadError] = attrs.field(factory=list)
    bad: list[str] = attrs.field(factory=list)
    odd: list[str] = attrs.field(factory=list)
    unusable: int = 0
    repeated: int = 0
    spans: int = 0

    def add(self, raw: object, name: str) -> None:
        """One raw span. Of spans with one id the last one counts: exporters send again what they are not sure of."""
        span = span_of(raw)
        if span is None:
            self.unusable += 1
            return
        self.spans += 1
        of_trace = self.traces.setdefault(span.trace_id or name, {})
        key = span.id or f"#{self.spans}"
        self.repeated += key in of_trace
        of_trace[key] = span

    def gaps(self, *, others: int) -> list[str]:
        """What could not be used, in words; ``others`` are traces of no agent."""
        told = []
        if self.bad:
            told.append(f"records that are not JSON: {len(self.bad)} ({_few(self.bad)})")
        if self.odd:
            told.append(f"records without spans: {len(self.odd)} ({_few(self.odd)})")
        if self.unusable:
            told.append(f"spans that are no objects: {self.unusable}")
        if self.repeated:
            told.append(f"spans sent more than once, of which the last counts: {self.repeated}")
        if others:
            told.append(f"traces of no agent: {others}")
        return told


def read_spans(
    source: Source, reader: str, spans_in: Callable[[object], Iterable[object] | None]
) -> Iterator[ExecutionTrace | ReadError]:
    """The traces of a file in the order in which their ids come up. ``spans_in`` takes a JSON value apart; None: not ours.

    A file in which nothing can be used gives its errors; in any other they are told with each trace, as reading gaps.
    """
    found = _gathered(source, spans_in)
    agents = {key: list(spans.values()) for key, spans in found.traces.items() if any(map(_tells, spans.values()))}
    gaps = found.gaps(others=len(found.traces) - len(agents))
    for trace_id, spans in agents.items():
        outcome = _trace(trace_id, spans, reader, gaps)
        if isinstance(outcome, str):
            yield ReadError(message=outcome if len(found.traces) == 1 else f'trace "{trace_id}" {outcome}')
        else:
            yield outcome
    if not agents:
        yield from found.errors or [ReadError(message=text) for text in _nothing_in(found, reader, gaps)]


def _trace(trace_id: str, spans: list[Span], reader: str, gaps: list[str]) -> ExecutionTrace | str:
    """A trace, or why there is none."""
    try:
        trace = own_trace(spans, gaps) or trace_of(spans, trace_id, reader, gaps)
    except RecursionError:
        return "is nested too deep"
    return trace or "holds no message, call or result of its agent"


def _tells(span: Span) -> bool:
    """Whether a span can say anything of an agent."""
    return span.kind is not Kind.OTHER or not _CONTENT.isdisjoint(span.attributes)


def _gathered(source: Source, spans_in: Callable[[object], Iterable[object] | None]) -> _Found:
    found = _Found()
    for record in json_values(source):
        if isinstance(record, ReadError):
            found.errors.append(record)
            found.bad.append("$" if record.line is None else f"line {record.line}")
            continue
        spans = spans_in(record.value)
        if spans is None:
            found.odd.append(record.place)
            continue
        for raw in spans:
            found.add(raw, source.name)
    return found


def _nothing_in(found: _Found, reader: str, gaps: list[str]) -> list[str]:
    if found.spans and not any(
        span.id or span.start is not None for spans in found.traces.values() for span in spans.values()
    ):
        return [f'does not look like "{reader}": nothing in it has a span\'s id or start']
    if found.spans:
        return [f"holds no span of a model call, a tool or an agent (spans: {found.spans})"]
    return gaps[:1]


def _few(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return ", ".join(places[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
