"""Decodes JSON values, one record at a time, with the place of each; hostile input is refused."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sentinel_core._fast import declared, fast
from sentinel_core.traces.parsing import not_json, parse_json
from sentinel_core.traces.readers.layout import RefusedRecord, parsed_records, too_large
from sentinel_core.traces.readers.lines import BOM, numbered_lines

if TYPE_CHECKING:
    from sentinel_core.offers import ReadError, Source

__all__ = ["BadRecord", "Record", "json_document", "json_lines", "json_records"]


@fast
@declared(kw_only=True)
class Record:
    """One JSON value and its line, from 1; ``path`` is set for an element of a list (``$[3]``)."""

    value: Any
    line: int
    path: str | None = None


class BadRecord(NamedTuple):
    """A line that is not JSON: what is wrong, and where. ``is_part``: not a line, but (a part of) one JSON document."""

    message: str
    line: int
    is_part: bool = False

    def error(self) -> "ReadError":
        """The error for this record; without a line if the message already has the path in the document."""
        from sentinel_core.offers import ReadError

        return ReadError(message=self.message, line=None if self.is_part else self.line)


def json_lines(source: "Source") -> Iterator[Record | BadRecord]:
    """Every line that is not blank. Raises ``OSError`` or ``EOFError`` if the bytes cannot be read."""
    with source.open() as stream:
        for number, data in numbered_lines(stream, source.max_record, source.lines_before):
            if data is None:
                yield BadRecord(message=too_large(source.max_record), line=number)
                continue
            try:
                yield Record(value=parse_json(data, strict=source.strict), line=number)
            except (ValueError, RecursionError) as error:
                yield BadRecord(message=not_json(data, error), line=number)


def json_records(source: "Source") -> Iterator[Record | BadRecord]:
    """Every record of one JSON object over any number of lines, of a JSON list, or of JSON Lines.

    An element of a list has the line 1 and its path. Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    for raw, value in parsed_records(source):
        line = raw.line or 1
        if isinstance(raw, RefusedRecord):
            yield BadRecord(message=raw.message, line=line, is_part=raw.line is None)
        else:
            yield Record(value=value, line=line, path=raw.path if raw.path != "$" else None)


def json_document(source: "Source") -> Any:
    """The whole source as one JSON value, or a ``ReadError`` that says why it is not JSON."""
    from sentinel_core.offers import ReadError

    with source.open() as stream:
        data = stream.read(source.max_record + 1)
    if len(data) > source.max_record:
        return ReadError(message=too_large(source.max_record))
    data = data.removeprefix(BOM)
    try:
        return parse_json(data, strict=source.strict)
    except (ValueError, RecursionError) as error:
        return ReadError(message=not_json(data, error))
