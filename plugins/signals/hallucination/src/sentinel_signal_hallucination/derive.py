"""What follows from figures that belong together: sums, differences, products, shares, roundings and conversions."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

from sentinel_signal_hallucination.belonging import NUMBER, belonging, digits_of, numbers_of, sums_of, value_of
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Derived", "explicit_sum"]

_MOST_VALUES, _MOST_PAIRED = 4_000, 60
# Percent, thousands, sixties, days, bytes, miles, pounds, inches, feet.
_SCALES = (
    100.0, 0.01, 1000.0, 0.001, 60.0, 1 / 60, 1e6, 1e-6, 3600.0, 1 / 3600, 24.0, 1 / 24, 1024.0, 1 / 1024, 2.0**20, 2.0**-20, 2.0**30, 2.0**-30,
    1.609344, 0.621371, 2.20462, 0.453592, 2.54, 0.393701, 3.28084, 0.3048, 7.0, 12.0, 1 / 7, 1 / 12,
)  # fmt: skip
_MOST_FIT = 4
_ROUNDING = 1e-9
_NEIGHBOURS, _DAYS, _LONGEST_NUMBER = 8, 31, 12
_SERIAL = 4
_ENDING = regex(r"(?i)\b(?:ending|ends|ended)(?: (?:in|with|on))?:? \W{0,4}\Z|[•*.…x]{2,4} ?\Z")
# What names a thing follows from nothing.
_NAMING = regex(
    r"(?i)\b(?:ending|ends|ended) (?:in|with|on) \W{0,4}\Z|[•*.…x]{2,4} ?\Z|\b(?:code|pin|ref(?:erence)?|id|invoice|case|ticket|account|room|flight|confirmation|number|no\.?)(?: is|:)? \W{0,3}\Z"
)
_TERM = r"\$?\s?\d[\d,]*(?:\.\d+)?"
_SUM = regex(rf"\(?\s*({_TERM}(?:\s*[+*×x-]\s*{_TERM})+)\s*\)?")


class _Sorted:
    """Values to look up within a tolerance."""

    def __init__(self, values: Iterable[float]) -> None:
        self.values = sorted(set(values))

    def near(self, value: float, half: float) -> bool:
        at = bisect_left(self.values, value - half)
        return at < len(self.values) and self.values[at] <= value + half


class Derived:
    """``results`` are documents that tools gave, ``said`` what else the agent was told."""

    def __init__(self, results: list[str], said: list[str]) -> None:
        self._results = results
        self._said = said

    def gives(self, written: str, answer: str, at: int) -> bool:
        """True where the figure follows from what was told, or from the other figures of the answer that stand there."""
        value, half = value_of(written), 0.5 * 10.0 ** -digits_of(written) + 1e-9
        if explicit_sum(written, answer, at) is False:
            return False
        if self._plain.near(value, half) or self._ends_so(written, answer, at):
            return True
        if written.isdigit() and len(written) >= _SERIAL and _NAMING.search(answer, max(0, at - 24), at) is not None:
            return False
        step = 10.0 ** -digits_of(written)
        return any(fits(value) and not _fits_all(fits, value, step) for fits in self._tests(value, half, answer, at))

    def _tests(self, value: float, half: float, answer: str, at: int) -> Iterator[Callable[[float], bool]]:
        """Ways to derive a figure or one of its neighbours, the cheapest first."""
        yield lambda x: any(self._plain.near(x * scale, half * scale) for scale in _SCALES)
        yield lambda x: self._together.near(x, half)
        others = _others(answer, at)
        yield lambda x: others.near(x, half)
        width = 2 * half * _NEIGHBOURS + half + abs(value) * _ROUNDING + _ROUNDING
        for combined in (self._pairs, self._rates):
            results = _Sorted(combined(value - width, value + width))
            yield lambda x, results=results: results.near(x, half)  # type: ignore[misc]

    def _ends_so(self, written: str, answer: str, at: int) -> bool:
        """True for "ending 3473" where something longer that was told ends so."""
        if _ENDING.search(answer, max(0, at - 20), at) is None:
            return False
        end = re.compile(rf"\w{re.escape(written)}\b")
        return any(end.search(text) for text in (*self._results, *self._said))

    def may_give(self, written: str) -> bool:
        """True where one step may lead to a small number, which many do."""
        value = value_of(written)
        return value <= _DAYS and _Sorted(self._pairs(value - _ROUNDING, value + _ROUNDING)).near(value, 0.0)

    @once
    def _values(self) -> list[float]:
        found = [number for text in (*self._said, *self._results) for number in numbers_of(text)]
        return found[-_MOST_VALUES:]

    @once
    def _plain(self) -> _Sorted:
        return _Sorted(self._values)

    @once
    def _together(self) -> _Sorted:
        """Sums of what belongs together: one field over the rows of a result, the numbers of one object, the answers of calls."""
        found = list(belonging(self._results))
        return _Sorted([*found, *map(abs, found)])

    @once
    def _few(self) -> list[float]:
        """The last figures that were told, sorted."""
        return sorted(list(dict.fromkeys(reversed(self._values)))[:_MOST_PAIRED])

    def _pairs(self, low: float, high: float) -> Iterator[float]:
        """Sums, differences and products of two figures, those from ``low`` to ``high``."""
        few = self._few
        for at, one in enumerate(few, 1):
            yield from [one + other for other in _between(few, low - one, high - one, at)]
            yield from [other - one for other in _between(few, one + low, one + high, at)]
            if one:
                ends = (low / one, high / one) if one > 0 else (high / one, low / one)
                yield from [one * other for other in _between(few, *ends, at)]
            elif len(few) > 1:
                yield 0.0

    def _rates(self, low: float, high: float) -> Iterator[float]:
        """Each figure with each rate taken off, added or applied; a temperature in the other scale."""
        few = self._few
        shares = {share for value in few if value > 0 for share in (value, value / 100) if share < 1}
        for factor in {factor for share in shares for factor in (1 - share, 1 + share, share)}:
            yield from [value * factor for value in _between(few, low / factor, high / factor, 0)]
        yield from [value * 1.8 + 32 for value in few]
        yield from [(value - 32) / 1.8 for value in few]


def _between(values: list[float], low: float, high: float, start: int) -> list[float]:
    """The sorted values from ``low`` to ``high``, of those from a place on."""
    return values[bisect_left(values, low, start) : bisect_right(values, high, start)]


def _fits_all(fits: Callable[[float], bool], value: float, step: float) -> bool:
    """True where many neighbours of a figure, more than one in four, fit as well: then that it does says nothing."""
    return sum(fits(value + k * step) for k in _AROUND) * _MOST_FIT > len(_AROUND)


_AROUND = [k for k in range(-_NEIGHBOURS, _NEIGHBOURS + 1) if k]


def _others(answer: str, at: int) -> _Sorted:
    """Totals, differences and products of the other figures of the answer."""
    others = [
        value_of(match[0])
        for match in NUMBER.finditer(answer)
        if match.start() != at and len(match[0]) <= _LONGEST_NUMBER
    ][:40]
    products = [one * other for one, other in combinations(others, 2)]
    turns = [sum(others[0::2]) - sum(others[1::2]), sum(others[: len(others) // 2]) - sum(others[len(others) // 2 :])]
    shares = [
        part / whole for one, other in combinations(others, 2) for part, whole in ((one, other), (other, one)) if whole
    ]
    return _Sorted([*sums_of(others), *products, *shares, *map(abs, turns)])


def explicit_sum(written: str, answer: str, at: int) -> bool | None:
    """Whether the arithmetic that the answer shows beside the figure gives it; None where it shows none."""
    after = answer[at + len(written) : at + len(written) + 120]
    before = answer[max(0, at - 120) : at]
    match = re.match(r"\s*\*{0,2}\s*(?:[A-Z]{3}\s*)?\(\s*", after)
    terms = _SUM.match(after, match.end()) if match is not None else None
    if terms is None and (equals := re.search(r"=\s*\*{0,2}\$?\s*\Z", before)) is not None:
        candidates = list(_SUM.finditer(before, 0, equals.start()))
        terms = candidates[-1] if candidates and candidates[-1].end() >= equals.start() - 1 else None
    if terms is None:
        return None
    result = _computed(terms[1])
    return None if result is None else abs(result - value_of(written)) <= 0.5 * 10.0 ** -digits_of(written) + 1e-6


def _computed(terms: str) -> float | None:
    parts = re.split(r"\s*([+*×x-])\s*", terms.replace("$", "").replace(",", "").strip())
    total, factor, sign = 0.0, float(parts[0] or 0), 1.0
    for operator, part in zip(parts[1::2], parts[2::2], strict=True):
        number = float(part)
        if operator in "*×x":
            factor *= number
        else:
            total, factor, sign = total + sign * factor, number, 1.0 if operator == "+" else -1.0
    return total + sign * factor
