"""Spans of a whole file, sorted by trace: what all readers here share."""

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
    """What a file held. ``errors`` are records that are no JSON, ``odd`` the places of values that hold no spans.

    ``repeated`` spans were sent again as they were or with more, ``changed`` ones with something else.
    """

    traces: dict[str, dict[str, Span]] = attrs.field(factory=dict)
    errors: list[ReadError] = attrs.field(factory=list)
    odd: list[str] = attrs.field(factory=list)
    unusable: int = 0
    repeated: int = 0
    changed: int = 0
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
        if (earlier := of_trace.get(key)) is not None:
            is_kept = _says_as_much(span, earlier)
            self.repeated += is_kept
            self.changed += not is_kept
        of_trace[key] = span

    def told(self, *, others: int) -> dict[str, list[str]]:
        """What could not be used, in words, as metadata of a trace; ``others`` are traces of no agent."""
        bad = [f"line {error.line}" for error in self.errors]
        gaps = (
            (len(bad), f"records that are not JSON: {len(bad)} ({_few(bad)})"),
            (len(self.odd), f"records without spans: {len(self.odd)} ({_few(self.odd)})"),
            (self.unusable, f"spans that are no objects: {self.unusable}"),
            (self.changed, f"spans sent again with something else, of which the last counts: {self.changed}"),
        )
        notes = (
            (self.repeated, f"spans sent more than once, of which the last counts: {self.repeated}"),
            (others, f"traces of no agent: {others}"),
        )
        rows = {"reading_gaps": gaps, "reading_notes": notes}
        return {key: [line for count, line in lines if count] for key, lines in rows.items()}


def read_spans(
    source: Source, reader: str, spans_in: Callable[[object], Iterable[object] | None]
) -> Iterator[ExecutionTrace | ReadError]:
    """The traces of a file in the order in which their ids come up. ``spans_in`` takes a JSON value apart; None: not ours.

    A file in which nothing can be used gives its errors, and so does a list with an element that cannot be read; in any
    other they are told with each trace, as reading gaps.
    """
    found = _gathered(source, spans_in)
    if refused := refusals(found.errors, strict=source.strict):
        yield from refused
        return
    agents = {key: list(spans.values()) for key, spans in found.traces.items() if any(map(_tells, spans.values()))}
    told = found.told(others=len(found.traces) - len(agents))
    for trace_id, spans in agents.items():
        outcome = _trace(trace_id, spans, reader, told)
        if isinstance(outcome, str):
            yield ReadError(message=outcome if len(found.traces) == 1 else f'trace "{trace_id}" {outcome}')
        else:
            yield outcome
    if not agents:
        yield from found.errors or [ReadError(message=text) for text in _nothing_in(found, reader, told)]


def _trace(trace_id: str, spans: list[Span], reader: str, told: dict[str, list[str]]) -> ExecutionTrace | str:
    """A trace, or why there is none."""
    try:
        trace = own_trace(spans, told) or trace_of(spans, trace_id, reader, told)
    except RecursionError:
        return "is nested too deep"
    return trace or "holds no message, call or result of its agent"


def _says_as_much(span: Span, earlier: Span) -> bool:
    return (
        earlier.attributes.items() <= span.attributes.items() and earlier.events == span.events[: len(earlier.events)]
    )


def _tells(span: Span) -> bool:
    """Whether a span can say anything of an agent."""
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


def _nothing_in(found: _Found, reader: str, told: dict[str, list[str]]) -> list[str]:
    if found.spans and not any(
        span.id or span.start is not None for spans in found.traces.values() for span in spans.values()
    ):
        return [f'does not look like "{reader}": nothing in it has a span\'s id or start']
    if found.spans:
        return [f"holds no span of a model call, a tool or an agent (spans: {found.spans})"]
    return told["reading_gaps"][:1]


def _few(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return ", ".join(places[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
