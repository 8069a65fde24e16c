"""Numbers of the last answer that contradict the tool result they are about."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.claims import is_weakened
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.facts import Facts, label, same
from sentinel_signal_hallucination.patterns import HEDGE
from sentinel_signal_hallucination.prose import around, own_prose
from sentinel_signal_hallucination.statement import Statement
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["contradicted"]

_LONGEST_ANSWER = 20_000
_LONGEST_RESULT = 50_000
_LONGEST_SOURCE = 200_000
_MOST_RESULTS = 20
_VALUE_CHARS = 16
_MOST_NUMBERS = 100
_MOST_PLACES = 20
_BEFORE_CHARS = 48
_AFTER_CHARS = 40
# Group 2 is there where a word follows. The look-behind comes after the first digit: an expression that begins with a digit is searched for several times faster.
_NUMBER = regex(
    r"([0-9](?<![\w.,/:#-].)\d{0,11}+(?:,\d{3}){0,4}+(?:\.\d{1,9})?+)(?![\w/:-]|[.,]\d)(?:(?=\s?%?\*{0,2} \*{0,2}([A-Za-z])))?"
)
_DIGITS = "1203456789"
_ANY_NUMBER = regex(r"\d[\d,]*(?:\.\d+)?")
_AFTER = regex(r"\s?%?\*{0,2} \*{0,2}([A-Za-z][\w-]*(?: [A-Za-z][\w-]*)?)")
# A number after one of these is a name, not a quantity.
_NAMES = words("version release build rule section step page line port id part phase item items option options no")
_LINKS = (":", "=", " is", " was", " of", " at", " equals", " are", " were")
_PERCENT = regex(r"\*{0,2}\s?(?:%|percent|per cent\b)")
_LABEL_WORDS = 4


def _value(written: str) -> float:
    return float(written.replace(",", ""))


def _before(prose: str, start: int) -> str:
    """What stands before a number, without emphasis and currency."""
    return prose[max(0, start - _BEFORE_CHARS) : start].rstrip(" *$€£¥")


def _labels(prose: str, start: int, end: int, source: "_Source") -> Iterator[tuple[str, ...]]:
    """Longest first: "error rate of 0.45" is the label (error, rate); "37 tests failed" may be (failed).

    Only those on whose last word some key of the source ends.
    """
    before = _before(prose, start)
    if before.rpartition(" ")[2].lower() in _NAMES:
        return
    link = next((link for link in _LINKS if before.endswith(link)), None)
    if link is not None:
        parts = label(before[: -len(link)])[-_LABEL_WORDS:]
        if parts and source.key_ends(parts[-1]):
            yield from (parts[begin:] for begin in range(len(parts)))
    after = _AFTER.match(prose, end, end + _AFTER_CHARS)
    if after is not None:
        parts = label(after[1])
        ends = [bool(source.key_ends(part)) for part in parts[:2]]
        if any(ends):
            yield from (
                parts[begin:stop] for begin, stop in ((0, 2), (0, 1), (1, 2)) if len(parts) >= stop and ends[stop - 1]
            )


class _Source:
    """The text of the results, in which a look at the keys spares most parsing."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._key_ends: dict[str, tuple[str, ...]] = {}

    def has_key(self, name: tuple[str, ...]) -> bool:
        """True where there may be one value, and one only, under this label."""
        ends = self.key_ends(name[-1])
        if not ends:
            return False
        key = next((key for key in _spellings(name, ends) if key in self.text), None)
        return (
            key is not None and len({tail[:_VALUE_CHARS].partition(",")[0] for tail in self.text.split(key)[1:]}) == 1
        )

    def key_ends(self, word: str) -> tuple[str, ...]:
        """How keys end on the word: by itself, or as the last of several, in either case."""
        if word not in self._key_ends:
            # Without its first letter, which may be a capital: most words end no key at all.
            end = word[1:]
            known = end in self.text and f'{end}"' in self.text  # letters alone are found faster
            ways = (f'"{word}"', f'_{word}"', f' {word}"', f'{word.title()}"') if known else ()
            self._key_ends[word] = tuple([way for way in ways if way in self.text])
        return self._key_ends[word]


def _spellings(name: tuple[str, ...], ends: tuple[str, ...]) -> Iterator[str]:
    """The label as a key, in quotes, in the ways that keys end on its last word."""
    *first, last = name
    if not first:
        yield f'"{last}"'
        return
    for end in ends:
        if end[0] != '"':
            joined = f"{name[0]}{''.join(map(str.title, first[1:]))}" if end[0] not in "_ " else end[0].join(first)
            yield f'"{joined}{end}'


