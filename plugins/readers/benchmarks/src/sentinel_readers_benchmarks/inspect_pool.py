"""What Inspect stores once and refers to: texts as attachments, messages in a pool."""

from collections.abc import Iterator
from typing import Any

from sentinel_core.traces.readers import counted
from sentinel_readers_benchmarks._values import as_dict, as_list

__all__ = ["Attachments", "Unseen", "ranges"]

_PROTOCOL = "attachment://"
_DEEPEST = 24
# Text that references may grow to, in characters: an image that is sent with every message is no bomb, this is.
_MOST = 256 << 20


class Attachments:
    """Texts by hash. ``resolved`` puts them where they are referred to."""

    def __init__(self, raw: object) -> None:
        self._texts = as_dict(raw)
        self._missing = 0
        self._spent = 0
        self._refused = 0

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """The value with every reference replaced; unchanged where there are no attachments."""
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
        """What could not be put in place."""
        missing = (
            counted(self._missing, "attachment is referred to", "attachments are referred to") + " and not in the log"
        )
        refused = f"{counted(self._refused, 'attachment')} would make the sample larger than {_MOST >> 20} MB"
        return [missing] * bool(self._missing) + [refused] * bool(self._refused)


def ranges(refs: object, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of positions below ``size``, from pairs of start and end; what is no such pair is left out."""
    for ref in as_list(refs):
        if isinstance(ref, list) and len(ref) == 2 and all(type(end) is int for end in ref):  # noqa: PLR2004 - a pair
            yield max(0, ref[0]), min(size, ref[1])


class Unseen:
    """Positions of a pool that were not yet taken. However often ranges repeat, each position is given once, at linear cost."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}

    def take(self, start: int, stop: int) -> Iterator[int]:
        """The positions from ``start`` up to ``stop`` that no earlier call gave."""
        position = self._free(start)
        while position < stop:
            self._next[position] = position + 1
            yield position
            position = self._free(position + 1)

    def _free(self, position: int) -> int:
        """The first free position from here on; the way to it is made short for the next time."""
        path = []
        while position in self._next:
            path.append(position)
            position = self._next[position]
        for passed in path:
            self._next[passed] = position
        return position
