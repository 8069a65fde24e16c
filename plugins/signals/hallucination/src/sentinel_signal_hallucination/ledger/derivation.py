"""What follows from figures that belong together: sums, differences, products, shares, roundings and conversions."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, combinations, islice, permutations
from statistics import median

import msgspec

from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Derived"]

# Of a row such as "MOBILE,15200,410000" each number is one.
_NUMBER = regex(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3}){1,6}(?![\d])|\d{1,21})(?:\.\d{1,20})?(?!\d)")
_THOUSANDS = regex(r"[0-9](?<![\w.].)(?:\d{0,5}(?:\.\d{1,3})?)(?= ?[kK]\b)")
_ENDING, _NEAR = regex(r"(?i)\b(?:end|finish|last|final)"), 30
# Percent, thousands, hours, days, weeks, months, and miles, pounds, inches and feet in their metric units.
_SCALES = tuple(
    factor for scale in (100.0, 1e3, 60.0, 3600.0, 24.0, 7.0, 12.0, 1.609344, 2.20462, 2.54, 3.28084)
    for factor in (scale, 1 / scale)
)  # fmt: skip
_CONVERSIONS = (*((scale, 0.0) for scale in _SCALES), (1.8, 32.0), (1 / 1.8, -32.0 / 1.8))  # Fahrenheit
_MOST_VALUES, _MOST_ROWS, _MOST_PAIRED, _MOST_IN_OBJECT, _LONGEST_RUN = 4_000, 60, 40, 18, 7
_DEEPEST, _LARGEST, _SUFFIX, _ALL, _MOST_BESIDE, _LONGEST_NAME = 12, 1e15, 4, 100, 8, 40


def _value_of(written: str) -> float:
    return float(written.replace(",", "") or 0)


class Derived:
    """``results`` are documents that tools gave, ``text`` all that the agent was told, the results last."""

    def __init__(self, results: list[str], text: str) -> None:
        self._results, self._all = results, text

    def gives(self, written: str, answer: str, at: int) -> bool:
        """True where the figure follows from what was told or from other figures of the answer; told twice, it does not explain itself."""
        value, decimals = _value_of(written), len(written.partition(".")[2])
        half = 10.0**-decimals / 2 + 1e-9
        figures = [match for match in _NUMBER.finditer(answer) if _value_of(match[0]) != value]
        others = {match.start(): _value_of(match[0]) for match in figures}
        alike = [_value_of(match[0]) for match in figures if len(match[0].partition(".")[2]) == decimals]
        begin, end = answer.rfind("\n", 0, at), (answer + "\n").find("\n", at)
        beside = [other for place, other in others.items() if begin < place < end][:_MOST_BESIDE]
        few = list(others.values())[:_MOST_PAIRED]
        times = [(one, 0.0) for one in self._few if 0 < one < _ALL]
        nights = [one * count + other for one, other in permutations(beside, 2) for count, _ in times]
        return (
            self._ends(written, answer[max(0, at - _NEAR) : at])
            or _is_near(self._told, value, half)
            or _is_scaled(self._told, value, half, (*_CONVERSIONS, *times))
            or _is_near(self._together, value, half)
            or _is_near(
                sorted((*_sums(few), *_sums(alike), *_of_two(few), *_mixed(beside, self._few), *nights)), value, half
            )
            or any(self._pairs(value - half, value + half))
        )

    def _ends(self, written: str, before: str) -> bool:
        """True for "ending in 3473" where something longer that was told ends so; of three digits only where this is said."""
        is_said = len(written) >= _SUFFIX or _ENDING.search(before) is not None
        return written.isdigit() and is_said and bool(re.search(rf"\w{written}\b", self._all))

    @once
    def _values(self) -> list[float]:
        thousands = [1e3 * _value_of(one) for one in _THOUSANDS.findall(self._all)]  # "64k" may be told as 64,000
        return [*thousands, *_numbers_of(self._all)][-_MOST_VALUES:]

    @once
    def _told(self) -> list[float]:
        return sorted({*self._values, *map(abs, self._values)})

    @once
    def _few(self) -> list[float]:
        """The last figures that were told."""
        return sorted(list(dict.fromkeys(reversed(self._values)))[:_MOST_PAIRED])

    @once
    def _together(self) -> list[float]:
        """What belongs together gives: one field over the rows of all results, the numbers of one object, a column."""
        found: list[float] = []
        fields: defaultdict[str, list[float]] = defaultdict(list)
        for text in self._results:
            try:
                found += _of([msgspec.json.decode(text)], fields, 0)
            except (msgspec.DecodeError, RecursionError):
                for line in text.splitlines()[:_MOST_ROWS]:
                    for place, value in enumerate(_numbers_of(line)):
                        fields[f"column {place}"].append(value)
        sums = chain.from_iterable(map(_sums, fields.values()))
        return sorted({abs(total) for total in (*found, *sums)})

    def _pairs(self, low: float, high: float) -> Iterator[float]:
        """Sums, differences and products of two figures, and what a rate leaves, adds or makes of one, those from ``low`` to ``high``."""
        few = self._few
        for at, one in enumerate(few, 1):
            yield from [one + other for other in _between(few, low - one, high - one, at)]
            yield from [other - one for other in _between(few, one + low, one + high, at)]
        shares = [share for one in few for share in (one, one / _ALL) if 0 < share < 1]
        for one in {one for one in few if one > 0}.union(*((1 - share, 1 + share, share) for share in shares)):
            yield from [one * other for other in _between(few, low / one, high / one, 0)]


def _mixed(some: list[float], others: list[float]) -> Iterator[float]:
    """Sums and differences of one of each."""
    for one in some:
        yield from (abs(one + sign * other) for other in others for sign in (1, -1))


def _is_near(values: list[float], value: float, half: float) -> bool:
    at = bisect_left(values, value - half)
    return at < len(values) and values[at] <= value + half


def _is_scaled(values: list[float], value: float, half: float, scales: Iterable[tuple[float, float]]) -> bool:
    """True where a value, times one of the scales and shifted, is one of the sorted ones."""
    count = len(values)
    for (
        scale,
        shift,
    ) in scales:  # a loop, because each of many figures pays for it, and any() over a generator takes twice as long
        wanted, width = value * scale + shift, half * scale
        at = bisect_left(values, wanted - width)
        if at < count and values[at] <= wanted + width:
            return True
    return False


def _between(values: list[float], low: float, high: float, start: int) -> list[float]:
    """The sorted values from ``low`` to ``high``, of those from a place on."""
    return values[bisect_left(values, low, start) : bisect_right(values, high, start)]


def _numbers_of(text: str) -> list[float]:
    return [*map(_value_of, _NUMBER.findall(text))]


def _of(value: object, fields: dict[str, list[float]], depth: int) -> Iterator[float]:
    """What the parts of a document give together; its numbers are added to the fields that they stand in."""
    parts = (
        value.items() if isinstance(value, dict) else [("", item) for item in value] if isinstance(value, list) else ()
    )
    few: list[float] = []
    for key, item in islice(parts if depth < _DEEPEST else (), _MOST_ROWS * 4):
        number = _number(item)
        if number is not None:
            fields[key].append(number)
            few.append(number)
        yield from _of(item, fields, depth + 1)
    if isinstance(value, list):
        yield from _of_groups([row for row in value[:_MOST_ROWS] if isinstance(row, dict)])
    few = few[:_MOST_IN_OBJECT]
    yield from (sum(few), sum(few) / max(len(few), 1), *_of_two(few))


def _of_groups(rows: list[dict[str, object]]) -> Iterator[float]:
    """The sums of each field over the rows that have one text in common: what was spent in each shop."""
    totals: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for row in rows if len(rows) > 1 else ():
        texts = [(key, item) for key, item in row.items() if isinstance(item, str) and len(item) < _LONGEST_NAME]
        for key, item in row.items():
            number = _number(item)
            for name, text in texts if number is not None else ():
                totals[name, text, key] += number or 0.0
    yield from totals.values()


def _number(item: object) -> float | None:
    if isinstance(item, str):
        match = _NUMBER.fullmatch(item.lstrip("$"))
        return _value_of(match[0]) if match is not None else None
    return float(item) if isinstance(item, (int, float)) and abs(item) < _LARGEST else None


def _sums(values: list[float]) -> Iterator[float]:
    """Of all and of each run; the mean, the median, and all of them with one taken off the others."""
    values = values[-_MOST_ROWS:]
    if values:
        total = sum(values)
        yield from (total, total / len(values), median(values), *[abs(total - 2 * value) for value in values])
    for start in range(len(values)):
        yield from accumulate(values[start : start + _LONGEST_RUN])


def _of_two(values: list[float]) -> Iterator[float]:
    """Sums, differences, products and shares of any two."""
    for one, other in combinations(values, 2):
        yield from (one + other, abs(one - other), one * other)
        if one and other:
            yield from (one / other, other / one)
