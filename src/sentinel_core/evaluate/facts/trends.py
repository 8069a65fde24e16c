"""Numbers before and after a release, and sentences that tell which way they went. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from sentinel_core.evaluate.facts.figures import read_number

__all__ = ["Trend", "against_trends", "differences", "trends_in"]

_BEFORE = frozenset(
    ("before", "previous", "prev", "old", "earlier", "baseline", "base", "control", "pre", "last", "from")
)
_AFTER = frozenset(
    ("after", "now", "current", "new", "latest", "canary", "candidate", "treatment", "post", "next", "this", "to")
)
_STEPS = frozenset(
    (
        "weekly",
        "daily",
        "hourly",
        "monthly",
        "by",
        "per",
        "build",
        "builds",
        "day",
        "days",
        "week",
        "weeks",
        "hour",
        "hours",
        "version",
        "versions",
        "release",
        "releases",
        "trend",
        "history",
    )
)
_LEAST = 3  # of a series
_UNITS = frozenset(("pct", "percent", "ms", "s", "seconds"))
_PARTS = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+|\d+")
_VALUE = r"[~≈]?(?P<{0}>\d[\d,]*(?:\.\d+)?)(?:\s?(?:%|percent|ms|s|seconds?)(?!\w))?"
_FROM_TO = re.compile(
    rf"(?<![\w.,]){_VALUE.format('a')}\s?(?:->|→|=>|\b(?:to|auf|à|na|naar|bis|hasta|para)\b)\s?{_VALUE.format('b')}(?![\w,.]\d)",
    re.IGNORECASE,
)
_MOVED = r"(?:went|gone|edged|crept|ticked|inched|moved|come|came|is|are|was|were)"
_UP = rf"rose|rises|risen|increased|increases|{_MOVED} up|climbed|climbs|climbing|grew|grown|grows|growing|rising|increasing|jumped"
_DOWN = rf"fell|fallen|falls|dropped|drops|decreased|decreases|declined|declines|{_MOVED} down|shrank|shrinks|falling|dropping|declining|shrinking|coming down"
_BETTER, _WORSE = r"improved|improves|better", r"worsened|worsens|worse|degraded|deteriorated|regressed"
_TO_BE_LOW = re.compile(
    r"\b(?:errors?|failures?|crash(?:es)?|latency|time|p\d\d|rollbacks?|incidents?|complaints?|timeouts?|bounces?|churn)\b"
)
_TO_BE_HIGH = re.compile(
    r"\b(?:coverage|success|availability|uptime|hit|delivery|conversion|apdex|throughput|accessibility|performance)\b"
)
_TIMES = re.compile(r"\b(?P<verb>doubled|tripled|halved)\b")
_FACTORS = {"doubled": (1.7, 2.5), "tripled": (2.6, 3.6), "halved": (0.4, 0.6)}
_FAR = 25
_NEGATED = re.compile(r"\b(?:not|never|no|if|unless|would|could|should|may|might)\b|n't\b")


class Trend(NamedTuple):
    """One number of a document before and after: where it stands, its name in words, and both values."""

    path: str
    words: str
    before: float
    after: float

    @property
    def told(self) -> str:
        """The path and both values in words."""
        return f"{self.path} went from {self.before:g} to {self.after:g}"


def trends_in(document: Any, path: str = "") -> Iterator[Trend]:
    """Every pair of numbers whose keys differ by a word for before and after: ``before`` and ``after``, ``p95`` and ``p95_prev``."""
    yield from _series(document, path)
    if isinstance(document, list):
        for place, inner in enumerate(document):
            yield from trends_in(inner, f"{path}[{place}]")
    if not isinstance(document, dict):
        return
    parts = {key: tuple(part.lower() for part in _PARTS.findall(str(key))) for key in document}
    for early, earlier in parts.items():
        name = tuple(part for part in earlier if part not in _BEFORE)
        late = next((key for key, later in parts.items() if key != early and _without_after(later) == name), None)
        if name != earlier and late is not None:
            yield from _trend(document, early, late, path, name)
    for key, inner in document.items():
        yield from trends_in(inner, f"{path}.{key}".lstrip("."))


def _series(document: Any, path: str) -> Iterator[Trend]:
    """Numbers of one thing step by step, by dates, builds or versions, that go one way only."""
    if isinstance(document, dict) and all(any(map(str.isdigit, str(key))) for key in document):
        values = [read_number(value) for value in document.values()]
    elif isinstance(document, list):
        rows = [
            [read_number(value) for value in row.values()] if isinstance(row, dict) else [read_number(row)]
            for row in document
        ]
        found = [[value for value in row if value is not None] for row in rows]
        values = [row[0] if len(row) == 1 else None for row in found]
    else:
        return
    numbers = [value for value in values if value is not None]
    if len(numbers) < max(_LEAST, len(values)):
        return
    steps = {one < other for one, other in pairwise(numbers)}
    if len(steps) == 1 and len(set(numbers)) == len(numbers):
        parts = [part.lower() for part in _PARTS.findall(path.rpartition(".")[2])]
        name = " ".join(part for part in parts if part not in _UNITS | _STEPS)
        yield Trend(path, name, numbers[0], numbers[-1])


def _without_after(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for part in parts if part not in _AFTER)


def _trend(document: Mapping[str, Any], early: str, late: str, path: str, name: tuple[str, ...]) -> Iterator[Trend]:
    before, after = read_number(document[early]), read_number(document[late])
    if before is None or after is None:
        return
    own = [part for part in name if part not in _UNITS]
    named = own or [part.lower() for part in _PARTS.findall(path.rpartition(".")[2]) if part.lower() not in _UNITS]
    place = ".".join(part for part in (path, "_".join(name) if own else "") if part)
    yield Trend(place or late, " ".join(named), before, after)


def differences(trends: Iterable[Trend]) -> Iterator[float]:
    """How far each number went; of shares also in percentage points."""
    for trend in trends:
        way = abs(trend.after - trend.before)
        yield from (way, way * 100 if max(trend.before, trend.after) <= 1 else way / 1000)


def against_trends(sentence: str, trends: Iterable[Trend]) -> Iterator[str]:
    """Why the documents contradict what the sentence says of a number's way: from where to where, or up or down."""
    moved = [trend for trend in trends if trend.before != trend.after]
    for match in _FROM_TO.finditer(sentence):
        ways = [trend for trend in moved if _is(match["a"], trend.after) and _is(match["b"], trend.before)]
        if ways and not any(_is(match["a"], trend.before) and _is(match["b"], trend.after) for trend in moved):
            yield ways[0].told
    low = sentence.lower()
    for name in dict.fromkeys(trend.words for trend in moved if trend.words):
        ways = [trend for trend in moved if trend.words == name]
        told = rf"\b{name.replace(' ', '[ _-]')}\b[^.;,()]{{0,{_FAR}}}?"
        for verbs, is_up in _directions(name):
            verb = re.search(rf"{told}\b(?:{verbs})\b", low)
            is_other = all((way.after > way.before) != is_up for way in ways)
            if verb and is_other and not _NEGATED.search(low[: verb.end()]):
                yield ways[0].told
        times = re.search(rf"{told}{_TIMES.pattern}", low)
        if times and not _NEGATED.search(low[: times.end()]) and not any(_is_times(way, times["verb"]) for way in ways):
            yield ways[0].told


def _directions(name: str) -> Iterator[tuple[str, bool]]:
    """Words for which way a number went, and whether it is up; better and worse only where the name says which is which."""
    yield from ((_UP, True), (_DOWN, False))
    if _TO_BE_LOW.search(name) or _TO_BE_HIGH.search(name):
        is_low = _TO_BE_LOW.search(name) is not None
        yield from ((_BETTER, not is_low), (_WORSE, is_low))


def _is_times(way: Trend, verb: str) -> bool:
    least, most = _FACTORS[verb]
    return not way.before or least <= way.after / way.before <= most


def _is(written: str, value: float) -> bool:
    """Whether a number as written is this value, rounded alike, as a share of 1 or in percent, in milliseconds or seconds."""
    digits = written.replace(",", "")
    slack = 0.5000001 * 10.0 ** -len(digits.partition(".")[2])
    return any(abs(float(digits) - value * factor) <= min(slack, abs(value * factor) / 4) for factor in (1, 100, 0.001))
