"""What the readers of this package share: values with their place, gaps, times."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.traces.readers import (
    BadRecord,
    Record,
    counted,
    gaps_at,
    iso_time,
    json_lines,
    json_records,
    refusals,
)

__all__ = [
    "Placed",
    "Skipped",
    "dicts",
    "documents",
    "dollars",
    "inner_place",
    "mapping",
    "milliseconds",
    "name_of",
    "place_of",
    "read_each",
    "text",
    "utc",
]

_BRACKET_LINE = 16

Placed = tuple[Any, str]
"""A message and its place."""


@attrs.define
class Skipped:
    """What could not be used: lines that are not JSON, and other entries counted by kind."""

    bad: list[BadRecord] = attrs.field(factory=list)
    others: Counter[tuple[str, str]] = attrs.field(factory=Counter)

    def count(self, one: str, many: str, number: int = 1) -> None:
        """Count entries of one kind, by its names, such as ``run without an id`` and ``runs without an id``."""
        self.others[one, many] += number

    def metadata(self) -> dict[str, Any]:
        """For the trace's metadata: ``reading_gaps``, or nothing if everything was read."""
        gaps = gaps_at("line is not JSON", "lines are not JSON", (record.line for record in self.bad))
        gaps += [counted(number, one, many) for (one, many), number in self.others.items() if number]
        return {"reading_gaps": gaps} if gaps else {}

    def errors(self) -> Iterator[ReadError]:
        """The errors of a file without a trace, which has no place for gaps."""
        for record in self.bad:
            yield record.error()

    def refusals(self, source: Source) -> list[ReadError]:
        """The errors that refuse the one trace of a whole source; empty if it can be built."""
        return refusals(self.errors(), strict=source.strict)


def documents(source: Source) -> Iterator[Record | BadRecord]:
    """The lines of JSON Lines (without a path), the elements of one list (``$[3]``), or one object (``$``).

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    if _begins_alone(source):
        yield from _of_one(source)
        return
    lines = json_lines(source)
    first = next(lines, None)
    if isinstance(first, Record):
        second = next(lines, None)
        if second is not None:
            yield first
            yield second
            yield from lines
        elif isinstance(first.value, list):
            for position, value in enumerate(first.value):
                yield Record(value=value, line=first.line, path=f"$[{position}]")
        else:
            yield attrs.evolve(first, path="$")
    elif first is not None:
        del lines  # frees the whole line, which is read again
        yield from _of_one(source)


def _begins_alone(source: Source) -> bool:
    """Whether the first line is only a bracket, as in a document over many lines."""
    with source.open() as stream:
        return stream.readline(_BRACKET_LINE).strip() in (b"{", b"[")


def _of_one(source: Source) -> Iterator[Record | BadRecord]:
    """A document over many lines, or JSON Lines with a bad first line."""
    for record in json_records(source):
        # The first line alone is not JSON, so a record without a path is an object over many lines.
        if isinstance(record, Record) and record.path is None and record.line == 1:
            yield attrs.evolve(record, path="$")
        else:
            yield record


def read_each(
    source: Source,
    *,
    is_alone: Callable[[object], bool],
    whole: Callable[[Source, Record], ExecutionTrace | ReadError],
    together: Callable[[str, list[Placed], Skipped], ExecutionTrace],
) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each ``whole`` conversation; single messages, in a list or one per line, make one ``together``."""
    skipped, loose = Skipped(), list[Placed]()
    for record in documents(source):
        if isinstance(record, BadRecord):
            skipped.bad.append(record)
        elif is_alone(record.value):
            loose.append((record.value, place_of(record)))
        else:
            yield whole(source, record)
    if loose and not skipped.refusals(source):
        yield together(name_of(source), loose, skipped)
    else:
        yield from skipped.errors()


def place_of(record: Record) -> str:
    """A record's place: its path in the document, or its line."""
    return record.path or f"line {record.line}"


def inner_place(record: Record, path: str) -> str:
    """The place of a value in a record; ``path`` has no leading ``$``."""
    return record.path + path if record.path else f"line {record.line} ${path}"


def name_of(source: Source, record: Record | None = None) -> str:
    """An id for a trace without one: the source's name, and the trace's place in it."""
    if record is None:
        return source.name
    return source.name + (f":{record.line}" if record.path is None else record.path.removeprefix("$"))


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def dicts(value: object) -> Iterable[Mapping[str, Any]]:
    """The objects of a list; empty for anything else."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else ()


def text(value: object) -> str | None:
    """The value if it is non-empty text."""
    return value if isinstance(value, str) and value else None


def dollars(value: object) -> float | None:
    """A cost as a number or as decimal text; None if it is negative, not finite or anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        cost = float(value)
    except (ValueError, OverflowError):
        return None
    return cost if 0 <= cost < float("inf") else None


def utc(value: object, unit: str = "s") -> str | None:
    """A time as ISO 8601 with ``Z``; platforms write UTC with a space, without a zone, or as a number."""
    time = iso_time(value, unit)
    if time is None or not isinstance(value, str) or value.isdigit():
        return time
    time = time.strip().replace(" ", "T", 1).replace("+00:00", "Z")
    has_zone = time.endswith("Z") or "+" in time[10:] or "-" in time[10:]
    return time if has_zone or "T" not in time else time + "Z"


def milliseconds(start: str | None, end: str | None) -> float | None:
    """From one time to another; None if either is unknown or the end is before the start."""
    if start is None or end is None:
        return None
    try:
        passed = (dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return round(passed * 1000, 3) if passed >= 0 else None
