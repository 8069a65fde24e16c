"""What follows from figures that belong together: sums, differences, products, shares, roundings and conversions."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from itertools import accumulate, chain, combinations, islice
from statistics import median

import msgspec

from sentinel_signal_hallucination.tables import once, regex

__all__ = ["NUMBER", "Derived", "digits_of"]

NUMBER = regex(r"[\d-](?<![\w.].)(?:(?<=\d)|\d)[\d,]*(?:\.\d+)?(?!\d)", re.DOTALL)
# Percent, thousands, hours, days, weeks, months, bytes, and miles, pounds, inches and feet in their metric units.
_SCALES = tuple(
    factor for scale in (100.0, 1e3, 60.0, 1e6, 3600.0, 24.0, 7.0, 12.0, 1024.0, 2.0**20, 2.0**30, 1.609344, 2.20462, 2.54, 3.28084)
    for factor in (scale, 1 / scale)
)  # fmt: skip
_MOST_VALUES, _MOST_ROWS, _MOST_PAIRED, _MOST_IN_OBJECT, _LONGEST_RUN = 4_000, 60, 40, 18, 6
_DEEPEST, _LONGEST, _LARGEST = 12, 24, 1e15
_EXPRESSION = regex(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)((?:\s{0,3}[*×x/÷+−-]\s{0,3}\$?\d[\d,]*(?:\.\d+)?){1,6})")
_TERM = regex(r"([*×x/÷+−-])\s{0,3}\$?(\d[\d,]*(?:\.\d+)?)")
_DEGREES, _FREEZING = 1.8, 32.0  # of Fahrenheit
_MOST_THREE, _MOST_TIMES = 12, 32
_RATE = regex(r"(?:a|an|per|each|every)\b")
_AROUND = [k for k in range(-8, 9) if k]
_MOST_FIT = 3
# Single precision: 4.4 is told as 4.400000095.
_NOISE = 1e-7
_CENTS, _SUFFIX, _ALL = 2, 4, 100


def value_of(written: str) -> float:
    """A written figure as a number."""
    return float(written.replace(",", "") or 0)


def digits_of(written: str) -> int:
    """How many digits it has behind its point."""
    return len(written.partition(".")[2])


class Derived:
    """``results`` are documents that tools gave, ``said`` what else the agent was told."""

    def __init__(self, results: list[str], said: list[str]) -> None:
        self._results = results
        self._said = said

    def gives(self, written: str, answer: str, at: int, open_: Container[int]) -> bool:
        """True where the figure follows from what was told or from figures of the answer, and few of its neighbours do.

        Figures that stand where ``open_`` says are themselves still to be derived.
        """
        value, step = value_of(written), 10.0 ** -digits_of(written)
        ways = self._ways(value, step, answer, at, open_)
        if _near(self._told, abs(value) * _NOISE)(value) or self._ends(written):
            return True
        if _near(sorted(_stated(answer) + self._computed), step / 2 + 1e-9)(value):
            return True
        return any(fits(value) and sum(fits(value + k * step) for k in _AROUND) <= _MOST_FIT for fits in ways)

    def _ways(
        self, value: float, step: float, answer: str, at: int, open_: Container[int]
    ) -> Iterator[Callable[[float], bool]]:
        """Ways to derive a figure or one of its neighbours, the cheapest first."""
        half = step / 2 + 1e-9
        yield _near(self._told, half)
        yield lambda x: any(_near(self._told, half * scale)(x * scale) for scale in _SCALES)
        yield (
            lambda x: (
                _near(self._told, half * _DEGREES)(x * _DEGREES + _FREEZING)
                or _near(self._told, half)((x - _FREEZING) / _DEGREES)
            )
        )
        yield _near(self._together, half)
        written = [
            match[0] for match in NUMBER.finditer(answer) if match.start() not in open_ and len(match[0]) <= _LONGEST
        ]
        cents = [value_of(other) for other in written if digits_of(other) == _CENTS]
        others = [value_of(other) for other in written[:40]]
        yield _near(sorted((*_sums(others), *_of_two(others), *_sums(cents), *_of_three(others[:_MOST_THREE]))), half)
        if _RATE.match(answer, answer.find(" ", at) + 1):
            yield lambda x: any(_near(self._told, half * times)(x * times) for times in range(2, _MOST_TIMES))
        width = step * (len(_AROUND) / 2 + 1)
        yield _near(sorted(self._pairs(value - width, value + width)), half)

    def _ends(self, written: str) -> bool:
        """True for "ending in 3473" where something longer that was told ends so."""
        longer = re.compile(rf"\w{written}\b")
        return written.isdigit() and len(written) >= _SUFFIX and any(map(longer.search, (*self._results, *self._said)))

    @once
    def _computed(self) -> list[float]:
        """What the expressions come to that the agent gave to its tools, or was told."""
        return [value for text in self._said for value in _stated(text)][:_MOST_VALUES]

    @once
    def _values(self) -> list[float]:
        found = [number for text in (*self._said, *self._results) for number in _numbers_of(text)]
        return found[-_MOST_VALUES:]

    @once
    def _told(self) -> list[float]:
        return sorted(set(self._values))

    @once
    def _few(self) -> list[float]:
        """The last figures that were told."""
        return sorted(list(dict.fromkeys(reversed(self._values)))[:_MOST_PAIRED])

    @once
    def _together(self) -> list[float]:
        """Sums of what belongs together: one field over the rows of a result, the numbers of one object, a column, the answers of calls."""
        found, over_all = list[float](), defaultdict[str, list[float]](list)
        for text in self._results:
            fields = defaultdict[str, list[float]](list)
            try:
                document = msgspec.json.decode(text) if text[:1] in "[{" else None
                found += _of(document, fields, 0)
            except (msgspec.DecodeError, RecursionError):
                continue
            for line in text.splitlines()[:_MOST_ROWS] if document is None else ():
                for place, value in enumerate(_numbers_of(line)):
                    fields[f"column {place}"].append(value)
            for name, values in fields.items():
                found += _sums(values)
                over_all[name] += values
        return sorted({abs(total) for total in (*found, *chain.from_iterable(map(_sums, over_all.values())))})

    def _pairs(self, low: float, high: float) -> Iterator[float]:
        """Sums, differences and products of two figures, and what a rate leaves, adds or makes of one, those from ``low`` to ``high``."""
        few = self._few
        for at, one in enumerate(few, 1):
            yield from [one + other for other in _between(few, low - one, high - one, at)]
            yield from [other - one for other in _between(few, one + low, one + high, at)]
            if one:
                yield from [
                    one * other for other in _between(few, min(low / one, high / one), max(low / one, high / one), at)
                ]
        shares = {share for one in few for share in (one, one / _ALL) if 0 < share < 1}
        for factor in {factor for share in shares for factor in (1 - share, 1 + share, share)}:
            yield from [one * factor for one in _between(few, low / factor, high / factor, 0)]


def _near(values: list[float], half: float) -> Callable[[float], bool]:
    """Whether a value lies within ``half`` of one of the sorted ones."""

    def fits(value: float) -> bool:
        at = bisect_left(values, value - half)
        return at < len(values) and values[at] <= value + half

    return fits


def _between(values: list[float], low: float, high: float, start: int) -> list[float]:
    """The sorted values from ``low`` to ``high``, of those from a place on."""
    return values[bisect_left(values, low, start) : bisect_right(values, high, start)]


def _numbers_of(text: str) -> list[float]:
    return [value_of(written) for written in NUMBER.findall(text) if len(written) <= _LONGEST]


def _of(value: object, fields: dict[str, list[float]], depth: int) -> Iterator[float]:
    """What the parts of a document give together; its numbers are added to the fields that they stand in."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        numbers = {key: number for key, item in value.items() if (number := _number(item)) is not None}
        for key, number in numbers.items():
            fields[key].append(number)
        few = list(numbers.values())[:_MOST_IN_OBJECT]
        yield sum(few)
        yield from _of_two(few)
        for item in value.values():
            yield from _of(item, fields, depth + 1)
    elif isinstance(value, list):
        yield float(len(value))
        fields[""] += [number for item in value if (number := _number(item)) is not None]
        for item in value[: _MOST_ROWS * 4]:
            yield from _of(item, fields, depth + 1)


