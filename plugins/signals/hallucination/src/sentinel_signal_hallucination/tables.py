"""Small helpers with which the tables of this signal are written."""

import re
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any, cast

__all__ = ["either", "regex", "words"]


def words(text: str) -> frozenset[str]:
    """The words of a text, for a table that reads better as prose than as a list."""
    return frozenset(text.split())


def either(phrases: Iterable[str]) -> str:
    """An expression for any of the phrases, by their first letters: one look lets most words go."""
    groups = groupby(sorted(phrases), key=itemgetter(0))
    return "|".join(f"{first}(?:{'|'.join(phrase[1:] for phrase in group)})" for first, group in groups)


class _Lazy:
    """Stands in for a compiled expression; each method is looked up once, and is then the expression's own."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """An expression that is compiled when it is first used: most traces need few of them, and a cold start must be short."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
