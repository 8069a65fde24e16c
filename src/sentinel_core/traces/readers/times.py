"""Converts times to ISO 8601 in UTC."""

import datetime as dt
import math

__all__ = ["iso_time"]

_UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_MOST_DIGITS = 20
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - UTC; without a zone it prints without one
_LATEST = 253_402_300_799  # the end of the year 9999, in seconds


def iso_time(value: object, unit: str = "s") -> str | None:
    """Text as it is; a number (or digits) in seconds, ``ms``, ``us`` or ``ns`` since 1970 as ISO 8601 with ``Z``.

    None for anything else: nothing, 0, a number out of range.
    """
    if value is None or (isinstance(value, str) and not (value.isdigit() and value.isascii())):
        return value or None
    if isinstance(value, str) and len(value) > _MOST_DIGITS:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    number = float(value) if isinstance(value, float) else int(value)
    if (isinstance(number, float) and not math.isfinite(number)) or not 0 < number <= _LATEST * _UNITS[unit]:
        return None
    micros = (
        int(number * 1_000_000) // _UNITS[unit] if isinstance(number, int) else round(number * 1_000_000 / _UNITS[unit])
    )
    return (_EPOCH + dt.timedelta(microseconds=micros)).isoformat() + "Z"
