"""Reads JSON values from a file of any layout, and from text inside other JSON."""

from collections.abc import Iterator
from typing import Any

from sentinel_core._fast import declared, fast
from sentinel_core.offers import ReadError, Source
from sentinel_core.traces.parsing import parse_json
from sentinel_core.traces.readers.layout import RefusedRecord, parsed_records

__all__ = ["Placed", "embedded_json", "json_values"]


@fast
@declared(kw_only=True)
class Placed:
    """A value and its place: ``line 3`` in JSON Lines, ``$[3]`` in a list, ``$`` for the whole file."""

    value: Any
    place: str


def json_values(source: Source) -> Iterator[Placed | ReadError]:
    """The values of one JSON document, a list, or JSON Lines, one at a time; a ``ReadError`` for each that is not JSON.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    for record, value in parsed_records(source):
        if isinstance(record, RefusedRecord):
            yield ReadError(message=record.message, line=record.line)
        else:
            yield Placed(value=value, place=record.path if record.line is None else f"line {record.line}")


def embedded_json(text: str) -> Any:
    """The object or list in a JSON text; the text itself if it is not JSON, or is nested too deeply."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return parse_json(text.encode())
    except (ValueError, RecursionError):
        return text
