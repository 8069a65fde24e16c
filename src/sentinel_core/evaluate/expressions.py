"""Regular expressions that are compiled when they are first used, and only as far as a text may need them."""

import re
from functools import lru_cache
from typing import Any, cast

__all__ = ["matching", "regex"]


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


_PIECE = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[()|]+|.", re.DOTALL)
_BEGIN = regex(r"\(\?:([\w |-]+)\)(?![?*{])|([\w -]+)([?*{]?)")


def matching(source: str, text: str) -> str | None:
    """Those alternatives of an expression with which the text may begin, None where it can begin with none: a long table is compiled piecemeal.

    The source has no flags and no references to groups.
    """
    found = [alternative for begins, alternative in _alternatives(source) if text.startswith(begins)]
    return "|".join(found) if found else None


@lru_cache(maxsize=256)
def _alternatives(source: str) -> list[tuple[tuple[str, ...], str]]:
    """Each with the letters that it may begin with; empty ones where that is not plain."""
    pieces, depth = [""], 0
    for piece in _PIECE.findall(source):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and not depth:
            pieces.append("")
        else:
            pieces[-1] += piece
    return [(_begins(alternative), alternative) for alternative in pieces]


def _begins(alternative: str) -> tuple[str, ...]:
    match = _BEGIN.match(alternative)
    if match is None:
        return ("",)
    words, letters, repeat = match.groups()
    return tuple(words.split("|")) if words else (letters[:-1] if repeat else letters,)
