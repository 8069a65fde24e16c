"""Figures of the final answer that nothing in the record holds, and that do not follow from it; identifiers have a module of their own."""

import re
from collections.abc import Container, Iterator
from itertools import chain, islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import (
    ADMITS,
    Held,
    final_answer,
    first_result,
    prose_of,
    stands,
    value_evidence,
)
from sentinel_signal_hallucination.identifiers import in_reports, in_texts
from sentinel_signal_hallucination.tables import has_digit, regex
from sentinel_signal_hallucination.turns import Turns

__all__ = ["unheld"]

# With or without a unit.
_FIGURE = regex(
    r"[0-9](?<![\w.#-].)(?:(?<!\d\d)\d{0,2}(?:,\d{3})+|\d*)(?:\.\d+)?(?=[A-Za-z]{0,3}(?![\w%-]|[/:.,]\d| (?:%|per ?cent\b)))",
    re.DOTALL,
)
_DATED = regex(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?,? (?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,? )?\Z"
)
_YEAR = regex(r"\b(?:19|20)\d\d\b")
_SUPPOSED = regex(
    r"(?i)\b(?:if|assum\w+|suppos\w+|hypothetical\w*|would|could|might|e\.g|example|version|python|node|java)\b"
    r"|\b(?:about|around|roughly|approximately|nearly|almost) \W{0,4}\Z"
)
_SHORTEST, _MOST, _LONGEST, _OF_YEAR, _NEAR, _DAYS = 3, 100, 20_000, 4, 60, 31
_ROUNDS = 3  # a total may come before its parts; of a hundred figures, each round looks at all


def unheld(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for identifiers of reports, one ahead of all results, one for identifiers and one for figures."""
    index = turns.record.index
    yield from in_reports(index, settings)
    given = first_result(index)
    yield from islice(_ahead(turns, given, settings), 1)
    answer = final_answer(index)
    if answer is None or answer.message_index <= given:
        return
    held = Held(index, answer.message_index)
    texts = [text for text in index.texts if text.message_index > given and not text.is_copied]
    yield from in_texts(texts, held, settings)
    figure = None if _is_unrecorded(index, answer) else next(_figures(answer, held), None)
    if figure is not None and _is_in_vain(index) and ADMITS.search(answer.content) is None:
        yield value_evidence(answer, "result_without_call", figure, settings.effect_weight, certain=True)
    elif figure is not None:
        yield value_evidence(answer, "figure", figure, settings.figure_weight)


def _is_unrecorded(index: TraceIndex, answer: Text) -> bool:
    """True where the answer itself ran something whose result is not on record: the figures may be of it."""
    last = [call for call in index.calls if call.message_index == answer.message_index and call.result is None]
    return any(index.tools[call.call.name].runs_anything for call in last)


def _is_in_vain(index: TraceIndex) -> bool:
    """True where some reading call failed, and no other call told anything but what the agent knew."""
    calls = {(call.outcome.state == "failed", index.tools[call.call.name].effect) for call in index.calls}
    return (True, "reads") in calls and all(vain or effect == "writes" for vain, effect in calls)


def _ahead(turns: Turns, given: int, settings: Settings) -> Iterator[Evidence]:
    """The values in answers to orders that come before any result: only a call could have given them."""
    index, tools = turns.record.index, turns.record.tools
    for text in () if turns.record.runs_anything else index.texts:
        if text.message_index > given:
            return
        number = turns.number(text.message_index)
        acts = text.is_copied or index.messages[text.message_index].tool_calls or "?" in text.content
        if number >= 0 and not acts and has_digit(text.content):
            held = Held(index, text.message_index)
            figures = (value_evidence(text, "figure", match, settings.figure_weight) for match in _figures(text, held))
            rows = chain(in_texts([text], held, settings), figures if tools else ())
            row = next(rows, None)  # to read an order takes longer
            if row is not None and turns[number].orders_deed and not turns[number].wants_text:
                yield row


def _is_supposed(prose: str, match: re.Match[str]) -> bool:
    """True where the sentence supposes, and in a formula."""
    begin = max(prose.rfind(". ", 0, match.start()), prose.rfind("\n", 0, match.start())) + 1
    near = prose[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    return "\\" in near or _SUPPOSED.search(prose[begin : match.start()]) is not None


def _is_checked(match: re.Match[str]) -> bool:
    """True for a figure of some length, and for a day that no month has."""
    written, at = match[0], match.start()
    if len(written) < _SHORTEST:
        return (
            written.isdigit() and int(written) > _DAYS and _DATED.search(match.string, max(0, at - 20), at) is not None
        )
    return len(written.lstrip("0.")) > 1


def _follows(match: re.Match[str], held: Held, open_: Container[int]) -> bool:
    """True where a figure can be derived. A year of a date is near one that was told, or none was: who writes knows what year it is."""
    prose, at = match.string, match.start()
    if len(match[0]) < _SHORTEST:
        return False
    date = _DATED.search(prose, max(0, at - 20), at) if len(match[0]) == _OF_YEAR and match[0].isdigit() else None
    if date is None:
        return held.derived.gives(match[0], prose, at, open_)
    years = set(map(int, _YEAR.findall(held.text)))
    if not years:
        return date["day"] is None or stands(date["day"], held.text)
    return not years.isdisjoint((int(match[0]) - 1, int(match[0]) + 1))


def _figures(answer: Text, held: Held) -> Iterator[re.Match[str]]:
    """The figures that stand nowhere and follow neither from the record nor from figures of the answer that do."""
    prose = prose_of(answer.content[:_LONGEST])
    figures = list(filter(_is_checked, islice(_FIGURE.finditer(prose), _MOST)))
    untold = {match.start(): match for match in figures if not held.has(match[0])}
    supposed = {at for at, match in untold.items() if _is_supposed(prose, match)}
    open_ = untold.keys() - supposed
    for _ in range(_ROUNDS):
        left = {at for at in open_ if not _follows(untold[at], held, supposed | open_)}
        if left == open_:
            break
        open_ = left
    yield from (untold[at] for at in sorted(open_))
