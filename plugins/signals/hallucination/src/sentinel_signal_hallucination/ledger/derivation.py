"""What follows from figures that belong together: sums, differences, products, shares, roundings and conversions."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import accumulate, chain, combinations, islice, permutations
from statistics import median

import msgspec

from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Derived"]

_NUMBER = regex(r"[\d-](?<![\w.].)(?:(?<=\d)|\d)[\d,]{0,20}(?:\.\d{1,20})?(?!\d)", re.DOTALL)
_TERM = r"([*×x/÷+−-])\s{0,3}\$?(\d[\d,]{0,20}(?:\.\d+)?)"
# Thousands may be apart: "52 000".
_SPACED, _SPACE = regex(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d])(?:\.\d+)?"), regex(r"\s")
_ENDING, _NEAR = regex(r"(?i)\b(?:end|finish|last|final)"), 30
_DATE = regex(r"\d{1,4}[-/]\d{1,2}[-/]\d{1,4}")
# A quotient or product in parentheses, as the last factor.
_PRODUCT = regex(r"[*×]\s{0,3}\((\d[\d.]{0,20}\s{0,3}[*×/÷]\s{0,3}\d[\d.]{0,20})\)")
_EXPRESSION = regex(rf"(?<![\w.])\d[\d,]{{0,20}}(?:\.\d+)?(?:\s{{0,3}}{_TERM}){{1,6}}")
# Percent, thousands, hours, days, weeks, months, and miles, pounds, inches and feet in their metric units.
_SCALES = tuple(
    factor for scale in (100.0, 1e3, 60.0, 3600.0, 24.0, 7.0, 12.0, 1.609344, 2.20462, 2.54, 3.28084)
    for factor in (scale, 1 / scale)
)  # fmt: skip
# What a suffix multiplies with: bytes count in 1,000 or in 1,024.
_SUFFIXES = {
    **dict.fromkeys(("k", "kb", "kib", "thousand"), (1e3, 1024.0)), **dict.fromkeys(("m", "mb", "mib", "million"), (1e6, 1024.0**2)),
    **dict.fromkeys(("g", "gb", "gib", "b", "billion"), (1e9, 1024.0**3)),
}  # fmt: skip
# One suffix may serve two: "from 3.91 to 3.97 million".
_SUFFIX_OF = regex(r"(?i)(?: ?(?:to|and|or|[-–→]|->) ?\d[\d.,]*)? ?([kmg]i?b|[kmgb]|thousand|million|billion)(?![a-z])")
_CONVERSIONS = (*((scale, 0.0) for scale in _SCALES), (1.8, 32.0), (1 / 1.8, -32.0 / 1.8))  # Fahrenheit
_MOST_VALUES, _MOST_ROWS, _MOST_PAIRED, _MOST_IN_OBJECT, _LONGEST_RUN, _MOST_THREE = 4_000, 60, 40, 18, 7, 12
_DEEPEST, _LARGEST, _SUFFIX, _ALL, _MOST_BESIDE = 12, 1e15, 4, 100, 8
_MOST_SIGNED, _LONGEST_NAME, _FEWEST = 4, 40, 3
_MONTH, _MONTHLY = 7, regex(r"\d{4}-\d\d-")
_MARKED = regex(r"\d[\d.,' ]*")
_TIMES = range(2, 32)
_AROUND = [k for k in range(-8, 9) if k]
_MOST_FIT = 3


def _value_of(written: str) -> float:
    return float(written.replace(",", "") or 0)


class Derived:
    """``results`` are documents that tools gave, ``given`` what tools were given, ``told`` all that the agent was told, the results last."""

    def __init__(self, results: list[str], text: str, given: str = "") -> None:
        self._results, self._given = results, given
        self._all = text

    def gives(self, written: str, answer: str, at: int, open_: Container[int]) -> bool:
        """True where the figure follows from what was told or from figures of the answer, and few of its neighbours do.

        Figures that stand where ``open_`` says are themselves still to be derived.
        """
        value, step = _value_of(written), 10.0 ** -len(written.partition(".")[2])
        half = step / 2 + 1e-9
        others = {
            match.start(): _value_of(match[0]) for match in _NUMBER.finditer(answer) if match.start() not in open_
        }
        others |= {match.start() - 1: _value_of(_SPACE.sub("", match[0])) for match in _SPACED.finditer(answer)}
        begin, end = answer.rfind("\n", 0, at), (answer + "\n").find("\n", at)
        beside = [other for place, other in others.items() if begin < place < end][:_MOST_BESIDE]
        scaled = [one * scale for one in beside for scale in _SCALES]
        mixed = [abs(one + sign * other) for one in beside for other in self._few for sign in (1, -1)]
        several = [times * one + other for one, other in permutations(beside, 2) for times in _TIMES]
        columns = _column(answer, at)
        exact = sorted((*_stated(answer), *self._computed, *_of_two(beside), *scaled, *mixed, *several, *columns))
        if (
            _is_near(exact, value, half)
            or self._has_digits(written)
            or self._ends(written, answer[max(0, at - _NEAR) : at])
            or self._is_scaled(value, step, _SUFFIX_OF.match(answer, at + len(written)))
        ):
            return True
        ways = self._ways(value, step, list(others.values()))
        return any(fits(value) and sum(fits(value + k * step) for k in _AROUND) <= _MOST_FIT for fits in ways)

    def is_dense(self, written: str, answer: str, open_: Container[int]) -> bool:
        """True where the figure would follow, and so would its neighbours: so much was told that nothing can be concluded."""
        value, step = _value_of(written), 10.0 ** -len(written.partition(".")[2])
        others = [_value_of(match[0]) for match in _NUMBER.finditer(answer) if match.start() not in open_]
        return any(fits(value) for fits in self._ways(value, step, others))

    def _ways(self, value: float, step: float, others: list[float]) -> Iterator[Callable[[float], bool]]:
        """Ways to derive a figure or one of its neighbours, the cheapest first."""
        half = step / 2 + 1e-9
        yield _near(self._told, half)
        yield lambda x: _is_scaled(self._told, x, half, _CONVERSIONS)
        times = [(one, 0.0) for one in (*_TIMES, *(one for one in self._few if 0 < one < _ALL))]
        yield lambda x: _is_scaled(self._told, x, half, times)
        yield _near(self._together, half)
        few = others[:_MOST_PAIRED]
        yield _near(sorted((*_sums(few), *_of_two(few), *_of_three(few[:_MOST_THREE]))), half)
        width = step * (len(_AROUND) / 2 + 1)
        yield _near(sorted(self._pairs(value - width, value + width)), half)

    def _is_scaled(self, value: float, step: float, suffix: re.Match[str] | None) -> bool:
        """True for "402KB" and "59.7M" where a told figure is as much, rounded or cut off."""
        scales = _SUFFIXES[suffix[1].lower()] if suffix is not None else ()
        return any(_is_near(self._told, (value + step * 0.25) * scale, step * scale * 0.75) for scale in scales)

    def _has_digits(self, written: str) -> bool:
        """True where something that was told has the same digits, with other marks or in another unit: "1.432,76", 41250 cents."""
        digits = _digits(written)
        return len(digits) >= (_FEWEST if "." in written else _FEWEST + 1) and digits in self._all_digits

    @once
    def _all_digits(self) -> frozenset[str]:
        return frozenset(map(_digits, _MARKED.findall(self._all)))

    def _ends(self, written: str, before: str) -> bool:
        """True for "ending in 3473" where something longer that was told ends so; of three digits only where this is said."""
        is_said = len(written) >= _SUFFIX or _ENDING.search(before) is not None
        return written.isdigit() and is_said and bool(re.search(rf"\w{written}\b", self._all))

    @once
    def _computed(self) -> list[float]:
        """The values of the expressions that tools were given: "240 * (100 / 40)"."""
        return list(_stated(_PRODUCT.sub(r"* \1", _DATE.sub(" ", self._given))))

    @once
    def _values(self) -> list[float]:
        return _numbers_of(self._all)[-_MOST_VALUES:]

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
        sums = chain.from_iterable((*_sums(values), *_signed(values)) for values in fields.values())
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


def _digits(written: str) -> str:
    """The digits of a number that count."""
    return "".join(filter(str.isdigit, written)).strip("0")


def _column(answer: str, at: int) -> Iterator[float]:
    """What the other cells of a table's column give together: the last row is often their sum."""
    start = answer.rfind("\n", 0, at) + 1
    if not answer[start : start + 4].strip().startswith("|"):
        return
    place = answer.count("|", start, at)
    block = [line for line in answer.splitlines() if line.strip().startswith("|")][:_MOST_ROWS]
    row = answer[start:].partition("\n")[0]
    cells = (line.split("|")[place : place + 1] for line in block if line != row)
    numbers = [number for cell in cells for number in _numbers_of("".join(cell))[:1]]
    yield from _sums(numbers)