def _stands_in(written: str, source: str) -> bool:
    """True where the source has the number as it is written, not as a part of another; also where that takes too long."""
    pieces = source.split(written, _MOST_PLACES)
    if len(pieces) > _MOST_PLACES:
        return True
    before = ""
    for piece in pieces:
        if before and not (piece[:1].isdigit() or before[-1].isdigit() or before[-1] == "."):
            return True
        before = piece
    return False


def _labelled(prose: str) -> list[re.Match[str]]:
    """Numbers that may have a label: few have, and to find out is cheaper than to look for a number in the results."""
    numbers = islice(_NUMBER.finditer(prose), _MOST_NUMBERS)
    return [match for match in numbers if match[2] or _before(prose, match.start()).endswith(_LINKS)]


def _statements(prose: str, numbers: Iterable[re.Match[str]], missing: set[str], source: _Source) -> list[Statement]:
    """Those numbers of the answer that the source has not, and whose label is one of its keys."""
    statements = []
    for match in numbers:
        if match[1] in missing:
            labels = tuple([name for name in _labels(prose, *match.span(), source) if source.has_key(name)])
            if labels:
                sign = _PERCENT.match(prose, match.end(1)) is not None
                statements.append(Statement(match.start(), match[1], labels, sign=sign))
    return statements


def _documents(index: TraceIndex) -> list[str]:
    results = [call.result.content for call in index.calls[-_MOST_RESULTS:] if call.result is not None]
    return [content for content in results if content.startswith(("{", "[")) and len(content) <= _LONGEST_RESULT]


def contradicted(index: TraceIndex, settings: Settings) -> Iterable[Evidence]:
    """Labelled numbers of the last assistant text that no result, no derivation of one, and no user gives."""
    if not index.texts or not index.calls:
        return ()
    prose = index.texts[-1].content[:_LONGEST_ANSWER]
    if not any(map(prose.__contains__, _DIGITS)):
        return ()
    prose = own_prose(prose)
    numbers = _labelled(prose)
    documents = _documents(index) if numbers else []
    if not documents:
        return ()
    source = "\n".join(documents)[-_LONGEST_SOURCE:]
    missing = {written for written in {match[1] for match in numbers} if not _stands_in(written, source)}
    statements = _statements(prose, numbers, missing, _Source(source)) if missing else ()
    return _contradictions(index, settings, prose, statements, documents) if statements else ()


def _contradictions(
    index: TraceIndex, settings: Settings, prose: str, statements: list[Statement], documents: list[str]
) -> Iterator[Evidence]:
    facts, told, steps = Facts(documents), None, None
    for statement in statements:
        known = next(((name, facts.value(name)) for name in statement.labels if name in facts.by_label), None)
        if known is None or known[1] is None or _follows(statement, facts.derived):
            continue
        if same(statement.value, statement.digits, known[1], units=True):
            continue
        begin, finish = around(prose, statement.start, statement.end)
        if HEDGE.search(prose[begin:finish]) or is_weakened(prose[begin : statement.start]):
            continue
        told = _told(index) if told is None else told
        if _follows(statement, told):
            continue
        if steps is None:
            # Most traces have no number to ask about, and need none of this.
            from sentinel_signal_hallucination.steps import Steps

            steps = Steps(documents, _sources(index), told)
        if not steps.lead_to(statement, known[0], known[1], prose, (begin, finish)):
            yield _evidence(index, settings, statement, known, prose[begin:finish].strip())


def _follows(statement: Statement, numbers: set[float]) -> bool:
    value, digits, percent = statement.value, statement.digits, statement.percent
    return any(same(value, digits, number, percent=percent) for number in numbers)


def _evidence(
    index: TraceIndex,
    settings: Settings,
    statement: Statement,
    known: tuple[tuple[str, ...], float | None],
    quote: str,
) -> Evidence:
    name, value = known
    return Evidence(
        Finding(
            rule="contradicted_number",
            severity="warning",
            text=f'The answer gives {statement.written} for "{" ".join(name)}", the tool result gives {value:g}.',
            message_index=index.texts[-1].message_index,
            quote=quote,
        ),
        settings.number_weight,
    )


def _sources(index: TraceIndex) -> Iterator[str]:
    """What users, the system and tools said."""
    for message in index.messages:
        yield from (result.content[:_LONGEST_RESULT] for result in message.tool_results)
        if message.role != "assistant" and message.content:
            yield message.content[:_LONGEST_RESULT]


def _told(index: TraceIndex) -> set[float]:
    """Numbers that stand anywhere in what users, the system and tools said."""
    return {_value(written) for source in _sources(index) for written in _ANY_NUMBER.findall(source)}
