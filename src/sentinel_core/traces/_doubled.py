"""Keys that a JSON object has more than once: of these every decoder keeps the last, and what the others said is gone."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

__all__ = ["DoubledKeyError", "JsonObject", "check_doubled", "doubled"]


class DoubledKeyError(ValueError):
    """An object has a key more than once: what is wrong, and where."""


class JsonObject(dict[str, Any]):
    """A JSON object that remembers which of its keys were written more than once."""

    duplicates: tuple[str, ...] = ()

    @classmethod
    def of_pairs(cls, pairs: list[tuple[str, Any]]) -> "JsonObject":
        """For ``object_pairs_hook``."""
        made = cls(pairs)
        if len(made) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            made.duplicates = tuple(sorted(name for name, count in counts.items() if count > 1))
        return made


def doubled(value: object, path: str) -> Iterator[str]:
    """A sentence for each key that is written more than once in a value made of ``JsonObject``."""
    if isinstance(value, JsonObject):
        for name in value.duplicates:
            yield f'key "{name}" is written more than once @ {path}'
        for name, inner in value.items():
            yield from doubled(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from doubled(inner, f"{path}[{position}]")


def check_doubled(data: bytes | bytearray) -> None:
    """Raises ``DoubledKeyError`` for the first such key of what is known to be JSON."""
    problem = next(doubled(json.loads(data, object_pairs_hook=JsonObject.of_pairs, parse_int=str), "$"), None)
    if problem is not None:
        raise DoubledKeyError(problem)
