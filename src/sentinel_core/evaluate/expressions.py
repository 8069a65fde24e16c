"""Regular expressions that are compiled when they are first used."""

import re
from typing import Any, cast

__all__ = ["regex"]


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
