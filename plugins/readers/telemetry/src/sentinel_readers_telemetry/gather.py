"""Gathers the spans of a file by trace; shared by all readers of this package."""

from collections.abc import Callable, Iterable, Iterator

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.readers import refusals
from sentinel_core.traces.readers.values import json_values
from sentinel_readers_telemetry.aliases import INPUTS, OUTPUTS, Kind
from sentinel_readers_telemetry.assemble import trace_of
from sentinel_readers_telemetry.own import own_trace
from sentinel_readers_telemetry.span import Span, span_of

__all__ = ["read_spans"]

_SHOWN = 5
_CONTENT = frozenset((*INPUTS, *OUTPUTS))


@attrs.define
class _Found:
    """The spans of a file. ``errors`` are records that are not JSON, ``odd`` the places of values without spans.

    ``repeated`` counts spans that were sent again, unchanged or extended; ``changed`` counts those with other content.
    """

    traces: dict[str, dict[str, Span]] = attrs.field(factory=dict)
    errors: list[ReadError] = attrs.field(factory=list)
    odd: list[str] = attrs.field(factory=list)
    unusable: int = 0
    repeated: int = 0
    changed: int = 0
    spans: int = 0

    def add(self, raw: object, name: str) -> None:
        """Add one raw span. Of spans with the same id the last counts, because exporters retry."""
        span = span_of(raw)
        if span is None:
            self.unusable += 1
            return
        self.spans += 1
        of_trace = self.traces.setdefault(span.trace_id or name, {})
        key = span.id or f"#{self.spans}"
        if (earlier := of_trace.get(key)) is not None:
            is_repeated = _extends(span, earlier)
            self.repeated += is_repeated
            self.changed += not is_repeated
        of_trace[key] = span

    def notes(self, *, others: int) -> dict[str, list[str]]:
        """What could not be used, as metadata of a trace; ``others`` counts traces without an agent."""
        bad = [f"line {error.line}" for error in self.errors]
        gaps = (
            (len(bad), f"records that are not JSON: {len(bad)} ({_few(bad)})"),
            (len(self.odd), f"records without spans: {len(self.odd)} ({_few(self.odd)})"),
            (self.unusable, f"spans that are not objects: {self.unusable}"),
            (self.changed, f"spans sent again with different content; the last one counts: {self.changed}"),
        )
        repeats = (
            (self.repeated, f"spans sent more than once; the last one counts: {self.repeated}"),
            (others, f"traces without an agent: {others}"),
        )
        rows = {"reading_gaps": gaps, "reading_notes": repeats}
        return {key: [line for count, line in lines if count] for key, lines in rows.items()}


def read_spans(
    source: Source, reader: str, spans_in: Callable[[object], Iterable[object] | None]
) -> Iterator[ExecutionTrace | ReadError]:
    """The traces of a file, in the order of their first span. ``spans_in`` returns the spans of a JSON value, or None.

    A file without a usable span yields its errors, and so does a list with an unreadable element; otherwise each trace has
    them as reading gaps.
    """
    found = _gathered(source, spans_in)
    if refused := refusals(found.errors, strict=source.strict):
        yield from refused
        return
    agents = {
        key: list(spans.values()) for key, spans in found.traces.items() if any(map(_is_about_agent, spans.values()))
    }
    notes = found.notes(others=len(found.traces) - len(agents))
    for trace_id, spans in agents.items():
        outcome = _trace(trace_id, spans, reader, notes)
        if isinstance(outcome, str):
            yield ReadError(message=outcome if len(found.traces) == 1 else f'trace "{trace_id}" {outcome}')
        else:
            yield outcome
    if not agents:
        yield from found.errors or [ReadError(message=text) for text in _nothing_in(found, reader, notes)]


def _trace(trace_id: str, spans: list[Span], reader: str, notes: dict[str, list[str]]) -> ExecutionTrace | str:
    """A trace, or why there is none."""
    try:
        trace = own_trace(spans, notes) or trace_of(spans, trace_id, reader, notes)
    except RecursionError:
        return "is nested too deeply"
    return trace or "contains no message, call or result of its agent"


def _extends(span: Span, earlier: Span) -> bool:
    return (
        earlier.attributes.items() <= span.attributes.items() and earlier.events == span.events[: len(earlier.events)]
    )


def _is_about_agent(span: Span) -> bool:
    """Whether a span can describe an agent's work."""
    return span.kind is not Kind.OTHER or not _CONTENT.isdisjoint(span.attributes)


def _gathered(source: Source, spans_in: Callable[[object], Iterable[object] | None]) -> _Found:
    found = _Found()
    for record in json_values(source):
        if isinstance(record, ReadError):
            found.errors.append(record)
            continue
        spans = spans_in(record.value)
        if spans is None:
            found.odd.append(record.place)
            continue
        for raw in spans:
            found.add(raw, source.name)
    return found


def _nothing_in(found: _Found, reader: str, notes: dict[str, list[str]]) -> list[str]:
    if found.spans and not any(
        span.id or span.start is not None for spans in found.traces.values() for span in spans.values()
    ):
        return [f'does not look like "{reader}": nothing in it has a span\'s id or start']
    if found.spans:
        return [f"contains no span of a model call, a tool or an agent (spans: {found.spans})"]
    return notes["reading_gaps"][:1]


def _few(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return ", ".join(places[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
