"""A batch's progress, on one line of a terminal that is overwritten."""

import sys
import time
from typing import TextIO

from sentinel_core.runtime.printable import fitting

__all__ = ["Progress"]

_BETWEEN = 0.25
_MINUTE = 60


class Progress:
    """Call ``show`` at the start and after each split. The default stream is standard error; silent without a terminal.

    The first call sets the starting point of the speed, because a resumed batch starts with finished records.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream or sys.stderr
        self._is_on = self._stream.isatty()
        self._start: tuple[float, int, float] | None = None
        self._shown = 0.0
        self._width = 0

    def show(self, records: int, size: int) -> None:
        """Show the number of finished records, which are ``size`` bytes of the input."""
        share = min(1.0, size / self._total) if self._total else 0.0
        now = time.monotonic()
        if self._start is None:
            self._start, self._shown = (now, records, share), now
        elif self._is_on and now - self._shown > _BETWEEN:
            self._shown = now
            self._write(_line(self._start, (now, records, share)))

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


def _line(start: tuple[float, int, float], now: tuple[float, int, float]) -> str:
    """The line, from time, records and share of the input at the start and now."""
    seconds, records, share = (later - before for before, later in zip(start, now, strict=True))
    left = f", {_clock(seconds * (1 - now[2]) / share)} left" if share else ""
    return f"{now[1]:,} traces, {records / seconds:,.0f}/s, {now[2]:.0%}{left}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
