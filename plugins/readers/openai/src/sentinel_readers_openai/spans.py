"""Gathers OpenAI Agents SDK spans by trace, and assigns each to the scope of the agent that owns it."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ReadError, Source
from sentinel_core.traces.readers import gaps_at, refusals
from sentinel_readers_openai.values import Value, field, json_values, lines_not_json, mapping, text

__all__ = ["Run", "Span", "runs_in", "scopes_of"]

# Nesting of agents in tools; deeper agents belong to the last scope.
_MOST_NESTED = 16


@attrs.define(kw_only=True, eq=False)
class Span:
    """One timed operation; ``kind`` is the type of its data, ``position`` its place in the file."""

    id: str
    parent_id: str | None
    start: str
    end: str | None
    kind: str
    data: Mapping[str, Any]
    error: Mapping[str, Any]
    position: int

    @property
    def origin(self) -> str:
        """The origin of a message from this span, for its details."""
        return f"span {self.id}"

    @property
    def duration_ms(self) -> float | None:
        """The duration in ms; None if a time is missing or invalid."""
        try:
            lasted = dt.datetime.fromisoformat(self.end or "") - dt.datetime.fromisoformat(self.start)
        except (ValueError, TypeError, OverflowError):
            return None
        return round(lasted.total_seconds() * 1000, 3)

    @property
    def problem(self) -> str | None:
        """The error's text, from the tool itself if recorded."""
        data = mapping(self.error.get("data"))
        return text(data.get("error")) or text(self.error.get("message")) or ("error" if self.error else None)


@attrs.define(kw_only=True, eq=False)
class Run:
    """One trace: its header, if there was one, and its spans by id."""

    header: Mapping[str, Any] = attrs.field(factory=dict)
    spans: dict[str, Span] = attrs.field(factory=dict)


def runs_in(source: Source) -> tuple[dict[str, Run], list[str], list[ReadError]]:
    """The runs by trace id, what could not be used, and, without runs, the errors of the file.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    runs: dict[str, Run] = {}
    unread: list[ReadError] = []
    foreign: list[str] = []
    position = 0
    for value in json_values(source):
        if isinstance(value, ReadError):
            unread.append(value)
            continue
        for entry, origin in _entries(value):
            position += 1
            if not _take(runs, entry, source.name, position):
                foreign.append(origin)
    if refused := refusals(unread, strict=source.strict):
        return {}, [], refused
    if not runs:
        return {}, [], unread[:1] or ([ReadError(message="contains no spans")] if foreign else [])
    gaps = lines_not_json(unread) + gaps_at(
        "entry is neither a trace nor a span", "entries are neither traces nor spans", foreign
    )
    return runs, gaps, []


def _entries(value: Value) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The object itself, or the objects of a batch as sent to the server."""
    batch = value.value if isinstance(value.value, list) else mapping(value.value).get("data")
    if not isinstance(batch, list):
        yield mapping(value.value), value.origin()
        return
    for position, entry in enumerate(batch):
        yield mapping(entry), value.origin(f".data[{position}]")


def _take(runs: dict[str, Run], entry: Mapping[str, Any], name: str, position: int) -> bool:
    """Add one object; of two with the same id the later counts. False if it is neither a trace nor a span."""
    kind, own = entry.get("object"), field(entry, "id")
    if kind == "trace" and own is not None:
        runs.setdefault(own, Run()).header = entry
        return True
    if kind != "trace.span" or own is None:
        return False
    data = mapping(entry.get("span_data"))
    runs.setdefault(field(entry, "trace_id") or name, Run()).spans[own] = Span(
        id=own,
        parent_id=field(entry, "parent_id"),
        start=text(entry.get("started_at")) or "",
        end=text(entry.get("ended_at")),
        kind=str(data.get("type")),
        data=data,
        error=mapping(entry.get("error")),
        position=position,
    )
    return True


def scopes_of(spans: Mapping[str, Span]) -> dict[str | None, list[Span]]:
    """Spans in order of their start, by the innermost function call that they happened in; None is the run itself."""
    scope: dict[str, str | None] = {}
    depth: dict[str | None, int] = {None: 0}
    for span in spans.values():
        for inner in _upwards(span, spans, scope):
            parent = spans.get(inner.parent_id or "")
            around = scope.get(inner.parent_id or "")
            # A parent without a scope closes a cycle.
            if parent is not None and parent.id in scope and parent.kind == "function" and depth[around] < _MOST_NESTED:
                depth[parent.id] = depth[around] + 1
                around = parent.id
            scope[inner.id] = around
    grouped: dict[str | None, list[Span]] = {}
    for span in sorted(spans.values(), key=lambda span: (span.start, span.end or "", span.position)):
        grouped.setdefault(scope[span.id], []).append(span)
    return grouped


def _upwards(span: Span, spans: Mapping[str, Span], known: Mapping[str, object]) -> list[Span]:
    """The span and its ancestors without a scope yet, outermost first; a cycle is cut where it closes."""
    path: dict[str, Span] = {}
    at: Span | None = span
    while at is not None and at.id not in known and at.id not in path:
        path[at.id] = at
        at = spans.get(at.parent_id or "")
    return list(reversed(path.values()))
