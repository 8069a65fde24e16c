"""The numbers that tool results gave, by the label of their key, and what plainly follows from them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, islice

import msgspec

from sentinel_signal_hallucination.tables import regex

__all__ = ["Facts", "Label", "decoded", "key_label", "label", "same"]

Label = tuple[str, ...]

_DEEPEST = 20
_MOST_VALUES = 40
_MOST_KEPT = 64  # letters of a key: what is kept must stay small whatever a trace holds
# What JSON is decoded to, by exact type: true and false are no numbers.
_NESTED = frozenset((dict, list))
_NUMBERS = frozenset((int, float))
_WORD = regex(r"[a-z]+|\d+")
_CAMEL = regex(r"[A-Z](?<=[a-z].)")  # begins with what is rare: to look behind at each place takes far longer
# One number, written as a share and in percent.
_PERCENT = (100.0, 0.01)
# The same quantity in another unit: thousands, minutes.
_UNITS = (1000.0, 0.001, 60.0, 1 / 60)


def label(key: str) -> Label:
    """The words of a key or phrase: ``errorRate``, ``error_rate`` and ``Error rate`` are one label."""
    return tuple(_WORD.findall(key if key.islower() else _spaced(key).lower()))


def _spaced(key: str) -> str:
    return _CAMEL.sub(r" \g<0>", key) if _CAMEL.search(key) is not None else key


_known_label = lru_cache(maxsize=4096)(label)  # the results of a tool, and those of a batch, have the same few keys


def key_label(key: str) -> Label:
    """The label of a key, remembered where the key is short."""
    return _known_label(key) if len(key) <= _MOST_KEPT else label(key)


def decoded(documents: Iterable[str]) -> Iterator[dict[str, object] | list[object]]:
    """The JSON objects and lists among the documents."""
    for document in documents:
        try:
            value = msgspec.json.decode(document)
        except (msgspec.DecodeError, RecursionError):
            continue
        if type(value) in _NESTED:
            yield value


def same(claimed: float, digits: int, known: float, *, percent: bool = True, units: bool = False) -> bool:
    """True where ``claimed``, written with so many decimal digits, may be ``known`` rounded.

    With ``percent``, also where one of them is a share and the other its percents. With ``units``, also where it may be
    ``known`` in thousands or sixties (milliseconds and seconds, minutes).
    """
    half = 0.5 * 10.0**-digits + 1e-9
    scales = (*(_PERCENT if percent else ()), *(_UNITS if units else ()))
    return any(abs(claimed - known * scale) <= half for scale in (1.0, *scales))


class Facts:
    """``by_label`` has each label's values; ``derived`` also sums, differences and shares within one object."""

    __slots__ = ("_derived", "_groups", "_lengths", "by_label")

    def __init__(self, documents: Iterable[str]) -> None:
        self.by_label: dict[tuple[str, ...], set[float]] = {}
        self._derived: set[float] | None = None
        self._groups: list[list[float]] = []
        self._lengths: set[float] = set()
        for value in decoded(documents):
            try:
                self._learn(value, 0)
            except OverflowError:  # an integer beyond every float
                continue

    def value(self, name: tuple[str, ...]) -> float | None:
        """The one value that results gave under this label; None where there is none, or more than one."""
        values = self.by_label.get(name, ())
        return next(iter(values)) if len(values) == 1 else None

    def _learn(self, value: dict[str, object] | list[object], depth: int) -> None:
        inner: Iterable[object]
        if isinstance(value, dict):
            self._learn_object(value)
            inner = value.values()
        else:
            self._lengths.add(float(len(value)))
            inner = value
        if depth < _DEEPEST:
            for item in inner:
                if type(item) in _NESTED:
                    self._learn(item, depth + 1)  # type: ignore[arg-type] # JSON has no other containers

    def _learn_object(self, value: dict[str, object]) -> None:
        numbers = {key: float(item) for key, item in value.items() if type(item) in _NUMBERS}  # type: ignore[arg-type]
        for key, number in numbers.items():
            self.by_label.setdefault(key_label(key), set()).add(number)
        self._groups.append(list(islice(numbers.values(), _MOST_VALUES)))

    @property
    def derived(self) -> set[float]:
        """The numbers themselves, lengths of lists, and what follows from the numbers of one object."""
        if self._derived is None:
            self._derived = self._lengths.union(*map(_following, self._groups))
        return self._derived


def _following(few: list[float]) -> Iterator[float]:
    whole = sum(few)
    yield from few
    yield whole
    if whole:
        yield from (one / whole for one in few)
    for one, other in combinations(few, 2):
        total = one + other
        yield from (total, abs(one - other))
        shares = ((one, other), (other, one), (one, total), (other, total))
        yield from (part / base for part, base in shares if base)
