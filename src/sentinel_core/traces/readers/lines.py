"""Reads a stream line by line; a line beyond the limit is skipped without holding it in memory."""

from collections.abc import Iterator
from typing import IO

__all__ = ["BOM", "MEGABYTE", "numbered_lines"]

MEGABYTE = 1 << 20
BOM = b"\xef\xbb\xbf"


def numbered_lines(stream: IO[bytes], limit: int, before: int = 0) -> Iterator[tuple[int, bytes | bytearray | None]]:
    """Every line that is not blank, with its number from 1; None for one of more than ``limit`` bytes.

    A byte order mark at the start is dropped. ``before`` is the number of lines of the file before the stream.
    """
    number = before
    while line := stream.readline(MEGABYTE):
        number += 1
        whole: bytes | bytearray | None = line
        if len(line) == MEGABYTE and not line.endswith(b"\n"):
            whole = _long_line(stream, line, limit)
        if number == 1 and whole is not None and whole.startswith(BOM):
            whole = whole[len(BOM) :]
        if whole is None or not (whole.isspace() or not whole):
            yield number, whole


def _long_line(stream: IO[bytes], start: bytes, limit: int) -> bytearray | None:
    """The whole line. A byte array grows in place; joining pieces would need twice the memory."""
    held: bytearray | None = bytearray(start) if len(start) <= limit else None
    while more := stream.readline(MEGABYTE):
        if held is not None:
            held = _grown(held, more, limit)
        if more.endswith(b"\n"):
            break
    return held


def _grown(held: bytearray, more: bytes, limit: int) -> bytearray | None:
    if len(held) + len(more) > limit:
        return None
    held += more
    return held
