"""Numbers and names in prose, and whether the data gives them. Pure."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from sentinel_core.trace import from_json

__all__ = [
    "Facts",
    "Number",
    "facts_of",
    "folded",
    "names_in",
    "numbers_in",
    "read_number",
    "significant",
    "without_quotes",
]

# No part of a word (v2.1.0, p95, 95th), of a version or of a date; a unit may be glued to it.
_NUMBER = re.compile(
    r"(?<![\w.,/:#-])([-+]?\d(?:[\d,]*\d)?(?:\.\d+)?)(?:\s?(%|percent\b)|(?:ms|s|x|k)\b|(?!\w|[.,/:-]\w))",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^\s*(?:\d+[.)]|[-*])\s", re.MULTILINE)
_QUOTED = re.compile(r'"([^"\n]{0,400})"|“([^”\n]{0,400})”')  # even short ones, so that quotes are paired correctly
_SHORTEST_NAME = 3  # a shorter name occurs in any text
_IDENTIFIER = re.compile(r"\b[A-Za-z][A-Za-z]*[-_.]?\d[\w.-]*\w\b")
_TEXT = re.compile(r"\s*([-+]?\d[\d,]*(?:\.\d+)?)\s*(%|ms|s)?\s*")
_ELLIPSES = ("...", "…")
_INSTANT = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d))?")
_MOST_SIBLINGS, _WHOLE = 12, 100
# What may stand behind a number, and by what it is to be multiplied, or by what a known one may be.
_SCALES = (
    (re.compile(r"\s?(?:k|thousand)\b", re.IGNORECASE), 1e3),
    (re.compile(r"\s?(?:mio|million)", re.IGNORECASE), 1e6),
    (re.compile(r"\s?(?:bn|billion)\b", re.IGNORECASE), 1e9),
)
_PER = r"[^.;,:]{0,30}?(?:\b(?:per|an?|every|each)\s|/\s?)"
_UNITS = tuple(
    (re.compile(rf"{lead}(?:{unit})\b", re.IGNORECASE), factors)
    for lead, unit, factors in (
        (r"\s?", "ms|milliseconds?", (1e3,)),
        (r"\s?", "s|sec|seconds?", (1e-3, 60.0)),
        (r"\s?", "min|minutes?", (1 / 60, 60.0)),
        (r"\s?", "h|hrs?|hours?", (1 / 60, 1 / 3600, 24.0)),
        (r"\s?", "days?", (1 / 24, 7.0)),
        (r"\s?", "[kmgt]i?b|(?:kilo|mega|giga|tera)bytes", (1e3, 1e-3, 1024.0, 1 / 1024, 1e-6)),
        (_PER, "s|sec|second", (1 / 60, 1 / 3600)),
        (_PER, "min|minute", (60.0, 1 / 60)),
        (_PER, "h|hour", (60.0, 3600.0)),
        (_PER, "day", (24.0, 1440.0, 86400.0)),
    )
)
_DIGITS = re.compile(r"(?<![\w.,:/#])(?<!\w-)\d[\d,]*(?:\.\d+)?")
_RUN = re.compile(r"\d[\d,]*(?:\.\d+)?")
_AND_NEXT = re.compile(r"^\s?(?:to|and|or|[-–→>/]+)\s?\d[\d.,]*(?=\s?[a-zA-Z])")  # "from 3.91 to 3.97 million"
_OF_THOUSANDS = 3  # decimals of "10.500" where a point stands between thousands
_MOST_TEXT = 200_000


@attrs.frozen
class Number:
    """A number as written, its value, its number of decimals, and whether it is in percent."""

    written: str
    value: float
    decimals: int
    is_percent: bool


@attrs.frozen(kw_only=True)
class Facts:
    """The facts that the agent was given: numbers, counts and sums of them, shares, and the text."""

    numbers: frozenset[float]
    derived: frozenset[float]
    shares: frozenset[float] = frozenset()
    paired: frozenset[float] = frozenset()
    digits: frozenset[str] = frozenset()
    text: str

    def gives(self, number: Number, rough: float = 0.0) -> bool:
        """True if a known number, rounded alike, equals this one. A whole number is not compared with shares.

        ``rough`` is the share of the number by which it may be off.
        """
        slack = max(0.5000001 * 10.0**-number.decimals, rough * abs(number.value))
        factors = (100.0, 1.0) if number.is_percent else (1.0,)
        shares = self.shares if number.is_percent or number.decimals else ()
        return any(
            abs(known * factor - number.value) <= slack
            for factor in factors
            for known in itertools.chain(self.numbers, self.derived, shares)
        )

    def has_digits(self, number: Number) -> bool:
        """True if something that was told has the same digits, in whatever unit: 412.50 of 41250 cents, 62 of 0.62, 24 of "24h"."""
        digits = significant(number.written)
        return len(digits) > 1 and digits in self.digits

    def follows(self, number: Number, after: str = "", rough: float = 0.0, told: Iterable[float] = ()) -> bool:
        """True if it follows, rounded alike, from two numbers that belong together, or from one in another unit or scale.

        ``after`` is what stands behind the number: a scale ("million"), a unit of time or of size, or what it is counted for ("a second").
        """
        tail = _AND_NEXT.sub("", number.written.lstrip("-+0123456789.,") + after)
        scale = next((factor for pattern, factor in _SCALES if pattern.match(tail)), 1.0)
        readings = {number.value * scale, *((number.value * 1000,) if number.decimals == _OF_THOUSANDS else ())}
        slack = max(0.5000001 * scale * 10.0**-number.decimals, rough * max(readings))
        factors = next((factors for pattern, factors in _UNITS if pattern.match(tail)), ())
        ways = itertools.chain(self.paired, self.numbers, self.derived, _computed(told))
        return any(
            abs(abs(way) * factor - abs(reading)) <= slack
            for way in ways
            for factor in (1.0, *factors)
            for reading in readings
        )

    def names(self, name: str) -> bool:
        """True if the text contains the name; of a name that ends in an ellipsis, its start."""
        plain = folded(name)
        for ellipsis in _ELLIPSES:
            plain = plain.removesuffix(ellipsis).rstrip()
        return plain in self.text


def significant(written: str) -> str:
    """The digits of a number that count: "4125" of "$412.50"."""
    return "".join(filter(str.isdigit, written)).strip("0")


def folded(text: str) -> str:
    """Without case, white space folded."""
    return " ".join(text.split()).casefold()


def numbers_in(text: str) -> Iterator[Number]:
    """The quantities of a text, without the ordinals of its lists and without quoted names."""
    plain = _without_quoted(_ORDINAL.sub(" ", text[:_MOST_TEXT]))
    for match in _NUMBER.finditer(plain):
        digits = match[1].replace(",", "")
        yield Number(match[0].strip(), float(digits), len(digits.partition(".")[2]), match[2] is not None)


def names_in(text: str) -> Iterator[str]:
    """What a text quotes, and words with digits in them, such as ``CVE-2026-1`` and ``v2.1.0``."""
    for match in _QUOTED.finditer(text[:_MOST_TEXT]):
        if _is_name(match):
            yield _inner(match)
    for match in _IDENTIFIER.finditer(_without_quoted(text[:_MOST_TEXT])):
        yield match[0]


def without_quotes(text: str, facts: Facts) -> str:
    """The text without what it quotes from the data: that is no statement of its own."""
    return _QUOTED.sub(lambda match: '"..."' if _is_name(match) and facts.names(_inner(match)) else match[0], text)


def _pairs(values: list[float]) -> Iterator[float]:
    """What two numbers that belong together give: their difference, ratio, change in percent, and a share of one; of one what it leaves of a hundred."""
    yield from (100 - value for value in values if 0 < value < _WHOLE)
    for one, other in itertools.permutations(values[:_MOST_SIBLINGS], 2):
        yield one - other
        if 0 < one < 1:
            yield one * other
        if other:
            yield from (one / other, 100 * (one - other) / other)


def _computed(told: Iterable[float]) -> Iterator[float]:
    """What two numbers of a sentence give: the reader sees the sum."""
    for one, other in itertools.permutations(told, 2):
        yield from (one + other, one - other, one * other, one * other / _WHOLE)
        if other:
            yield from (one / other, 100 * one / other, 100 * (one - other) / other)


def _spans(texts: Iterable[str]) -> Iterator[float]:
    """The days between each two dates, and the hours and minutes between each two instants."""
    days: dict[int, None] = {}
    instants: dict[int, None] = {}
    for match in (match for text in texts for match in _INSTANT.finditer(text)):
        day = _day_number(*map(int, match[1].split("-")))
        days[day] = None
        if match[2]:
            instants[day * 1440 + int(match[2]) * 60 + int(match[3])] = None
    for one, other in itertools.combinations(itertools.islice(days, _MOST_SIBLINGS), 2):
        yield from (abs(one - other), abs(one - other) / 7)
    for one, other in itertools.combinations(itertools.islice(instants, _MOST_SIBLINGS), 2):
        minutes = abs(one - other)
        yield from (minutes, minutes / 60, minutes / 1440)


def _day_number(year: int, month: int, day: int) -> int:
    """Days since a fixed one; years begin in March, so that a leap day ends one."""
    late = (14 - month) // 12
    years = year - late
    return day + (153 * (month + 12 * late - 3) + 2) // 5 + 365 * years + years // 4 - years // 100 + years // 400


def _inner(match: re.Match[str]) -> str:
    return match[1] or match[2] or ""


def _is_name(match: re.Match[str]) -> bool:
    return len(_inner(match)) >= _SHORTEST_NAME


def _without_quoted(text: str) -> str:
    """The text without quoted names. Shorter quotes lose only their marks: they may hold a number."""
    return _QUOTED.sub(lambda match: " " if _is_name(match) else f" {_inner(match)} ", text)


def facts_of(texts: Iterable[str], also: Iterable[float] = ()) -> Facts:
    """Facts from the texts of tools and users; JSON also gives sums and shares of sibling numbers."""
    numbers: set[float] = {float(number) for number in also}
    derived: set[float] = {0.0}  # "none of them" needs no source
    shares: set[float] = set()
    paired: set[float] = set()
    same: dict[str, list[float]] = {}
    plain, texts = [], list(texts)
    for text in texts:
        plain.append(folded(text))
        numbers.update(float(digits.replace(",", "")) for digits in _DIGITS.findall(text[:_MOST_TEXT]))
        for values, count in _structured(text):
            numbers.update(values)
            sums = _sums(values[:_MOST_SIBLINGS])
            derived.update(sums | count)
            shares.update(_shares(values[:_MOST_SIBLINGS], sums))
            paired.update(_pairs(values))
        for key, value in _keyed(text):
            same.setdefault(key, []).append(value)
    for values in same.values():
        derived.update(_sums(values[:_MOST_SIBLINGS]))
        paired.update(_pairs(values), _parts(values))
    for rows in (rows for text in texts for rows in _rows_in(_document(text))):
        columns, totals = _of_rows(rows)
        derived.update(columns, totals, _sums(totals[:_MOST_SIBLINGS]))
        paired.update(_pairs(columns), _parts(totals), (value / len(rows) for value in columns))
    return Facts(
        numbers=frozenset((*numbers, *map(abs, numbers))),  # a fall of 2 points is -2
        derived=frozenset(derived),
        shares=frozenset(shares),
        paired=frozenset((*paired, *_spans(texts))),
        digits=frozenset(significant(run) for text in texts for run in _RUN.findall(text[:_MOST_TEXT])),
        text="\n".join(plain).replace('\\"', '"'),
    )


def _structured(text: str) -> Iterator[tuple[list[float], set[float]]]:
    yield from _walk(_document(text))


def _document(text: str) -> Any:
    try:
        return from_json(text)
    except (ValueError, RecursionError):
        return None


def _keyed(text: str) -> Iterator[tuple[str, float]]:
    """The numbers of a document by their keys: what two releases have of one thing belongs together."""
    todo = [_document(text)]
    while todo:
        inner = todo.pop()
        pairs = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        for key, value in pairs:
            if isinstance(value, dict | list):
                todo.append(value)
            elif isinstance(key, str) and (number := read_number(value)) is not None:
                yield key, number


def _walk(value: Any) -> Iterator[tuple[list[float], set[float]]]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    siblings = [number for sibling in inner if (number := read_number(sibling)) is not None]
    counts = {float(len(inner))} if isinstance(value, list) else set[float]()
    yield siblings, counts
    for element in inner:
        if isinstance(element, dict | list):
            yield from _walk(element)


def _rows_in(document: Any) -> Iterator[list[dict[str, Any]]]:
    """The objects beside each other, in a list or under the keys of another: suites, files, regions."""
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    rows = [row for row in inner if isinstance(row, dict)]
    if len(rows) > 1:
        yield rows
    for row in inner:
        yield from _rows_in(row)


def _of_rows(rows: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """The sum of each key that several rows have (how many lines all commits add, and how many they delete), that of all, and that of each row."""
    numbers = [
        {key: number for key, value in row.items() if (number := read_number(value)) is not None} for row in rows
    ]
    held = Counter(key for row in numbers for key in row)
    columns = {key: sum(row.get(key, 0.0) for row in numbers) for key, times in held.items() if times > 1}
    totals = [sum(row.get(key, 0.0) for key in columns) for row in numbers]
    return [*columns.values(), sum(totals)], totals


def _parts(values: Sequence[float]) -> Iterator[float]:
    """What each is of all, in percent."""
    whole = sum(values)
    yield from (100 * value / whole for value in values if whole)


def read_number(value: object) -> float | None:
    """A number of a document, also as text: ``"2%"`` is 0.02 and ``"1.2 s"`` is 1200, in milliseconds. None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return float(value) if abs(value) < 1e15 else None  # noqa: PLR2004 - NaN, too, is no such number
    found = _TEXT.fullmatch(value)
    if found is None:
        return None
    number = float(found[1].replace(",", ""))
    return number / 100 if found[2] == "%" else number * 1000 if found[2] == "s" else number


def _sums(siblings: list[float]) -> set[float]:
    """Sums of two, three and all siblings. Differences are left out: those of a few counts match nearly any number."""
    return {sum(siblings), *(sum(some) for size in (2, 3) for some in itertools.combinations(siblings, size))}


def _shares(siblings: list[float], sums: set[float]) -> set[float]:
    """Shares of one another and of the sums, and their complements to 1."""
    shares = {part / whole for part in siblings for whole in (*siblings, *sums) if whole}
    return shares | {1 - share for share in shares if 0 <= share <= 1}
