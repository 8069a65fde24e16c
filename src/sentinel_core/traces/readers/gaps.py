"""What a file holds and its trace does not: in sentences, and when it is so much that there is no trace."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sentinel_core.runtime.printable import counted

if TYPE_CHECKING:
    from sentinel_core.offers import ReadError

__all__ = ["gaps_at", "refusals"]

_MOST = 10


def refusals(errors: "Iterable[ReadError]", *, strict: bool) -> "list[ReadError]":
    """Those of the records that cannot be read which refuse the trace that all the others make up together.

    A JSON document is whole or it is none: an element of a list, which has no line, refuses the trace. A line does so only
    where ``strict``; else it is a gap, for a session that broke off ends in half a line.
    """
    return [error for error in errors if strict or error.line is None]


def gaps_at(one: str, many: str, places: Iterable[object]) -> list[str]:
    """``3 lines are not JSON: 2, 5, 9``, with ``line is not JSON`` where it is ``one``; ten places are named at most.

    Empty where there is no place.
    """
    found = [str(place) for place in places]
    if not found:
        return []
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return [f"{counted(len(found), one, many)}: {', '.join(found[:_MOST])}{more}"]
