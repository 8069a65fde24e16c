"""Numbers and names in prose, and whether the data gives them. Pure."""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from sentinel_core.trace import from_json

__all__ = ["Facts", "Number", "facts_of", "folded", "names_in", "numbers_in", "read_number", "without_quotes"]

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
_MOST_SIBLINGS = 12
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

    def names(self, name: str) -> bool:
        """True if the text contains the name; of a name that ends in an ellipsis, its start."""
        plain = folded(name)
        for ellipsis in _ELLIPSES:
            plain = plain.removesuffix(ellipsis).rstrip()
        return plain in self.text


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
    plain = []
    for text in texts:
        plain.append(folded(text))
        numbers.update(number.value for number in numbers_in(text.replace('"', " ")))
        for values, count in _structured(text):
            numbers.update(values)
            sums = _sums(values[:_MOST_SIBLINGS])
            derived.update(sums | count)
            shares.update(_shares(values[:_MOST_SIBLINGS], sums))
    return Facts(
        numbers=frozenset((*numbers, *map(abs, numbers))),  # a fall of 2 points is -2
        derived=frozenset(derived),
        shares=frozenset(shares),
        text="\n".join(plain).replace('\\"', '"'),
    )


def _structured(text: str) -> Iterator[tuple[list[float], set[float]]]:
    try:
        value = from_json(text)
    except (ValueError, RecursionError):
        return
    yield from _walk(value)


def _walk(value: Any) -> Iterator[tuple[list[float], set[float]]]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    siblings = [number for sibling in inner if (number := read_number(sibling)) is not None]
    counts = {float(len(inner))} if isinstance(value, list) else set[float]()
    yield siblings, counts
    yield _columns(value) if isinstance(value, list) else [], set()
    for element in inner:
        if isinstance(element, dict | list):
            yield from _walk(element)


def _columns(rows: list[Any]) -> list[float]:
    """The sums of each key over the objects of a list: how many lines all commits add, and how many they delete."""
    sums: dict[str, float] = {}
    for key, value in ((key, value) for row in rows if isinstance(row, dict) for key, value in row.items()):
        if (number := read_number(value)) is not None:
            sums[key] = sums.get(key, 0.0) + number
    return list(sums.values())


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
