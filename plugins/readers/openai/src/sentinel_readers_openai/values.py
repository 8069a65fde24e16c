"""Reads the JSON values of a source, each with its place, and describes what could not be used."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from sentinel_core import ReadError, Source
from sentinel_core.traces.readers import gaps_at
from sentinel_core.traces.readers.values import json_values as placed_values

__all__ = ["Value", "field", "gaps_metadata", "json_values", "lines_not_json", "mapping", "text"]

_LINE = "line "
_NOTHING: Mapping[str, Any] = {}


@attrs.frozen(kw_only=True)
class Value:
    """A JSON value and its place: ``line 3`` in JSON Lines, ``$[3]`` in a list, ``$`` for the whole file."""

    value: Any
    place: str

    def origin(self, below: str = "") -> str:
        """The place of a value inside this one: ``line 3 $.messages[1]``, ``$[2].input``."""
        if below and self.line is not None:
            return f"{self.place} ${below}"
        return self.place + below

    @property
    def line(self) -> int | None:
        """The line, if it has one."""
        return int(self.place.removeprefix(_LINE)) if self.place.startswith(_LINE) else None

    def error(self, message: str) -> ReadError:
        """The error for a value that cannot be used."""
        return ReadError(message=f"{message} at {'$' if self.line is not None else self.place}", line=self.line)


def json_values(source: Source) -> Iterator[Value | ReadError]:
    """The lines, the elements of the list, or the one object of a source; a ``ReadError`` for what is not JSON.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    for placed in placed_values(source):
        yield placed if isinstance(placed, ReadError) else Value(value=placed.value, place=placed.place)


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def text(value: object) -> str | None:
    """The value if it is non-empty text."""
    return value if isinstance(value, str) and value else None


def field(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of these fields that is text or a whole number, as text."""
    for name in names:
        value = record.get(name)
        if (isinstance(value, str) and value) or (isinstance(value, int) and not isinstance(value, bool)):
            return str(value)
    return None


def lines_not_json(errors: Iterable[ReadError]) -> list[str]:
    """The gap for bad lines in a file whose other lines make up one trace; empty without bad lines."""
    return gaps_at("line is not JSON", "lines are not JSON", (f"line {error.line}" for error in errors))


def gaps_metadata(gaps: list[str], notes: Sequence[str] = (), /, **known: object) -> dict[str, Any]:
    """A trace's metadata: known values that are not None, with gaps and notes if there are any."""
    metadata = {name: value for name, value in known.items() if value is not None}
    lines_by_key = {"reading_gaps": gaps, "reading_notes": list(notes)}
    return {**metadata, **{key: lines for key, lines in lines_by_key.items() if lines}}
