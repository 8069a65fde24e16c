"""What a call that failed for good was to bring about, told as it was asked for: its own arguments, without a word of trouble."""

import re
from collections.abc import Iterator
from typing import Any

from sentinel_core.evaluate.index import Call, Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import low_of
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.orders import admits, asks_back
from sentinel_signal_hallucination.record import Deed
from sentinel_signal_hallucination.sentences import Sentence, sentences, span_around
from sentinel_signal_hallucination.turns import Turn, Turns
from sentinel_signal_hallucination.words import word_set

__all__ = ["restated"]

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DATE = re.compile(r"\d{4}-(\d\d)-(\d\d)")
_NO_FACT = word_set(
    "should would will might may could if once unless please let let's need needs want next you'll i'll cannot can't not never yet still remains stays but"
)
_SHORTEST, _MOST_VALUES, _DEEPEST = 3, 60, 4


def restated(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a turn; messages in ``known`` have one already."""
    if turns.record.index.children:
        return
    for number in sorted((turns.spoken & turns.failed) - {-1}):
        turn = turns[number]
        tried = turn.in_vain
        if tried is None or tried.facts.runs_anything or turn.wrote:
            continue
        values = _values(tried.call)
        for text in turn.texts:
            if text.message_index not in known and (found := _sentence(text, values, turn)) is not None:
                yield _evidence(text, found, tried, settings)
                break


def _values(call: Call) -> frozenset[str]:
    """The dates, identifiers and names among the arguments, as an answer may write them."""
    return frozenset(form for value in _leaves(call.call.arguments, _DEEPEST) for form in _forms(value))


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict | list | tuple):
        inner = list(value.values() if isinstance(value, dict) else value)[:_MOST_VALUES]
        for one in inner if depth else ():
            yield from _leaves(one, depth - 1)
    elif isinstance(value, str):
        yield value


def _forms(value: str) -> Iterator[str]:
    low = value.strip().lower()
    if date := _DATE.match(low):
        month, day = _MONTHS[(int(date[1]) - 1) % 12], str(int(date[2]))
        yield from (f"{day} {month}", f"{month} {day}", f"{month[:3]} {day}", f"{day} {month[:3]}", date[0])
    elif len(low) >= _SHORTEST and (any(map(str.isdigit, low)) or " " in low or "@" in low):
        yield low


def _sentence(text: Text, values: frozenset[str], turn: Turn) -> Sentence | None:
    low = low_of(text.content)
    told = frozenset(value for value in values if value in low)
    if not told or asks_back(low) or admits(low, turn.low):
        return None
    for sentence in sentences(low):
        if not sentence.asks and _NO_FACT.isdisjoint(sentence.words):
            said = low[sentence.start : sentence.end]
            if any(_stands(value, said) for value in told):
                return sentence
    return None


def _stands(value: str, said: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\d)", said) is not None


def _evidence(text: Text, sentence: Sentence, tried: Deed, settings: Settings) -> Evidence:
    finding = Finding(
        rule="contradicted_claim",
        severity="warning",
        text=f'The answer presents the arguments of a call to "{tried.facts.name}" as facts, but that call failed.',
        message_index=text.message_index,
        quote=span_around(text.content, sentence.start, sentence.end),
    )
    return Evidence(finding, settings.hearsay_weight, certain=False)
