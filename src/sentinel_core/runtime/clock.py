"""A run's only sources of time, ids, and randomness, so that a test can fix them."""

import datetime as dt
import random
import secrets
import time
from collections.abc import Callable

import attrs

__all__ = ["Clock", "new_run_id", "utc_now"]


def utc_now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond: ``2026-01-31T09:30:00.125Z``."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_run_id() -> str:
    """An id that sorts by time and is safe as a file name: ``20260131T093000-9f86d081``."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


@attrs.frozen(kw_only=True)
class Clock:
    """Time of day (ISO 8601 text), a stopwatch (seconds), ids, a sleep (seconds), and random numbers in [0, 1)."""

    now: Callable[[], str] = utc_now
    stopwatch: Callable[[], float] = time.monotonic
    new_id: Callable[[], str] = new_run_id
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def timed_since(self, start: float) -> float:
        """Milliseconds since ``start``, a reading of the stopwatch; three decimals."""
        return round((self.stopwatch() - start) * 1000, 3)
