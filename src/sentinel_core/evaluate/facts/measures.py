"""Numbers with their names: what JSON says under a key, and what a sentence says of the thing that the key names. Pure.

``57 tests failed`` is held against ``tests.failed``, ``error rate 35%`` against ``error_rate``, ``p95 of 9000 ms`` against
``response_time_p95``, and ``crash rate`` against whatever key has these words.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sentinel_core.evaluate.facts.figures import read_number

__all__ = [
    "ROUGH",
    "Measure",
    "contradicted_measures",
    "in_digits",
    "is_about",
    "is_bound",
    "is_supposed",
    "known_first",
    "measures_in",
]

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONE = {word: number for number, word in enumerate(_ONES.split())}
_TEN = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_WORD = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TEN)})(?:[- ](?P<unit>{'|'.join(_ONES.split()[1:10])}))?|(?P<one>{'|'.join(_ONE)}))\b(?! of the\b)",
    re.IGNORECASE,
)
_TIMES_OF = {"dozen": 12, "hundred": 100, "thousand": 1000}
_MANY = re.compile(r"\b(\d{1,3}) (dozen|hundred|thousand)\b", re.IGNORECASE)
_HOURS = re.compile(
    r"\b(?P<hours>\d+|an?) ?(?:h|hrs?|hours?),?(?: and)? (?P<minutes>[1-5]?\d)\b(?: ?(?:m|min|minutes?)\b)?(?![.,:]?\d| ?%)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2}|\d{4,}|(?<=\b0,)\d{3})(?![\d,]|\.\d)")  # 1,204 has thousands
_PERCENT = re.compile(
    r"(?<=\d) ?(?:prozent|per cento?|por ciento|por cento|pour cent|procent\w*|процент\w*|パーセント)(?!\w)",
    re.IGNORECASE,
)
_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_FIGURE = re.compile(
    rf"(?<![\w.,/:#@-])(?P<value>{_NUMBER})(?:\s?(?P<unit>%|percent\b|ms\b|milliseconds?\b|s\b|seconds?\b))?"
    rf"(?:\s?(?:/|out of|of(?: the| all)?)\s?(?P<whole>\d[\d,]*)\b(?!\s?%|\.\d))?(?![\w]|[.,:-]\d)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;()\n]|,(?=\s)|\s[-–—]\s|\b(?:and|but|while|whereas|though)\b")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_TEST = re.compile(r"\b(?:tests?|cases?|specs?|checks?|suite|failures)\b", re.IGNORECASE)

# A name in a sentence; the keys that it stands for; whether the sentence has to be about tests.
_NAMES: tuple[tuple[str, str, bool], ...] = (
    (r"fail(?:ed|ing|s|ures?)?|broken?|red", r"failed|failures|failing", True),
    (r"pass(?:ed|es|ing)?|succeed(?:ed|s)?|succeeded|green", r"passed|passing", True),
    (r"skip(?:ped|s)?|ignored", r"skipped", True),
    (r"error[- ]rates?|rate of errors|requests? fail(?:ed|s)?|failed requests", r"error rate", False),
    (
        r"p95|95th(?:[- ]percentile)?|percentile|response[- ]times?|latenc(?:y|ies)",
        r"(?:response time|latency).*|p95.*",
        False,
    ),
)
_ABOVE = r"above|over|exceed(?:s|ed|ing)?|more than|greater than|higher than|at least|beyond|at or above|>=?|≥"
_BELOW = r"below|under|less than|lower than|fewer than|at most|up to|within|at or below|<=?|≤"
_LED = re.compile(
    rf"(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})|threshold|limit|target|budget|objective|slo)(?:\s+of)?(?:\s+(?:the|a|an|our|its|is))?\s*$",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(
    r"\s*(?:%|percent|ms|milliseconds?|s|seconds?)?\s*(?:or (?:more|less|higher|above|lower|below)|(?:\w+ )?(?:threshold|limit|target|budget|objective|slo|mark)\b)",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:would|could|should|might|will|shall|must|if|unless|until|assuming)\b|'(?:d|ll)\b", re.IGNORECASE
)
_SUPPOSED = re.compile(
    rf"{_MODAL.pattern}|^\W*(?:then|afterwards|next|finally|later)\b|\be\.g\."
    r"|\b(?:assum\w*|suppos\w*|provided|recommend\w*|advis\w*|suggest\w*|propos\w*|consider|please|ensure|target|aim|needs? to|by default"
    r"|for (?:instance|example)|such as|expect\w*|guess\w*|estimat\w*|probab\w*|likel[iy]\w*|perhaps|maybe|my own|rule of thumb|usual\w*|typical\w*"
    r"|normally|confiden(?:t|ce)|certain|sure|chance)\b",
    re.IGNORECASE,
)
_BIDDEN = re.compile(
    r"(?:^|[,:;.]|\b(?:and|then|or|to))[\W\d]*\b(?:roll|start|stop|begin|wait|watch|keep|set|go|get|ramp|hold|bring|limit|cap|alert|send|give|try|ship"
    r"|deploy|lower|raise|increase|reduce|monitor|schedule|expand|widen|abort|pause|let|make|take|use)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no longer|neither|nor|without|cannot|misstated|mistaken(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?)\b|n't\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\s?(?:millions?|billions?|thousand|mio|[km])\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\s(?!(?:ms|s|seconds?|percent)\b)([a-z]{3,}s)\b(?! (?:of|were|are|that) (?:tests?|cases?)\b)", re.IGNORECASE
)
_ABOUT = re.compile(r"(?:\b(?:about|around|roughly|approximately|nearly|almost|some)|[~≈])\s*$", re.IGNORECASE)
_TIMES = ("time", "latency", "p95", "duration")
_COUNTS = ("count", "total")
ROUGH = 0.1
"""How far a number that is said to be rough may be off, as a share of it."""
_NEAR, _LEAST, _MOST_SIBLINGS, _WORDY = 40, 6, 5, 4
_BEFORE = re.compile(r"(\w+)\W{0,3}$")
_ALONE = re.compile(r"\((?=\s?[-+~≈]?\d[^()\s]*\s?(?:%|percent|ms|s)?\s?\))([^()]*)\)")
_MEAN = re.compile(r"\b(?:average|mean|median|weighted|overall|combined|altogether)\b", re.IGNORECASE)
_OF = re.compile(r"(?:\bout of|\bfactor of|/|^\W*of|\b\d+ in)(?: the| all| every)?\s*$", re.IGNORECASE)


class Measure(NamedTuple):
    """One number of a document: its path, its last key in words, and its value. Text such as ``2%`` or ``450 ms`` is read.

    Of a list it is the length: ``is_length``, which the number of those of a kind does not exceed.
    """

    path: str
    words: str
    value: float
    is_length: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the key is one word that says what is counted: at the top of the document, and no short one."""
        return self.path.rpartition(".")[0] in ("", self.words) and len(self.words) >= _LEAST

    @property
    def is_time(self) -> bool:
        """Whether the key names a time, in milliseconds."""
        return any(word in self.words for word in _TIMES)

    @property
    def is_null(self) -> bool:
        """Whether the document has the key, but no value."""
        return math.isnan(self.value)

    @property
    def told(self) -> str:
        """The path and the value in words."""
        if self.is_null:
            return f"{self.path} is null"
        return f"{self.path} has {self.value:g} entries" if self.is_length else f"{self.path} is {self.value:g}"


