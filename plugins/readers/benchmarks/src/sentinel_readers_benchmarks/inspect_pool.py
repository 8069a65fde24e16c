"""Resolves what Inspect stores once and refers to: texts as attachments, messages in a pool."""

from collections.abc import Iterator
from typing import Any

from sentinel_core.traces.readers import counted
from sentinel_readers_benchmarks._values import as_dict, as_list

__all__ = ["Attachments", "Unseen", "ranges"]

_PROTOCOL = "attachment://"
_DEEPEST = 24
# Limit for resolved text, in characters: an image in every message is fine, an expansion bomb is not.
_MOST = 256 << 20


class Attachments:
    """Texts by hash. ``resolved`` replaces references by them."""

    def __init__(self, raw: object) -> None:
        self._texts = as_dict(raw)
        self._missing = 0
        self._spent = 0
        self._refused = 0

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """The value with every reference replaced; unchanged if there are no attachments."""
        if isinstance(value, str):
            return self._text(value) if value.startswith(_PROTOCOL) else value
        if depth > _DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: self.resolved(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.resolved(inner, depth + 1) for inner in value]
        return value

    def _text(self, reference: str) -> str:
        text = self._texts.get(reference.removeprefix(_PROTOCOL))
        if not isinstance(text, str):
            self._missing += 1
            return reference
        self._spent += len(text)
        if self._spent > _MOST:
            self._refused += 1
            return reference
        return text

    def gaps(self) -> list[str]:
        """The references that could not be resolved."""
        missing = counted(self._missing, "attachment is missing from the log", "attachments are missing from the log")
        refused = f"{counted(self._refused, 'attachment')} would make the sample larger than {_MOST >> 20} MB"
        return [missing] * bool(self._missing) + [refused] * bool(self._refused)


def ranges(refs: object, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of positions below ``size``, from pairs of start and end; anything else is skipped."""
    for ref in as_list(refs):
        if isinstance(ref, list) and len(ref) == 2 and all(type(end) is int for end in ref):  # noqa: PLR2004 - a pair
            yield max(0, ref[0]), min(size, ref[1])


class Unseen:
    """Positions of a pool that are not taken yet. Each is given once, at linear cost even if ranges repeat."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    def take(self, start: int, stop: int) -> Iterator[int]:
        """The positions from ``start`` up to ``stop`` that no earlier call took."""
        position = self._free(start)
        while position < stop:
            self._next[position] = position + 1
            yield position
            position = self._free(position + 1)

    def _free(self, position: int) -> int:
        """The first free position from here on; compresses the path for later calls."""
        path = []
        while position in self._next:
            path.append(position)
            position = self._next[position]
        for passed in path:
            self._next[passed] = position
        return position
