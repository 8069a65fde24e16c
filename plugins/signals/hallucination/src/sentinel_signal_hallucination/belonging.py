"""Figures that belong together: one field over the rows of a result, the numbers of one object, a column, the answers of calls."""

import re
from collections.abc import Iterator
from itertools import combinations
from statistics import median

import msgspec

from sentinel_signal_hallucination.tables import regex

__all__ = ["NUMBER", "belonging", "digits_of", "numbers_of", "sums_of", "value_of"]

NUMBER = regex(r"[\d-](?<![\w.].)(?:(?<=\d)|\d)[\d,]*(?:\.\d+)?(?!\d)", re.DOTALL)

_MOST_ROWS, _DEEPEST, _TOTALS, _LONGEST_PRINTED, _LARGEST = 200, 12, 3, 24, 1e15


def value_of(written: str) -> float:
    """A written figure as a number."""
    return float(written.replace(",", "") or 0)


def digits_of(written: str) -> int:
    """How many digits it has behind its point."""
    return len(written.partition(".")[2])


def numbers_of(text: str) -> list[float]:
    """All figures of a text."""
    return [value_of(written) for written in NUMBER.findall(text) if len(written) <= _LONGEST_PRINTED]


def belonging(results: list[str]) -> Iterator[float]:
    """Sums, differences, means and counts of what belongs together in the results."""
    fields: dict[str, list[float]] = {}
    single: list[float] = []
    for text in results:
        if text[:1] in "[{":
            try:
                document = msgspec.json.decode(text)
            except (msgspec.DecodeError, RecursionError):
                continue
            yield from _of(document, 0, fields)
        elif len(numbers := numbers_of(text)) == 1:
            single += numbers
        else:
            yield from _columns(text)
    for values in (single, *fields.values()):
        yield from sums_of(values)


def _columns(text: str) -> Iterator[float]:
    """Sums of a column of a table that is written as text, by lines of as many figures."""
    lines = [numbers for line in text.splitlines()[:_MOST_ROWS] if (numbers := numbers_of(line))]
    for place in range(max(map(len, lines), default=0)):
        yield from sums_of([numbers[place] for numbers in lines if len(numbers) > place][:_MOST_COLUMN])


_MOST_COLUMN = 60


def _of(value: object, depth: int, fields: dict[str, list[float]]) -> Iterator[float]:  # noqa: C901 - one branch a kind of value
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        yield float(len(value))
        own: dict[str, list[float]] = {}
        for item in value[:_MOST_ROWS]:
            yield from _of(item, depth + 1, own)
        yield from sums_of(
            [float(item) for item in value[:_MOST_ROWS] if type(item) in (int, float) and abs(item) < _LARGEST]
        )
        for name, values in own.items():
            yield from sums_of(values)
            fields.setdefault(name, []).extend(values[:_MOST_ROWS])
    elif isinstance(value, dict):
        numbers = {key: number for key, item in value.items() if (number := _number(item)) is not None}
        for key, number in numbers.items():
            fields.setdefault(key, []).append(number)
        few = list(numbers.values())[: _TOTALS * 6]
        for one, other in combinations(few, 2):
            yield from (one + other, abs(one - other), one * other)
            if one and other:
                yield from (one / other, other / one, 100 * one / other, 100 * other / one)
        yield sum(few)
        for item in value.values():
            if isinstance(item, (dict, list)):
                yield from _of(item, depth + 1, fields)


def _number(item: object) -> float | None:
    if type(item) in (int, float):
        return float(item) if abs(item) < _LARGEST else None  # type: ignore[arg-type]
    if (
        isinstance(item, str)
        and len(item) <= _LONGEST_PRINTED
        and (match := NUMBER.fullmatch(item.lstrip("$"))) is not None
    ):
        return value_of(match[0])
    return None


def sums_of(values: list[float]) -> Iterator[float]:
    """Of all, of each run from the first or to the last, of two and of three, and the mean."""
    if not values:
        return
    values = values[-60:]
    total = sum(values)
    yield from (total, total / len(values), median(values))
    for start in range(len(values)):
        running = 0.0
        for value in values[start : start + 12]:
            running += value
            yield running
    for one, other in combinations(values[-24:], 2):
        yield from (one + other, abs(one - other))
