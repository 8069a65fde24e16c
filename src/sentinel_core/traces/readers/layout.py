"""Recognises one JSON object, a JSON list or JSON Lines, and yields the records as bytes."""

import io
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from sentinel_core.trace import from_json
from sentinel_core.traces.readers.lines import MEGABYTE, numbered_lines

if TYPE_CHECKING:
    from sentinel_core.offers import Source

__all__ = ["RawRecord", "RefusedRecord", "is_json_lines", "parsed_records", "raw_records", "too_large"]

_STREAMED_FROM = 64 * MEGABYTE
_PEEK = 4096
_CUT = "Input data was truncated"  # as msgspec says it
_is_list = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
_is_object = re.compile(rb"\s*\{")
_list_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_any_decoder = msgspec.json.Decoder(msgspec.Raw)


class RawRecord(NamedTuple):
    """The bytes of one record; ``line`` is known in JSON Lines, ``path`` leads into a list (``$[3]``)."""

    data: bytes | bytearray | msgspec.Raw
    line: int | None = None
    path: str = "$"


class RefusedRecord(NamedTuple):
    """A record that is too large, or whose end cannot be found."""

    message: str
    line: int | None = None


_Numbered = tuple[int, bytes | bytearray | None]


def raw_records(source: "Source") -> Iterator[RawRecord | RefusedRecord]:
    """Every record. Raises ``OSError`` or ``EOFError`` if the bytes cannot be read."""
    limit = source.max_record
    with source.open() as opened:
        stream = _peekable(opened)
        if source.lines_before:  # a part of a file of lines
            yield from (_of_line(line, limit) for line in numbered_lines(stream, limit, source.lines_before))
            return
        if _is_list.match(stream.peek(_PEEK)) is not None:
            yield from _list(stream, limit)
            return
        lines = numbered_lines(stream, limit)
        head = list(islice(lines, 2))
        if not _is_cut(head):
            yield from (_of_line(line, limit) for line in chain(head, lines))
            return
        held, is_whole = _one_value(head, stream, limit)
        if is_whole or not _begins_another(head):
            yield _object(held, stream, limit)
            return
        again = numbered_lines(io.BufferedReader(_Again(held, stream)), limit)
        yield from (_of_line(line, limit) for line in again)


def parsed_records(source: "Source") -> Iterator[tuple[RawRecord | RefusedRecord, Any]]:
    """Every record with its JSON value; None for a record that was refused or is not JSON.

    A strict source also refuses duplicate keys. Raises ``OSError`` or ``EOFError`` where the
    bytes cannot be read.
    """
    from sentinel_core.traces.parsing import not_json, parse_json

    for raw in raw_records(source):
        if isinstance(raw, RefusedRecord):
            yield raw, None
            continue
        data = raw.data if isinstance(raw.data, (bytes, bytearray)) else bytes(raw.data)
        try:
            value = parse_json(data, strict=source.strict)
        except (ValueError, RecursionError) as error:
            problem = not_json(data, error).replace(" at $", f" at {raw.path}", 1)
            yield RefusedRecord(message=problem, line=raw.line), None
        else:
            yield raw, value


def is_json_lines(source: "Source") -> bool:
    """True if each line is a record. Raises ``OSError`` or ``EOFError`` if the bytes cannot be read."""
    with source.open() as opened:
        stream = _peekable(opened)
        if _is_list.match(stream.peek(_PEEK)) is not None:
            return False
        head = list(islice(numbered_lines(stream, source.max_record), 2))
        return not (_is_cut(head) and (not _begins_another(head) or _one_value(head, stream, source.max_record)[1]))


def _is_cut(head: list[_Numbered]) -> bool:
    """True if the first of two lines is not a complete JSON value: the record continues, or cannot be read."""
    if len(head) < 2:  # noqa: PLR2004 - the first two lines
        return False
    first, second = head[0][1], head[1][1]
    return first is not None and second is not None and not _is_json(first)


def _begins_another(head: list[_Numbered]) -> bool:
    return _is_object.match(head[1][1] or b"") is not None


