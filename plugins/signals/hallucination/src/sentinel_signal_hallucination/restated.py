"""What a call that failed for good was to bring about, told as it was asked for: its own arguments, without a word of trouble."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Call, Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import low_of
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.orders import admits, asks_back
from sentinel_signal_hallucination.sentences import Sentence, sentences
from sentinel_signal_hallucination.turns import Turn, Turns
from sentinel_signal_hallucination.words import word_set

__all__ = ["restated"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_STRING = re.compile(r'"([^"\\]*)"(:?)')  # a key has a colon after it
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(\d\d)")
_TELLS = re.compile(r"[\d @]")
_NO_FACT = word_set(
    "should would will might may could if once unless please let let's need needs want next you'll i'll cannot can't not never yet still remains stays but"
)
_SHORTEST, _LONGEST = 3, 10_000


def restated(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a turn; messages in ``known`` have one already."""
    for number in () if turns.record.index.children else sorted((turns.spoken & turns.failed) - {-1}):
        turn = turns[number]
        tried = turn.in_vain
        if tried is None or tried.facts.runs_anything or turn.wrote:
            continue
        values = frozenset(_values(tried.call))
        for text in turn.texts:
            if text.message_index not in known and (found := _sentence(text, values, turn)) is not None:
                told = f'The answer presents the arguments of a call to "{tried.facts.name}" as facts, but that call failed.'
                yield in_text(text, "contradicted_claim", told, found.start, found.end, settings.hearsay_weight)
                break


def _values(call: Call) -> Iterator[str]:
    """The dates, identifiers and names among the arguments, as an answer may write them."""
    for value, colon in _STRING.findall(to_json(call.call.arguments).decode()[:_LONGEST].lower()):
        if date := _DATE.match(value):
            month, day = _MONTHS[int(date[1]) - 1], str(int(date[2]))
            yield from (f"{day} {month}", f"{month} {day}", f"{month[:3]} {day}", f"{day} {month[:3]}", date[0])
        elif not colon and len(value) >= _SHORTEST and _TELLS.search(value):
            yield value


def _sentence(text: Text, values: frozenset[str], turn: Turn) -> Sentence | None:
    low = low_of(text.content)
    told = [rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\d)" for value in values if value in low]
    if not told or asks_back(low) or admits(low, turn.low):
        return None
    for sentence in sentences(low):
        said = low[sentence.start : sentence.end] if _NO_FACT.isdisjoint(sentence.words) else ""
        if sentence.asks or turn.says_why(said):
            continue
        if any(re.search(value, said) for value in told):
            return sentence
    return None
