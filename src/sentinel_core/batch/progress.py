"""How far a batch has come, on one line of a terminal that is written over and over."""

import sys
import time
from typing import TextIO

from sentinel_core.output.progress import fitting

__all__ = ["Progress"]

_BETWEEN = 0.25
_MINUTE = 60


class Progress:
    """``show`` after each split, on standard error where no stream is given. Silent where it is no terminal."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream or sys.stderr
        self._is_on = self._stream.isatty()
        self._started = self._shown = time.monotonic()
        self._bytes = self._records = self._width = 0

    def show(self, records: int, size: int) -> None:
        """So many records more, which are ``size`` bytes of the input."""
        self._bytes += size
        self._records += records
        now = time.monotonic()
        if self._is_on and now - self._shown > _BETWEEN:
            self._shown = now
            self._write(self._line(now - self._started))

    def _line(self, seconds: float) -> str:
        rate = self._records / seconds
        share = min(1.0, self._bytes / self._total) if self._total else 0.0
        left = f", {_clock(seconds * (1 - share) / share)} left" if share else ""
        return f"{self._records:,} traces, {rate:,.0f}/s, {share:.0%}{left}"

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._width = 0

    def _write(self, line: str) -> None:
        shown = fitting(f"{line:<{self._width}}", self._stream)
        self._stream.write(f"\r{shown}")
        self._stream.flush()
        self._width = min(len(line), len(shown))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes}:{rest:02}"
