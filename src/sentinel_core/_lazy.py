"""Packages whose names are imported when they are first used."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    namespace: dict[str, Any], module_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__`` that import each name's module when the name is first used."""

    def get(name: str) -> Any:
        try:
            module = importlib.import_module(module_of[name])
        except KeyError:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}") from None
        value = namespace[name] = getattr(module, name)
        return value

    return get, lambda: sorted([*namespace, *module_of])
