"""Figures of the final answer that nothing in the record holds, and that do not follow from it; identifiers have a module of their own."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import facts_of
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, final_answer, prose_of, stands, value_evidence
from sentinel_signal_hallucination.identifiers import in_reports, in_texts, ordered
from sentinel_signal_hallucination.record import failed
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.turns import Turns

__all__ = ["unheld"]

# With or without a unit.
_FIGURE = regex(
    r"\d(?<![\w.#-].)(?:(?<!\d\d)\d{0,2}(?:,\d{3})+|\d*)(?:\.\d+)?(?=[A-Za-z]{0,3}(?![\w%-]|[/:.,]\d))", re.DOTALL
)
_DATED = regex(
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?,? (?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,? )?\Z"
)
_DIGIT = regex(r"\d")
_YEAR = regex(r"\b(?:19|20)\d\d\b")
_SUPPOSED = regex(
    r"(?i)\b(?:if|would|could|might|e\.g|example|version|python|node|java)\b"
    r"|\b(?:about|around|roughly|approximately|nearly|almost) \W{0,4}\Z"
)
_ADMITS = regex(
    r"(?i)\b(?:unable|could(?:n't| not)|cannot|can't|did(?:n't| not)|unavailable|tim(?:ed|e) ?out|unfortunately|sorry|HTTP \d|an? (?:\w+ )?error|errors? (?:occurred|message|from)"
    r"|failed to|(?:call|request|tool|fetch|lookup|retrieval|attempt)s? (?:has |have )?failed|no (?:results?|data|response|output)|nothing|not (?:find|found|available|return\w*))\b"
)
_SHORTEST, _MOST, _LONGEST, _HEAD, _DAYS, _NEAR = 3, 100, 20_000, 2_000, 31, 60
_ROUNDS = 3  # a total may come before its parts; of a hundred figures, each round looks at all


def unheld(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for identifiers of reports, one for those of texts and one for figures."""
    index = turns.record.index
    yield from in_reports(index, settings)
    yield from islice(_ahead(turns, settings), 1)
    answer = final_answer(index)
    held = Held(index, answer.message_index if answer is not None else 0)
    if answer is None or not held.has_results:
        return
    yield from in_texts(answer, held, settings)
    if _DIGIT.search(answer.content) is None:
        return
    in_vain = _looked_in_vain(index)
    if not _computed_alone(index) and not (in_vain and _ADMITS.search(answer.content)):
        yield from _figures(answer, held, settings, in_vain=in_vain)


def _ahead(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    """The values in answers to orders that come before any result: only a call could have given them."""
    index, tools = turns.record.index, turns.record.tools
    for text in () if turns.record.runs_anything else index.texts:
        held, number = Held(index, text.message_index), turns.number(text.message_index)
        if held.has_results:
            return
        acts = text.is_copied or index.messages[text.message_index].tool_calls
        if number >= 0 and not acts and _DIGIT.search(text.content) is not None:
            figures = _figures(text, held, settings, in_vain=False) if tools else ()
            row = next(chain(ordered(text, held, settings), figures), None)  # to read an order takes longer
            if row is not None and turns[number].orders_deed:
                yield row


def _looked_in_vain(index: TraceIndex) -> bool:
    """True where some reading call failed, and no other call told anything but what the agent knew."""
    calls = {(call.outcome.state == "failed", facts_of(call.call.name).effect) for call in index.calls}
    return (True, "reads") in calls and all(vain or effect == "writes" for vain, effect in calls)


def _computed_alone(index: TraceIndex) -> bool:
    """True where an interpreter was all the agent had, and it only failed: then what it says comes of its own head, and it may."""
    calls = [(call, call.result.content[:_HEAD]) for call in index.calls if call.result is not None]
    return bool(calls) and all(
        index.tools[call.call.name].runs_anything and (failed(call) or "Traceback" in head) for call, head in calls
    )


def _is_supposed(prose: str, match: re.Match[str]) -> bool:
    """True where the sentence supposes, and in a formula."""
    begin = max(prose.rfind(". ", 0, match.start()), prose.rfind("\n", 0, match.start())) + 1
    near = prose[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    return "\\" in near or _SUPPOSED.search(prose[begin : match.start()]) is not None


def _is_dated(written: str, day: str | None, held: Held) -> bool:
    """True for a day, for a year beside one that was told, and for the year of a day where none was: who writes knows what year it is."""
    if len(written) < _SHORTEST:
        return int(written) <= _DAYS
    years = set(map(int, _YEAR.findall(held.text)))
    if not years:
        return day is None or stands(day, held.text)
    return not years.isdisjoint((int(written) - 1, int(written) + 1))


def _figures(answer: Text, held: Held, settings: Settings, *, in_vain: bool) -> Iterator[Evidence]:
    prose = prose_of(answer.content[:_LONGEST])
    for match in _unfounded(prose, held):
        if in_vain:
            told = f'The final answer gives a figure ("{match[0]}"), but every call that could have returned it failed.'
            yield value_evidence(answer, "result_without_call", match, settings.effect_weight, certain=True, told=told)
        else:
            yield value_evidence(answer, "figure", match, settings.figure_weight, certain=False)
        return


def _unfounded(prose: str, held: Held) -> list[re.Match[str]]:
    """The figures that stand nowhere and follow neither from the record nor from figures of the answer that do."""
    dates, open_ = list[re.Match[str]](), dict[int, re.Match[str]]()
    for match in islice(_FIGURE.finditer(prose), _MOST):
        written, at = match[0], match.start()
        dated = _DATED.search(prose, max(0, at - 20), at) if written.isdigit() and len(written) in (2, 4) else None
        if dated is None and (len(written) < _SHORTEST or not written.strip("0,.")):
            continue
        if held.holds(partial(stands, written)) or _is_supposed(prose, match) or held.was_said(written):
            continue
        if dated is None:
            open_[at] = match
        elif not _is_dated(written, dated["day"], held):
            dates.append(match)
    for _ in range(_ROUNDS):
        before = len(open_)
        for at, match in list(open_.items()):
            if held.derived.gives(match[0], prose, at, open_):
                del open_[at]
        if len(open_) == before:
            break
    return sorted([*dates, *open_.values()], key=re.Match.start)
