"""Streams the elements of a JSON list that is too large for memory, as the raw bytes of the file."""

import re
from collections.abc import Generator, Iterator
from typing import IO

from sentinel_core.trace import MOST_DEPTH
from sentinel_core.traces.parsing import TooDeepError
from sentinel_core.traces.readers.lines import MEGABYTE

__all__ = ["end_of_text", "list_elements"]

# A longer text is a quote alone to the first pattern. Every repeat has a limit, so that no text makes the engine remember much.
_token = re.compile(rb'"[^"\\]{0,4096}(?:\\.[^"\\]{0,256}){0,64}"|["{}\[\],]', re.DOTALL)
_text = re.compile(rb'[^"\\]*(?:\\.[^"\\]*){0,1024}', re.DOTALL)
_QUOTE, _COMMA, _END = b'",]'
_OPENING = frozenset(b"[{")
_CLOSING = frozenset(b"]}")


def list_elements(start: bytearray, stream: IO[bytes], limit: int) -> Iterator[bytearray | None]:
    """The bytes of every element, white space included; None for an element of more than ``limit`` bytes, which is skipped.

    ``start`` begins with the list's ``[``; the rest is in ``stream``. The elements need not be valid JSON.
    Raises ``ValueError`` if the list is not closed, is nested too deeply, or something follows it.
    """
    marks = _Marks()
    held: bytearray | None = bytearray()
    is_first = True
    block: bytes | bytearray = start
    begin = 1
    while block:
        for end in marks.in_block(block, begin):
            held = _joined(held, block[begin:end], limit)
            begin = end + 1
            if not (is_first and marks.is_closed and held is not None and not held.strip()):
                yield held
            held, is_first = bytearray(), False
        if not marks.is_closed:
            held = _joined(held, block[begin:], limit)
        elif block[begin:].strip():
            raise ValueError("the list is followed by something else")
        block, begin = stream.read(MEGABYTE), 0
    if not marks.is_closed:
        raise ValueError("the list is not closed")


class _Marks:
    """Finds where the elements of a list end, block by block; a string may span blocks."""

    def __init__(self) -> None:
        self._depth = 1
        self._in_text = False
        self._is_escaped = False

    @property
    def is_closed(self) -> bool:
        """True once the list has ended."""
        return self._depth == 0

    def in_block(self, block: bytes | bytearray, at: int) -> Iterator[int]:
        """The positions, from ``at`` on, of the commas between elements, and of the list's end."""
        while at < len(block) and not self.is_closed:
            at = self._leave_text(block, at) if self._in_text else (yield from self._outside_text(block, at))

    def _outside_text(self, block: bytes | bytearray, at: int) -> Generator[int, None, int]:
        """The same as far as the next text that is long or does not end in the block; returns where that begins."""
        for token in _token.finditer(block, at):
            mark = block[token.start()]
            if mark == _QUOTE:
                if token.end() - token.start() == 1:
                    self._in_text = True
                    return token.end()
            elif self._ends_element(mark):
                yield token.start()
                if self._depth == 0:
                    break
        return len(block)

    def _ends_element(self, mark: int) -> bool:
        if mark in _OPENING:
            self._depth += 1
            if self._depth > MOST_DEPTH + 1:
                raise TooDeepError(f"lists and objects are nested more than {MOST_DEPTH} levels deep")
        elif mark in _CLOSING:
            self._depth -= 1
            if self._depth == 0 and mark != _END:
                raise ValueError('the list begins with "[", but ends with "}"')
            return self._depth == 0
        return mark == _COMMA and self._depth == 1

    def _leave_text(self, block: bytes | bytearray, at: int) -> int:
        """The position after the string that contains ``at``, or the end of the block."""
        end = end_of_text(block, at + self._is_escaped)
        self._in_text = block[end : end + 1] != b'"'
        self._is_escaped = block[end : end + 1] == b"\\"
        return end + 1


def end_of_text(block: bytes | bytearray, at: int) -> int:
    """The position of the quote that closes the JSON text in which ``at`` stands, of a backslash at the block's end, or of that end."""
    quote = block.find(b'"', at)
    end = quote if quote >= 0 else len(block)
    if block.find(b"\\", at, end) < 0:  # 30 times as fast as the pattern; most huge strings are base64 images
        return end
    while True:
        match = _text.match(block, at)
        if match is None or match.end() == at:
            return at
        at = match.end()


def _joined(held: bytearray | None, more: bytes | bytearray, limit: int) -> bytearray | None:
    if held is None or len(held) + len(more) > limit:
        return None
    held += more
    return held
