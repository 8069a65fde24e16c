"""Reads a text file as lines with their numbers."""

from sentinel_core import ReadError, Source
from sentinel_core.traces.readers.layout import too_large

__all__ = ["Numbered", "text_lines"]

Numbered = tuple[int, str]
"""A line's number, from 1, and its text without the line's end."""


def text_lines(source: Source) -> list[Numbered] | ReadError:
    """All lines; a ``ReadError`` for a file that is too large or not UTF-8.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    with source.open() as stream:
        data = stream.read(source.max_record + 1)
    if len(data) > source.max_record:
        return ReadError(message=too_large(source.max_record))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return ReadError(message="is not UTF-8", line=data.count(b"\n", 0, error.start) + 1)
    return [(number, line.removesuffix("\r")) for number, line in enumerate(text.split("\n"), 1)]
