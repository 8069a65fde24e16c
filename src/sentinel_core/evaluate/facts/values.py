"""Values in a normal form: dates, times, numbers, identifiers, addresses and paths, in which spelling and separators do not matter.

``18 June``, ``June 18th``, ``2024-06-18`` and ``6月18日`` are one date, ``half past three`` may be ``15:30``, ``$1,166.98`` is
1166.98, ``#W-1234567`` is ``W1234567``, and ``./src/app/main.py`` is ``app/main.py``, too. A value that may be read in two ways has the
forms of both.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from string import digits
from typing import Literal, NamedTuple

from sentinel_core.evaluate.expressions import regex

__all__ = ["Kind", "Value", "values_in", "values_of"]

Kind = Literal["date", "time", "number", "identifier", "address", "path"]

_MONTHS = (
    "january janvier januar enero", "february février fevrier februar febrero", "march mars märz maerz marzo", "april avril abril",
    "may mai mayo", "june juin juni junio", "july juillet juli julio", "august août aout agosto", "september septembre septiembre",
    "october octobre oktober octubre", "november novembre noviembre", "december décembre dezember diciembre",
)  # fmt: skip
_MONTH = {
    form: number
    for number, names in enumerate(_MONTHS, 1)
    for name in names.split()
    for form in (name, name[:3], name[:4])
    if form != "mar" or number == 3  # noqa: PLR2004 - March
}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_HOURS = {
    word: hour
    for hour, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = regex(
    rf"(?<![\w.-])(?P<iso>\d{{4}})[-/.](?P<im>\d{{1,2}})[-/.](?P<id>\d{{1,2}})(?:T(?=\d)|(?!\d))"
    rf"|(?<![\w./-])(?P<s1>\d{{1,2}})[/.](?P<s2>\d{{1,2}})[/.](?:\d{{4}}|\d{{2}})(?![\w/])"
    rf"|(?<!\w)(?P<d1>{_DAY})(?:st|nd|rd|th|er|\.)?(?: of)? (?P<m1>{_NAMES})\b(?:,? \d{{4}}(?!\w))?"
    rf"|(?<!\w)(?P<m2>{_NAMES})\.? (?:the )?(?P<d2>{_DAY})(?:st|nd|rd|th)?(?![\w:]|[.,]\d)(?:,? \d{{4}}(?!\w))?"
    rf"|(?P<m3>\d{{1,2}})月(?P<d3>\d{{1,2}})[日号]",
    re.IGNORECASE,
)
# The other day of "the 16th to 18 December", "Wednesday 16 to Friday 18 December", "December 16-18", "16. bis 18. Dezember".
_JOINT = r"(?: ?[-–—] ?|\.? (?:to|and|until|till|through|bis|und|au|et) )"
_DAY_BEFORE = regex(rf"(?<![\w.:/-])({_DAY})(?:st|nd|rd|th|er)?{_JOINT}(?:the |[a-z]{{3,10}},? )?\Z", re.IGNORECASE)
_DAY_AFTER = regex(rf"{_JOINT}(?:the )?({_DAY})(?:st|nd|rd|th)?(?![\w:/-]|[.,]\d)", re.IGNORECASE)
_FARTHEST_DAY = 24
_TIME = regex(
    rf"(?<![\w:.])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d(?:\.\d{{1,9}})?(?:Z|[+-]\d\d:?\d\d)?|Z|\+\d\d:?\d\d)?(?: ?(?P<ap>[ap])\.?m\b)?(?!\w)"
    rf"|(?<![\w:.])(?P<h2>1[0-2]|0?[1-9]) ?(?P<ap2>[ap])\.?m\b"
    rf"|(?<!\w)(?P<h3>[01]?\d|2[0-3]) ?(?:h|uhr)(?: ?(?P<m3>[0-5]\d))?(?!\w)"
    rf"|\b(?P<part>half|quarter) (?P<to>past|to) (?P<word>{'|'.join(_HOURS)})\b",
    re.IGNORECASE,
)
# Where a date or a time can begin, in expressions that begin with a set of characters: what is none of them is passed over quickly.
_INITIALS = "".join(sorted({letter for name in _MONTH for letter in (name[0], name[0].upper())}))
_SECONDS = "|".join(sorted({name[1:3] for name in _MONTH}))
_BEGINS_DATE = regex(
    rf"[\d{_INITIALS}](?:(?<=\d)(?:(?<!\w.)(?=\d{{0,3}}[-/.]\d|(?i:\d?(?:[a-z]{{2}}|\.)?(?: of)? [{_INITIALS}](?:{_SECONDS})))|(?=\d?月))"
    rf"|(?<!\w.)(?<=\D)(?=(?i:{_SECONDS})\w{{0,8}}\.? (?:[tT][hH][eE] )?\d))"
)
_BEGINS_TIME = regex(
    r"[\dhqHQ](?:(?<!\w.)(?:(?<=\d)(?=\d?(?::\d| ?[apuhAPUH]))|(?<=\D)(?=(?i:alf|uarter) (?i:past|to) )))"
)
# The same of texts without such words.
_STEMS, _PARTS = tuple(sorted({name[:3] for name in _MONTH})), ("alf ", "uarter ")
_BEGINS_NUMERIC_DATE = regex(r"\d(?:(?<!\w.)(?=\d{0,3}[-/.]\d)|(?=\d?月))")
_BEGINS_NUMERIC_TIME = regex(r"\d(?<!\w.)(?=\d?(?::\d| ?[apuhAPUH]))")
_IDENTIFIER = regex(
    r"(?<![\w.@/])#?(?:(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{2,39}|\d{5,20})(?![\w@]|[.,]\d)|#\d{1,20}\b"
)
# From the first digit of a word to its end, and what a word may begin behind.
_FROM_DIGIT, _BEGINS = regex(r"\d[\w.,@/#-]*+"), (" ", '"', "\n")
_ADDRESS = regex(r"(?<![\w.+@-])[\w.+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}(?![\w@])")
# With a folder and an ending: "and/or", "2/3" and "http://" are none.
_PATH = regex(r"(?<![\w./:@~-])[~.]{0,2}/?(?:[\w.@+-]{1,80}/){1,30}[\w@+-]{0,80}\.[A-Za-z]\w{0,9}(?![\w/])")
_NUMBER = regex(
    r"\d(?:(?<![\w.,-].)\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\w]|-\d)|(?<![\w.,].)\d*(?:\.\d+)?(?![\w]|[.,-]\d))"
)
_QUANTITY = regex(r"\d+[-_]?[A-Za-z]+")
_SEPARATORS = regex(r"[-_# ]")
_IS_NAME = regex(r"[A-Za-z]\w{2,39}").fullmatch
_IS_DAY = regex(r"\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])").fullmatch
_LONGEST, _LONGEST_VALUE, _LONGEST_PATH, _HALF_DAY, _LEAST, _SHORTEST_IDENTIFIER = 20_000, 40, 160, 720, 10, 5
_SIGNS = (*digits, "@", "/", " past ", " to ")


class Value(NamedTuple):
    """One value: its kind, all its normal forms, and where it stands in the text that it is of."""

    kind: Kind
    forms: frozenset[str]
    start: int
    end: int


@lru_cache(maxsize=1024)
def values_in(text: str) -> tuple[Value, ...]:
    """The values of a text, in order; numbers below ten without decimals tell too little, and are none."""
    text = text[:_LONGEST]
    if not any(map(text.__contains__, _SIGNS)):
        return ()
    found = [*_addresses(text), *_paths(text)]
    rest = _blanked(text, found)
    low = rest.lower()
    found += (dates := list(_dates(rest, is_numeric=not any(map(low.__contains__, _STEMS)))))
    rest = _blanked(rest, dates)
    found += (times := list(_times(rest, is_numeric=not any(map(low.__contains__, _PARTS)))))
    rest = _blanked(rest, times)
    if any(map(rest.__contains__, digits)):
        found += (names := list(_identifiers(rest)))
        found += _numbers(_blanked(rest, names))
    return tuple(sorted(found, key=_start))


def values_of(item: object) -> tuple[Value, ...]:
    """The values of a field, where all of it is values: a date and a time, say; none for words and other texts."""
    if isinstance(item, bool) or item is None:
        return ()
    text = str(item).strip()
    if text.isalpha():
        return ()
    if text.isascii() and (found := _plain_value(text)) is not None:
        return found
    longest = _LONGEST_PATH if "/" in text or "@" in text else _LONGEST_VALUE
    if len(text) > longest or not any(map(text.__contains__, _SIGNS)):
        return ()
    found = values_in(text)
    covered = sum(value.end - value.start for value in found)
    return found if found and covered >= len(text.strip("$€£ ")) - len(found) else ()


def _plain_value(text: str) -> tuple[Value, ...] | None:
    """What most fields are, at a glance: a short number, a name with digits, or a day; None for all others."""
    if len(text) < _SHORTEST_IDENTIFIER and text.isdigit():
        return (Value("number", frozenset((str(int(text)),)), 0, len(text)),) if int(text) >= _LEAST else ()
    if _IS_NAME(text):
        name = _SEPARATORS.sub("", text.lower())
        return (Value("identifier", frozenset((name,)), 0, len(text)),) if any(map(text.__contains__, digits)) else ()
    return (Value("date", frozenset((text[5:],)), 0, len(text)),) if _IS_DAY(text) else None


def _blanked(text: str, values: list[Value]) -> str:
    if not values:
        return text
    parts: list[str] = []
    at = 0
    for value in sorted(values, key=_start):
        parts += (text[at : value.start], " " * (value.end - max(at, value.start)))
        at = max(at, value.end)
    return "".join((*parts, text[at:]))


def _start(value: Value) -> int:
    return value.start


def _matches(pattern: re.Pattern[str], begins: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What ``finditer`` finds, tried only where a match can begin."""
    begin = begins.search(text)
    while begin is not None:
        match = pattern.match(text, begin.start())
        if match is not None:
            yield match
        begin = begins.search(text, begin.start() + 1 if match is None else match.end())


