"""Cuts a large JSON Lines file into parts."""

from collections.abc import Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING

import attrs

from sentinel_core.traces.readers.layout import is_json_lines
from sentinel_core.traces.readers.lines import MEGABYTE, numbered_lines

if TYPE_CHECKING:
    from sentinel_core.traces.sources.file_source import FileSource

__all__ = ["Part", "cut_lines", "line_of"]


@attrs.frozen
class Part:
    """``length`` bytes from ``start``, and the number of lines and of records (non-blank lines) before them."""

    start: int
    length: int
    lines_before: int
    records_before: int


def cut_lines(stream: IO[bytes], size: int) -> Iterator[Part]:
    """Parts of about ``size`` bytes, in order, that together are the stream.

    Each but the first starts at a line that begins an object, so that no reader takes the part for a list. Needs one or two
    megabytes of memory.
    """
    counted, line = _Counted(), b""
    while True:
        lines, records, start = counted.lines, counted.records, counted.bytes
        counted.add(line)
        while counted.bytes < start + size and (block := stream.read(min(MEGABYTE, start + size - counted.bytes))):
            counted.add(block)
        while line := stream.readline(MEGABYTE):
            if not counted.open_line and line.startswith(b"{"):
                break
            counted.add(line)
        if counted.bytes > start:
            yield Part(start, counted.bytes - start, lines, records)
        if not line:
            return


def line_of(source: "FileSource", number: int) -> int | None:
    """The line of a record, by its number from 1; None if the file is not JSON Lines or cannot be read."""
    try:
        if not source.lines_before and not is_json_lines(source):
            return None
        with source.open() as stream:
            lines = numbered_lines(stream, source.max_record, source.lines_before)
            return next((line for line, _ in islice(lines, number - source.records_before - 1, None)), None)
    except (OSError, EOFError):
        return None


class _Counted:
    """Counts bytes, complete lines, and complete lines that are not blank."""

    def __init__(self) -> None:
        self.bytes = self.lines = self.records = 0
        self.open_line = b""  # of an incomplete line: nothing, one white-space byte, or its first other byte

    def add(self, block: bytes) -> None:
        """Count the next bytes."""
        *whole, rest = block.split(b"\n")
        if whole:
            whole[0] = self.open_line + whole[0]
            self.open_line = b""
        self.bytes += len(block)
        self.lines += len(whole)
        self.records += sum(1 for line in whole if line and not line.isspace())
        self.open_line = (self.open_line + rest).strip()[:1] or (self.open_line + rest)[:1]
