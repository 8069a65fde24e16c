"""Small helpers: a look for digits, expressions and values that are made when first asked for."""

import re
from collections.abc import Callable
from string import digits
from typing import Any, Generic, TypeVar, cast

__all__ = ["has_digit", "once", "regex"]

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


class once(Generic[_Owner, _Value]):  # noqa: N801 - written as a decorator
    """A value that is made once for each object, without the lock that ``functools.cached_property`` takes before Python 3.12."""

    def __init__(self, make: Callable[[_Owner], _Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, owner: _Owner, kind: type[_Owner]) -> _Value:
        value = owner.__dict__[self._name] = self._make(owner)
        return value


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


def has_digit(text: str) -> bool:
    """True where a figure may be in the text: far quicker than an expression, which looks at each letter."""
    return any(map(text.__contains__, digits))