def _addresses(text: str) -> Iterator[Value]:
    for match in _ADDRESS.finditer(text) if "@" in text else ():
        yield Value("address", frozenset((match[0].lower(),)), match.start(), match.end())


def _paths(text: str) -> Iterator[Value]:
    """Each with its endings of two parts and more as forms: who tells of a file may leave out the folders above."""
    for match in _PATH.finditer(text) if "/" in text else ():
        parts = [part for part in match[0].split("/") if part not in ("", ".", "..", "~")]
        if len(parts) >= 2:  # noqa: PLR2004 - a folder and a file
            forms = frozenset("/".join(parts[at:]) for at in range(len(parts) - 1))
            yield Value("path", forms, match.start(), match.end())


def _dates(text: str, *, is_numeric: bool) -> Iterator[Value]:
    for match in _matches(_DATE, _BEGINS_NUMERIC_DATE if is_numeric else _BEGINS_DATE, text):
        part = match.groupdict()
        pairs = [(part["im"], part["id"]), (part["s1"], part["s2"]), (part["s2"], part["s1"]), (part["m3"], part["d3"])]
        months = [_MONTH.get((part[key] or "").lower()) for key in ("m1", "m2")]
        pairs += [(month, part[day]) for month, day in zip(months, ("d1", "d2"), strict=True)]
        forms = frozenset(f"{int(m):02}-{int(d):02}" for m, d in pairs if m and d and int(m) <= 12 and int(d) <= 31)  # noqa: PLR2004
        if forms:
            yield Value("date", forms, match.start(), match.end())
            yield from _days_beside(text, match, forms)


