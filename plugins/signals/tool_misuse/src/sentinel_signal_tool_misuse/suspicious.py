"""Arguments that no honest call has: the whole disk deleted, a way out of the folder to the system's files, SQL smuggled into a value."""

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["may_be_suspicious", "suspicious"]

_LONGEST = 1_000
_SHOWN = 60

# One of these is in each suspicious argument: nearly every trace is let go by them alone.
_MARKS = ("rm -", "../..", "..\\..", "';", "');", "' or", "' OR")

# A command of its own, not a word in quotes that somebody looks for.
_DELETE = (
    r"(?:\A|[;&|\n(])\s{0,9}(?:sudo\s{1,9})?rm\s{1,9}(?=(?:-\S{1,30}\s{1,9}){0,4}-\S{0,30}r)"
    r"(?:-\S{1,30}\s{1,9}){1,5}(?:/|/\*|~/?|\$HOME/?)(?=\s|[;&|)]|\Z)"
)
_WAY_OUT = r"(?:\.\.[/\\]{1,2}){2,30}(?:etc|proc|root|boot|windows|winnt)[/\\]"
# Only after a quote that closes a value: a statement by itself is what a database is asked.
_SQL = (
    r"'\)?\s{0,9};\s{0,9}(?:(?:drop|truncate|alter)\s{1,9}(?:table|database|schema)|delete\s{1,9}from)\b"
    r"|'\s{1,9}or\s{1,9}'?1'?\s{0,9}=\s{0,9}'?1"
)
_PATTERNS = (
    ("would delete the whole disk or home", _DELETE),
    ("escapes its folder to reach system files", _WAY_OUT),
    ("injects SQL into a value", _SQL),
)


def may_be_suspicious(arguments: "Iterable[dict[str, object]]") -> bool:
    """False where no call of the trace can have a suspicious argument: told for all together, which costs little."""
    together = "\n".join([value for given in arguments for value in given.values() if isinstance(value, str)])
    if "rm -" not in together and ".." not in together and "'" not in together:
        return False
    return any(mark in together for mark in _MARKS)


@functools.cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((what, re.compile(pattern, re.IGNORECASE)) for what, pattern in _PATTERNS)


def suspicious(values: "Iterable[object]") -> str | None:
    """What the first suspicious text among a call's arguments would do, with its words; texts above 1,000 characters are contents."""
    for value in values:
        if isinstance(value, str) and len(value) <= _LONGEST and any(mark in value for mark in _MARKS):
            for what, pattern in _compiled():
                found = pattern.search(value)
                if found is not None:
                    return f"{what}: {found[0].strip()[:_SHOWN]!r}"
    return None