def _stated(text: str) -> list[float]:
    """The values of written expressions: "109*2", "240 x 100 / 40"."""
    found = list[float]()
    for match in islice(_EXPRESSION.finditer(text), _MOST_ROWS):
        total, product = 0.0, value_of(match[1])
        for sign, written in _TERM.findall(match[2]):
            value = value_of(written)
            if sign in "+-−":
                total, product = total + product, value if sign == "+" else -value
            elif sign in "/÷":
                product = product / value if value else 0.0
            else:
                product *= value
        found.append(total + product)
    return found


def _of_three(values: list[float]) -> Iterator[float]:
    """A product of two and a third, as in "2 x 39.90 instead of 10.00"."""
    for one, other in combinations(values, 2):
        yield from (abs(one * other + sign * third) for third in values for sign in (1, -1))


def _number(item: object) -> float | None:
    if isinstance(item, (int, float)) and not isinstance(item, bool):
        return float(item) if abs(item) < _LARGEST else None
    match = NUMBER.fullmatch(item.lstrip("$")) if isinstance(item, str) and len(item) <= _LONGEST else None
    return value_of(match[0]) if match is not None else None


def _sums(values: list[float]) -> Iterator[float]:
    """Of all, of each run and of two; the mean, the median, the difference of two, and all of them with one taken off the others."""
    values = values[-_MOST_ROWS:]
    if values:
        total = sum(values)
        yield from (total, total / len(values), median(values), *[abs(total - 2 * value) for value in values])
    for start in range(len(values)):
        yield from accumulate(values[start : start + _LONGEST_RUN])
    for one, other in combinations(values[-_MOST_IN_OBJECT:], 2):
        yield from (one + other, abs(one - other))


def _of_two(values: list[float]) -> Iterator[float]:
    """Sums, differences, products and shares of any two."""
    for one, other in combinations(values, 2):
        yield from (one + other, abs(one - other), one * other)
        if one and other:
            yield from (one / other, other / one)
