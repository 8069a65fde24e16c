"""A batch's progress, on one line of a terminal that is overwritten."""

import sys
import time
from typing import TextIO

from sentinel_core.runtime.printable import fitting

__all__ = ["Progress"]

_BETWEEN = 0.25
_MINUTE = 60
_KILOBYTE, _MEGABYTE = 1_000, 1_000_000


class Progress:
    """Call ``show`` at the start and after each split, ``pending`` in between. The default stream is standard error; silent without a terminal.

    The first call sets the starting point of the speed, because a resumed batch starts with finished records.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream or sys.stderr
        self._is_on = self._stream.isatty()
        self._start: tuple[float, int, int] | None = None
        self._done, self._pending = (0, 0), 0
        self._shown = float("-inf")
        self._width = 0

    def show(self, records: int, size: int) -> None:
        """Show the number of finished records, which are ``size`` bytes of the input."""
        self._done, self._pending = (records, size), 0
        if self._start is None:
            self._start = (time.monotonic(), records, size)
        self._draw()

    def pending(self, records: int) -> None:
        """Show ``records`` more, which are judged while the splits that they belong to are not finished."""
        self._pending = records
        self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        if self._start is None or not self._is_on or now - self._shown <= _BETWEEN:
            return
        self._shown = now
        records, size = self._done
        if records:
            size = min(self._total, size + self._pending * size // records)
        self._write(_line(self._start, (now, records + self._pending, size), self._total))

    def clear(self) -> None:
        """Clear the line."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._width = 0

    def _write(self, line: str) -> None:
        shown = fitting(f"{line:<{self._width}}", self._stream)
        self._stream.write(f"\r{shown}")
        self._stream.flush()
        self._width = min(len(line), len(shown))


def _line(start: tuple[float, int, int], now: tuple[float, int, int], total: int) -> str:
    """The line, from time, records and bytes of the input at the start and now."""
    seconds, records, size = now[0] - start[0], now[1] - start[1], now[2] - start[2]
    rate = f", {records / seconds:,.0f}/s" if seconds and records else ""
    left = f", {_clock(seconds * (total - now[2]) / size)} left" if size and total else ""
    read = f", {_amount(now[2], total)} ({now[2] / total:.0%})" if total else ""
    return f"{now[1]:,} traces{read}{rate}{left}"


def _amount(size: int, total: int) -> str:
    unit, name = (_MEGABYTE, "MB") if total >= _MEGABYTE else (_KILOBYTE, "kB")
    return f"{size / unit:,.1f} of {total / unit:,.1f} {name}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