def _one_value(head: list[_Numbered], stream: IO[bytes], limit: int) -> tuple[bytearray, bool]:
    """The bytes read, and whether they are one JSON value; if both lines begin an object, only more bytes can decide.

    Stops at the first error: if the lines are records, what follows the first record is not part of it.
    """
    held, number = bytearray(), 1
    for its, line in head:
        held += b"\n" * (its - number) + (
            line or b""
        )  # keeps the blank lines between them, so that line numbers stay right
        number = its + 1
    if not _begins_another(head):
        return held, False
    while (problem := _why_not_json(held)) == _CUT and len(held) <= limit:
        more = stream.read(max(MEGABYTE, len(held)))
        if not more:
            break
        held += more
    return held, not problem


class _Again(io.RawIOBase):
    """Bytes that were read already, and then those of the stream."""

    def __init__(self, held: bytearray, stream: IO[bytes]) -> None:
        self._held, self._stream = held, stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._held[: len(buffer)] or self._stream.read(len(buffer))
        del self._held[: len(data)]
        buffer[: len(data)] = data
        return len(data)


def _peekable(stream: IO[bytes]) -> io.BufferedReader:
    return cast(
        "io.BufferedReader", stream if hasattr(stream, "peek") else io.BufferedReader(cast("io.RawIOBase", stream))
    )


def _of_line(line: _Numbered, limit: int) -> RawRecord | RefusedRecord:
    number, data = line
    if data is None:
        return RefusedRecord(message=too_large(limit), line=number)
    return RawRecord(data=data, line=number)


def _object(held: bytearray, stream: IO[bytes], limit: int) -> RawRecord | RefusedRecord:
    """One object over many lines."""
    held = _read_up_to(held, stream, limit)
    return RawRecord(data=held) if len(held) <= limit else RefusedRecord(message=too_large(limit))


def _list(stream: IO[bytes], limit: int) -> Iterator[RawRecord | RefusedRecord]:
    """A list over any number of lines; a large one is split as it is read."""
    held = _read_up_to(bytearray(), stream, _STREAMED_FROM)
    del held[: held.index(b"[")]
    more = stream.read(1)
    held += more
    yield from _streamed_elements(held, stream, limit) if more else _elements(held)


def _elements(data: bytearray) -> Iterator[RawRecord | RefusedRecord]:
    try:
        records = _list_decoder.decode(data)
    except (ValueError, RecursionError) as error:
        yield RefusedRecord(message=_why(data, error))
        return
    yield from (RawRecord(data=raw, path=f"$[{position}]") for position, raw in enumerate(records))


def _streamed_elements(held: bytearray, stream: IO[bytes], limit: int) -> Iterator[RawRecord | RefusedRecord]:
    """Like ``_elements``. Invalid JSON ends the list, because the next element's start is unknown."""
    from sentinel_core.traces.readers.elements import list_elements

    path = "$[0]"
    try:
        for position, data in enumerate(list_elements(held, stream, limit)):
            path = f"$[{position}]"
            if data is None:
                yield RefusedRecord(message=f"{too_large(limit)} at {path}")
            elif (problem := _problem(data)) is not None:
                yield RefusedRecord(message=problem.replace(" at $", f" at {path}", 1))
                return
            else:
                yield RawRecord(data=data, path=path)
            path = f"$[{position + 1}]"
    except ValueError as error:
        yield RefusedRecord(message=f"{error} at {path}")


def _problem(data: bytearray) -> str | None:
    """Why these bytes are not one JSON value; None if they are. Builds no objects."""
    try:
        _any_decoder.decode(data)
    except (ValueError, RecursionError) as error:
        return _why(data, error)
    return None


def _why(data: bytearray, error: Exception) -> str:
    from sentinel_core.traces.parsing import not_json

    return not_json(data, error)


def _read_up_to(held: bytearray, stream: IO[bytes], limit: int) -> bytearray:
    while len(held) <= limit and (more := stream.read(MEGABYTE)):
        held += more
    return held


def _is_json(data: bytes | bytearray) -> bool:
    return not _why_not_json(data)


def _why_not_json(data: bytes | bytearray) -> str:
    try:
        from_json(data)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def too_large(limit: int) -> str:
    """The message for a record beyond the limit."""
    return f"is larger than {limit // MEGABYTE} MB (max_record_mb)"