def _days_beside(text: str, match: re.Match[str], forms: frozenset[str]) -> Iterator[Value]:
    """The first day of a range that ends with its month, and the last of one that begins with it."""
    begin = max(0, match.start() - _FARTHEST_DAY)
    other = _DAY_BEFORE.search(text[begin : match.start()]) if match["d1"] else None
    if match["d2"]:
        begin, other = 0, _DAY_AFTER.match(text, match.end())
    if other is not None:
        month = next(iter(forms))[:2]
        yield Value("date", frozenset((f"{month}-{int(other[1]):02}",)), begin + other.start(1), begin + other.end(1))


def _times(text: str, *, is_numeric: bool) -> Iterator[Value]:
    for match in _matches(_TIME, _BEGINS_NUMERIC_TIME if is_numeric else _BEGINS_TIME, text):
        yield Value("time", frozenset(map(str, _minutes(match.groupdict()))), match.start(), match.end())


def _minutes(part: dict[str, str | None]) -> set[int]:
    """The minutes since midnight that a time may be."""
    if part["word"]:
        shift = (30 if part["part"] == "half" else 15) * (1 if part["to"] == "past" else -1)
        base = _HOURS[part["word"].lower()] * 60 + shift
        return {base % (2 * _HALF_DAY), (base + _HALF_DAY) % (2 * _HALF_DAY)}
    hour, minute = int(part["h"] or part["h2"] or part["h3"] or 0), int(part["m"] or part["m3"] or 0)
    half = (part["ap"] or part["ap2"] or "").lower()
    if half:
        return {hour % 12 * 60 + minute + (_HALF_DAY if half == "p" else 0)}
    told = hour * 60 + minute
    is_open = 0 < hour <= 12 and part["h"] is not None and not (part["h"] or "").startswith("0")  # noqa: PLR2004 - hours of a clock
    return {told, (told + _HALF_DAY) % (2 * _HALF_DAY)} if is_open else {told}


def _identifiers(text: str) -> Iterator[Value]:
    for match in _identifier_matches(text):
        if not _QUANTITY.fullmatch(match[0]):
            yield Value("identifier", frozenset((_SEPARATORS.sub("", match[0].lower()),)), match.start(), match.end())


def _identifier_matches(text: str) -> Iterator[re.Match[str]]:
    """What ``finditer`` finds, tried only at words with digits."""
    done = 0
    for word in _FROM_DIGIT.finditer(text):
        begin = max([done, *[text.rfind(mark, done, word.start()) + 1 for mark in _BEGINS]])
        done = word.end()
        yield from _IDENTIFIER.finditer(text, begin, done)


def _numbers(text: str) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        number = float(match[0].replace(",", ""))
        if number >= _LEAST or "." in match[0]:
            yield Value("number", frozenset((f"{number:.6f}".rstrip("0").rstrip("."),)), match.start(), match.end())
