"""Sentences about what a file holds and its trace does not."""

from collections.abc import Iterable

from sentinel_core._words import counted

__all__ = ["gaps_at"]

_MOST = 10


def gaps_at(one: str, many: str, places: Iterable[object]) -> list[str]:
    """``3 lines are not JSON: 2, 5, 9``, with ``line is not JSON`` where it is ``one``; ten places are named at most.

    Empty where there is no place.
    """
    found = [str(place) for place in places]
    if not found:
        return []
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return [f"{counted(len(found), one, many)}: {', '.join(found[:_MOST])}{more}"]
