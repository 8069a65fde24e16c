"""Describes what a reader could not read, and decides when that refuses the whole trace."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sentinel_core.runtime.printable import counted

if TYPE_CHECKING:
    from sentinel_core.offers import ReadError

__all__ = ["gaps_at", "refusals"]

_MOST = 10


def refusals(errors: "Iterable[ReadError]", *, strict: bool) -> "list[ReadError]":
    """The unreadable records that refuse the whole trace.

    A JSON document must be complete, so a bad element of a list, which has no line, refuses the trace. A bad line refuses it
    only if ``strict``; otherwise it is a gap, because an interrupted session ends in half a line.
    """
    return [error for error in errors if strict or error.line is None]


def gaps_at(one: str, many: str, places: Iterable[object]) -> list[str]:
    """``3 lines are not JSON: 2, 5, 9``, with ``line is not JSON`` as ``one``; names ten places at most.

    Empty without places.
    """
    names = [str(place) for place in places]
    if not names:
        return []
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return [f"{counted(len(names), one, many)}: {', '.join(names[:_MOST])}{more}"]
