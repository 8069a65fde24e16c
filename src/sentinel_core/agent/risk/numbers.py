"""Numbers as a summary may hold them: checked before they are used, and told so that a person can find them."""

import math

__all__ = ["as_count", "as_number", "percent", "shown"]

_MAX_COUNT = 10**12
_MAX_SHOWN = 10**15
_KIND = {str: "a text", list: "a list", dict: "an object", bool: "true or false"}


def as_count(value: object) -> int | None:
    """A whole number of things, 0 or more; None for anything else."""
    return value if type(value) is int and 0 <= value <= _MAX_COUNT else None


def as_number(value: object, most: float) -> float | None:
    """A number from 0 to ``most``; None for anything else, NaN and true or false included."""
    return value if type(value) in (int, float) and isinstance(value, int | float) and 0 <= value <= most else None


def percent(share: float) -> str:
    """A share of 1 in percent, three digits: ``1.39%``."""
    return f"{100 * share:.3g}%"


def shown(value: object) -> str:
    """A value that is not what it should be: small numbers as they are, anything else by its kind."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _KIND.get(type(value), "of an unknown kind")
    small = math.isfinite(value) if isinstance(value, float) else abs(value) <= _MAX_SHOWN
    return f"{value}" if small else "not a number of any use"
