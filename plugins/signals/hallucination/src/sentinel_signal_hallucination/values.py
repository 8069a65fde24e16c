"""Figures and identifiers of a final answer, and of reports that the agent writes, that nothing in the record holds."""

import re
from collections.abc import Iterator
from functools import partial

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import facts_of
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, final_answer, prose_of, stands, value_evidence
from sentinel_signal_hallucination.identifiers import in_answer, in_reports
from sentinel_signal_hallucination.record import failed
from sentinel_signal_hallucination.tables import regex

__all__ = ["unheld"]

_FIGURE = regex(r"\d(?<![\w.#:/+-].)[\d,]*(?:\.\d+)?(?![\w%-]|[/:.,]\d)", re.DOTALL)
_GROUPED = regex(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?\Z")
_MONTH_NAMES = (
    r"\b(?:Jan|Febr)uary |\b(?:March|April|May|June|July|August) |\b(?:Septem|Octo|Novem|Decem)ber "
    r"|\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\.? "
)
_MONTH = regex(_MONTH_NAMES)
_HEDGED = regex(r"\b(?:below|above|under|over|nearly|almost|than|at least|at most|up to|within) \$?\Z")
_SUPPOSED = regex(
    r"\b(?:python|node|java|if|version|previous|previously|suppose|assuming|unless|would|e\.g|for example|target|threshold)\b"
)
_DAY_OF_MONTH = regex(rf"(?:{_MONTH_NAMES})\d{{1,2}}(?:st|nd|rd|th)?,? \Z")
_SHORTEST, _MOST, _LONGEST, _HEAD, _DAY, _YEAR = 3, 40, 20_000, 2_000, 2, 4


def unheld(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for identifiers and one for figures: the first of each. None where no tool gave anything."""
    yield from in_reports(index, settings)
    answer = final_answer(index)
    if answer is None or not any(map(str.isdigit, answer.content)):
        return
    held = Held(index, answer.message_index)
    if not any(result.strip() for result in held.results) or _computed_alone(index):
        return
    if _looked_in_vain(index) and _ADMITS.search(answer.content) is None:
        yield from _swallowed(answer, held, settings)
        return
    prose = prose_of(answer.content[:_LONGEST])
    yield from in_answer(answer, prose, held, settings)
    yield from _figures(answer, prose, held, settings)


_ADMITS = regex(
    r"(?i)\b(?:unable|could(?:n't| not)|cannot|can't|did(?:n't| not)|unavailable|tim(?:ed|e) ?out|unfortunately|sorry|HTTP \d|an? (?:\w+ )?error|errors? (?:occurred|message|from)"
    r"|failed to|(?:call|request|tool|fetch|lookup|retrieval|attempt)s? (?:has |have )?failed|no (?:results?|data|response|output)|nothing|not (?:find|found|available|return\w*))\b"
)


def _looked_in_vain(index: TraceIndex) -> bool:
    """True where some reading call failed, and no other call told anything but what the agent knew."""
    failures = [call.outcome.state == "failed" for call in index.calls]
    reads = [facts_of(call.call.name).effect == "reads" for call in index.calls]
    writes = [facts_of(call.call.name).effect == "writes" for call in index.calls]
    nothing = all(vain or wrote for vain, wrote in zip(failures, writes, strict=True))
    return nothing and any(vain and read for vain, read in zip(failures, reads, strict=True))


def _swallowed(answer: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """Every call that could have told something failed, and the answer tells figures without a word of that."""
    for match in _FIGURE.finditer(answer.content[:_LONGEST]):
        if match[0].strip("0,.") and not stands(match[0].rstrip(","), "\n".join(held.told)):
            told = f'The final answer gives a figure ("{match[0]}"), but every call that could have returned it failed.'
            yield value_evidence(answer, "result_without_call", match, settings.effect_weight, certain=True, told=told)
            return


def _computed_alone(index: TraceIndex) -> bool:
    """True where an interpreter was all the agent had, and it only failed: then what it says comes of its own head, and it may."""
    calls = [call for call in index.calls if call.result is not None]
    return bool(calls) and all(index.tools[call.call.name].runs_anything and _broke(call) for call in calls)


def _broke(call: Call) -> bool:
    return failed(call) or (call.result is not None and "Traceback" in call.result.content[:_HEAD])


def _is_supposed(prose: str, match: re.Match[str]) -> bool:
    """True for a limit, a supposition or a part of a formula."""
    at = match.start()
    sentence = prose[max(prose.rfind(". ", 0, at), prose.rfind("\n", 0, at)) + 1 : at].lower()
    if _HEDGED.search(sentence) is not None or _SUPPOSED.search(sentence) is not None:
        return True
    return "\\" in prose[max(0, at - 60) : match.end() + 60]


def _is_year(written: str, prose: str, at: int) -> bool:
    return len(written) == _YEAR and _DAY_OF_MONTH.search(prose, max(0, at - 20), at) is not None


def _figures(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    for number, match in enumerate(_FIGURE.finditer(prose)):
        if number >= _MOST:
            return
        written = match[0].rstrip(",")
        is_day = len(written) == _DAY and _MONTH.search(prose, max(0, match.start() - 12), match.start()) is not None
        if "," in written and _GROUPED.match(written) is None:
            continue  # "(3,36)" is a pair
        if not is_day and (len(written) < _SHORTEST or not written.strip("0,.")):
            continue
        if held.holds(partial(stands, written)) or _is_supposed(prose, match):
            continue
        if is_day:
            if held.derived.may_give(written):
                continue
        elif not _is_year(written, prose, match.start()) and held.derived.gives(written, prose, match.start()):
            continue
        from sentinel_signal_hallucination.derive import explicit_sum  # few answers come this far

        if explicit_sum(written, prose, match.start()) is not False and stands(written, held.earlier):
            continue
        yield value_evidence(answer, "figure", match, settings.figure_weight, certain=False)
        return