def measures_in(document: Any, path: str = "") -> Iterator[Measure]:
    """Every number of a JSON value, with its path; a null is a number that is none."""
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inner:
        place = f"{path}[{key}]" if isinstance(document, list) else f"{path}.{key}".lstrip(".")
        words = " ".join(part.lower() for part in _PARTS.findall(str(key)))
        if words in _COUNTS and path:
            words = " ".join(part.lower() for part in _PARTS.findall(path.rpartition(".")[2]))
        if isinstance(value, dict | list):
            yield from [Measure(place, words, len(value), is_length=True)] if _is_counted(value) else ()
            yield from measures_in(value, place)
        elif isinstance(document, dict) and value is None:
            yield Measure(place, words, math.nan)
        elif isinstance(document, dict) and (number := read_number(value)) is not None:
            yield Measure(place, words, number)


def _is_counted(value: object) -> bool:
    """Whether the length of a list is the number of its things: its entries have no counts of their own."""
    if not isinstance(value, list):
        return False
    rows = [row for row in value if isinstance(row, dict)]
    return not any(isinstance(one, int) and not isinstance(one, bool) for row in rows for one in row.values())


def known_first(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures, each once, without the nulls of names that have a number elsewhere."""
    unique = tuple(dict.fromkeys(measures))
    known = {measure.words for measure in unique if not measure.is_null}
    return tuple(measure for measure in unique if not (measure.is_null and measure.words in known))


def in_digits(text: str) -> str:
    """The text with number words in digits, points for decimal commas, and ``%`` for percent in words.

    ``fifty-seven`` is ``57``, ``two hundred`` is ``200``, and ``0,45 %`` is ``0.45 %``.
    """

    def digits(match: re.Match[str]) -> str:
        if match["tens"]:
            return str(_TEN[match["tens"].lower()] + _ONE[(match["unit"] or "zero").lower()])
        return str(_ONE[match["one"].lower()])

    def minutes(match: re.Match[str]) -> str:
        hours = 1 if match["hours"].lower() in ("a", "an") else int(match["hours"])
        return f"{60 * hours + int(match['minutes'])} minutes"

    plain = _PERCENT.sub(" %", _COMMA.sub(r"\1.\2", _WORD.sub(digits, text)))
    plain = _MANY.sub(lambda match: str(int(match[1]) * _TIMES_OF[match[2].lower()]), plain)
    return _HOURS.sub(minutes, plain)


def is_about(sentence: str, start: int) -> bool:
    """Whether a number is said to be rough: ``about 2,000``, ``nearly 2,000``."""
    return _ABOUT.search(sentence, max(0, start - _NEAR), start) is not None


def is_bound(sentence: str, start: int, end: int) -> bool:
    """Whether a number is a limit that something is compared with: ``below 500 ms``, ``2% or more``."""
    return bool(_LED.search(sentence, max(0, start - _NEAR), start) or _FOLLOWED.match(sentence, end))


def is_supposed(sentence: str, start: int, end: int) -> bool:
    """Whether a number is one of a plan, a proposal or a supposition: words for that before it, or after it in its clause."""
    rest = re.split(r"[,;:()]\s", sentence[end:], maxsplit=1)[0]
    before = (pattern.search(sentence, 0, start) for pattern in (_SUPPOSED, _BIDDEN))
    return sentence.rstrip().endswith("?") or any(before) or _MODAL.search(rest) is not None


_Name = tuple[int, int, list[Measure]]


def contradicted_measures(sentence: str, measures: Sequence[Measure]) -> Iterator[str]:
    """Why the document contradicts a number that the sentence gives to one of its keys; nothing where it does not."""
    about_tests = _TEST.search(sentence) is not None
    said = ""
    for clause in _clauses(_ALONE.sub(r"\1", in_digits(sentence))):
        figures = list(_FIGURE.finditer(clause))
        names = list(_names(clause, measures, about_tests=about_tests)) if figures else []
        for figure in figures:
            before = clause[: figure.start()]
            near = [name for name in _beside(figure, names) if _nearest(name, figures) is figure]
            start, end = len(said) + figure.start(), len(said) + figure.end()
            if not near or is_supposed(said + clause, start, end) or _NOT.search(clause) or _OF.search(before):
                continue
            if _is_of_another(figure, clause, near) or _is_of_part(figure, clause, measures):
                continue
            told = (
                figures if clause.lstrip().startswith("|") else [figure]
            )  # a row of a table has a limit, or what was before, too
            if not any(_agrees(one, clause, found, measures) for one in told for _, _, found in near):
                yield f"{figure[0].strip()}, but {near[0][2][0].told}"
        said += f"{clause} "


def _is_of_another(figure: re.Match[str], clause: str, near: Sequence[_Name]) -> bool:
    """Whether a figure goes on ("1.25 million"), or has a noun of its own, which names nothing here: "7 minutes", "3 findings"."""
    if _SCALE.match(clause, figure.end()):
        return True
    own = _OTHER.match(clause, figure.end())
    if own is None or _TEST.fullmatch(own[1]):
        return False
    return all(own.start(1) >= end or own.end(1) <= start for start, end, _ in near)


def _is_of_part(figure: re.Match[str], clause: str, measures: Iterable[Measure]) -> bool:
    """Whether the word before a figure names the object that has such a number: "vitest (702)"."""
    word = _BEFORE.search(clause, 0, figure.start())
    parts = (
        row.path.lower().split(".")[:-1] for row in measures if row.value == float(figure["value"].replace(",", ""))
    )
    return word is not None and any(word[1].lower() in part for part in parts)


def _clauses(sentence: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE.finditer(sentence):
        yield sentence[start : match.start()]
        start = match.end()
    yield sentence[start:]


def _names(clause: str, measures: Iterable[Measure], *, about_tests: bool) -> Iterator[_Name]:
    """Where the clause names something that the document has, and what it has of it."""
    measures = list(measures)
    taken: list[Measure] = []
    for told, keys, of_tests in _NAMES:
        found = [
            measure
            for measure in measures
            if re.fullmatch(rf"(?:tests? )?(?:{keys})", measure.words) and (not of_tests or "test" in measure.path)
        ]
        taken += found
        if found and (about_tests or not of_tests):
            for match in re.finditer(rf"\b(?:{told})\b", clause, re.IGNORECASE):
                yield match.start(), match.end(), found
    others = (measure for measure in measures if measure not in taken and (" " in measure.words or measure.is_plain))
    for words in dict.fromkeys(measure.words for measure in others):
        found = [measure for measure in measures if measure.words == words]
        for match in re.finditer(rf"\b{words.replace(' ', '[ _-]')}s?\b", clause, re.IGNORECASE):
            yield match.start(), match.end(), found


def _beside(figure: re.Match[str], names: Sequence[_Name]) -> list[_Name]:
    """The names next to a figure, on its left and on its right."""
    left = [name for name in names if name[1] <= figure.start()]
    right = [name for name in names if name[0] >= figure.end()]
    return [*([max(left, key=lambda name: name[1])] if left else ()), *([min(right)] if right else ())]


def _nearest(name: _Name, figures: Sequence[re.Match[str]]) -> re.Match[str]:
    """The figure that a name is of: the one with the fewest letters between them."""
    return min(figures, key=lambda figure: max(figure.start() - name[1], name[0] - figure.end()))


def _agrees(figure: re.Match[str], clause: str, found: Sequence[Measure], measures: Sequence[Measure]) -> bool:
    value = float(figure["value"].replace(",", ""))
    if _is_of_whole(figure, found) or _is_of_other_name(value, clause, [row for row in measures if row not in found]):
        return True
    if all(measure.is_null for measure in found):
        return False
    led = _LED.search(clause, max(0, figure.start() - _NEAR), figure.start())
    forms = [form for measure in found for form in _forms(figure["unit"], measure, measures)]
    if figure["unit"] is None:
        forms.append(sum(measure.value for measure in found if not measure.is_null))  # of all suites
    firsts = [next(_forms(figure["unit"], measure, measures), value) for measure in found]
    if led is not None or _FOLLOWED.match(clause, figure.end()):
        if led is None or not (led["above"] or led["below"]):
            return True
        return any(first >= value if led["above"] else first <= value for first in firsts)
    is_mean = _MEAN.search(clause) is not None and min(firsts) <= value <= max(firsts)
    if is_mean or all(measure.is_length for measure in found):
        is_page = figure["whole"] is not None  # "6 of 54": the list has a part of them
        return is_mean or is_page or any(value <= measure.value for measure in found)
    decimals = len(figure["value"].partition(".")[2])
    slack = ROUGH * abs(value) if _ABOUT.search(clause, 0, figure.start()) else 0.5000001 * 10.0**-decimals
    if figure["unit"] is None and not decimals and slack < 1 and all(form == int(form) for form in forms):
        slack = 0.0  # counts are not rounded
    # Without a unit, a small share is not rounded to a whole number.
    return not forms or any(
        abs(form - value) <= (slack if figure["unit"] else min(slack, abs(form) / 10)) for form in forms
    )


def _is_of_whole(figure: re.Match[str], found: Sequence[Measure]) -> bool:
    """Whether a figure is told as a part of what there is: "6 of 41"."""
    return figure["whole"] is not None and any(row.value == float(figure["whole"].replace(",", "")) for row in found)


def _is_of_other_name(value: float, clause: str, measures: Iterable[Measure]) -> bool:
    """Whether it is the number of something else that the clause names: "no failures in 887 tests"."""
    low = clause.lower()
    return any(
        row.value == value and any(len(word) >= _WORDY and word in low for word in row.words.split())
        for row in measures
    )


def _forms(unit: str | None, measure: Measure, measures: Sequence[Measure]) -> Iterator[float]:
    """The values that a figure with this unit may have for a measure; none where the unit does not fit it."""
    unit = (unit or "").lower()
    if unit in ("%", "percent"):
        if not measure.is_time:  # a share of 1 or of 100; the likelier reading first
            if "test" not in measure.path:
                yield from (measure.value, 100 * measure.value)[:: 1 if abs(measure.value) > 1 else -1]
            yield from (100 * measure.value / whole for whole in _wholes(measure, measures))
    elif not unit.startswith("s"):
        yield measure.value
    elif measure.is_time:
        yield measure.value / 1000


def _wholes(measure: Measure, measures: Sequence[Measure]) -> Iterator[float]:
    """What a count may be a share of: its own value with some or all of its siblings, of which some may be unusable."""
    place = measure.path.rpartition(".")[0]
    siblings = [
        other.value
        for other in measures
        if other.path.rpartition(".")[0] == place and other.value > 0 and not other.is_length and other != measure
    ][:_MOST_SIBLINGS]
    for size in range(len(siblings) + 1):
        for some in itertools.combinations(siblings, size):
            if (whole := measure.value + sum(some)) > 0:
                yield whole