def _near(values: list[float], half: float) -> Callable[[float], bool]:
    """Whether a value lies within ``half`` of one of the sorted ones."""
    return lambda value: _is_near(values, value, half)


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
    spaced = (_value_of(_SPACE.sub("", match[0])) for match in _SPACED.finditer(text))
    return [*spaced, *map(_value_of, _NUMBER.findall(text))]


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
    yield from (sum(few), *_of_two(few))


def _of_groups(rows: list[dict[str, object]]) -> Iterator[float]:
    """The sums of each field over the rows that have one text in common: what was spent in each shop."""
    totals: defaultdict[tuple[str, str, str], float] = defaultdict(float)
    for row in rows if len(rows) > 1 else ():
        texts = [(key, item) for key, item in row.items() if isinstance(item, str) and len(item) < _LONGEST_NAME]
        texts += [(key, item[:_MONTH]) for key, item in texts if _MONTHLY.match(item)]
        for key, item in row.items():
            number = _number(item)
            for name, text in texts if number is not None else ():
                totals[name, text, key] += number or 0.0
    yield from totals.values()


def _stated(text: str) -> Iterator[float]:
    """The values of written expressions: "109*2", "240 x 100 / 40"."""
    for match in islice(_EXPRESSION.finditer(text), _MOST_ROWS):
        total = product = 0.0
        for sign, written in re.findall(_TERM, f"+{match[0]}"):
            value = _value_of(written)
            if sign in "/÷":
                product /= value or 1
            elif sign in "*×x":
                product *= value
            else:
                total, product = total + product, value if sign == "+" else -value
        yield total + product


def _of_three(values: list[float]) -> Iterator[float]:
    """A product of two and a third, as in "2 x 39.90 instead of 10.00"."""
    for one, other in combinations(values, 2):
        yield from (abs(one * other + sign * third) for third in values for sign in (1, -1))


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


def _signed(values: list[float]) -> Iterator[float]:
    """All sums and differences of a few values: the old prices less the new ones."""
    if len(values) <= _MOST_SIGNED:
        totals = [0.0]
        for value in values:
            totals = [total + signed for total in totals for signed in (value, -value)]
        yield from totals


def _of_two(values: list[float]) -> Iterator[float]:
    """Sums, differences, products and shares of any two."""
    for one, other in combinations(values, 2):
        yield from (one + other, abs(one - other), one * other)
        if one and other:
            yield from (one / other, other / one)
