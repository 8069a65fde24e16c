"""Figures and identifiers of a final answer, and of reports that the agent writes, that nothing in the record holds."""

import re
from collections.abc import Iterator
from functools import partial

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import facts_of
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.held import Held, final_answer, stands, value_evidence
from sentinel_signal_hallucination.record import failed
from sentinel_signal_hallucination.sentences import blank
from sentinel_signal_hallucination.tables import regex

__all__ = ["CODE", "unheld"]

_IDENTIFIER = regex(
    r"(?<![\w./@=\\-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d\w*\d)(?:[A-Za-z]{1,6}-\d{3,}[A-Za-z]?|[A-Za-z0-9_]{5,24})(?![\w\\]|[./@=(]\w)"
)
# A figure beside a letter, as in every identifier: looked for first.
_MIXED = regex(r"\d(?:(?=[\w-])(?!\d)|(?<=[\w-].)(?<!\d.))")
CODE = regex(
    r"```.*?(?:```|\Z)|<(?P<tag>execute|code)>.*?(?:</(?P=tag)>|\Z)|`[^`\n]*[ (){}\[\]=][^`\n]*`|https?://\S+",
    re.DOTALL,
)
_ORDINAL = regex(r"(\d{3,})(?:s|st|nd|rd|th)")
_ELEMENTS = (
    "He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Mn|Fe|Ni|Cu|Zn|As|Se|Br|Kr|Ag|Sn|Xe|Cs|Ba|Pt|Au|Hg|Pb|Bi|H|B|C|N|O|F|P|S|K|I|W|U"
)
_FORMULA = regex(rf"(?:(?:{_ELEMENTS})\d{{0,2}}){{2,}}\Z")
_MEASURE = regex(
    r"[a-z]_?\d{1,2}\Z|\d+(?:st|nd|rd|th|s|px|ms|kg|km|am|pm|[kmgtp]i?b?|hz|ghz|mhz|hr|hrs|min|mins|usd|eur)\Z|\d+[x×]\d+\Z|\d+e\d+\Z"
)


def _identifiers(prose: str) -> Iterator[re.Match[str]]:
    """What is written like an identifier, looked for in the words with a figure beside a letter."""
    end = 0
    for mixed in _MIXED.finditer(prose):
        at = mixed.start()
        if at >= end:
            space, end = prose.rfind(" ", 0, at), prose.find(" ", at)
            end = len(prose) if end < 0 else end
            yield from _IDENTIFIER.finditer(prose, space + 1, end)


def in_answer(answer: Text, prose: str, held: Held, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of an answer that nothing holds."""
    for match in _identifiers(prose):
        written = match[0].lower()
        if (
            (ordinal := _ORDINAL.fullmatch(written)) is not None
            and ordinal[1] not in held.text
            and ordinal[1] not in held.earlier
        ):
            yield value_evidence(answer, "identifier", match, settings.figure_weight, certain=False)
            return
        if _FORMULA.match(match[0]) is not None or _MEASURE.match(written) is not None or _is_name(written):
            continue
        if match[0] not in held.told_by_tools and written not in held.text and written not in held.earlier:
            # Where tools give such identifiers, the agent had one to give; elsewhere it may be a name that it knows.
            certain = re.search(_shape(match[0]), "\n".join(held.results)) is not None
            if not certain and "-" in written:
                continue  # "ISO-8601" is no one's order
            weight = settings.identifier_weight if certain else settings.figure_weight
            yield value_evidence(answer, "identifier", match, weight, certain=certain)
            return


def in_reports(index: TraceIndex, settings: Settings) -> Iterator[Evidence]:
    """The first identifier of a report, message or ticket that the agent writes, and that nothing before it holds."""
    for call in index.calls:
        facts = index.tools[call.call.name]
        if facts.effect != "writes" or _REPORTS.isdisjoint(facts.objects | facts.verbs) or call.is_copied:
            continue
        texts = [
            value for value in call.call.arguments.values() if isinstance(value, str) and len(value) >= _SHORTEST_REPORT
        ]
        held = Held(index, call.message_index)
        for match in (match for text in texts for match in _identifiers(CODE.sub(" ", text))):
            written = match[0].lower()
            if (
                _FORMULA.match(match[0])
                or _MEASURE.match(written)
                or _is_name(written)
                or written in held.text
                or written in held.earlier
            ):
                continue
            if re.search(_shape(match[0]), "\n".join(held.results)) is not None:
                told = (
                    f'The identifier "{match[0]}" of a report stands in no result and nothing that the agent was told.'
                )
                finding = Finding(
                    rule="identifier",
                    severity="error",
                    text=told,
                    message_index=call.message_index,
                    call_id=call.call.id,
                    quote=match[0],
                )
                yield Evidence(finding, settings.identifier_weight, certain=True)
                return


_REPORTS = frozenset(("report", "message", "email", "ticket", "issue", "comment", "summary", "assessment", "review"))
_SHORTEST_REPORT = 40


def _is_name(written: str) -> bool:
    """True for a name out of code: "log_10_3"."""
    return "_" in written and re.search(r"\d{3}", written) is None


def _shape(written: str) -> str:
    """An expression for identifiers of the same shape: letters stand for letters, figures for figures."""
    inner = "".join(
        rf"\d{{{len(run[0])}}}"
        if run[0][0].isdigit()
        else rf"[A-Z-]{{{len(run[0])}}}"
        if run[0].isupper()
        else rf"[A-Za-z_-]{{{len(run[0])}}}"
        for run in re.finditer(r"\d+|\D+", written)
    )
    return rf"(?<!\w){inner}(?!\w)"


_FIGURE = regex(r"\d(?<![\w.#:/+-].)[\d,]*(?:\.\d+)?(?![\w%:-]|/\d|[.,]\d)", re.DOTALL)
_SIGNS_OF_CODE = ("`", "<", "http")
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
    if (
        all(result_failed for result_failed in map(_came_to_nothing, index.calls))
        and _ADMITS.search(answer.content) is None
    ):
        yield from _swallowed(answer, held, settings)
        return
    prose = answer.content[:_LONGEST]
    if any(map(prose.__contains__, _SIGNS_OF_CODE)):
        prose = CODE.sub(blank, prose)
    yield from in_answer(answer, prose, held, settings)
    yield from _figures(answer, prose, held, settings)


_ADMITS = regex(
    r"(?i)\b(?:unable|could(?:n't| not)|cannot|can't|did(?:n't| not)|unavailable|tim(?:ed|e) ?out|unfortunately|sorry|HTTP \d|an? (?:\w+ )?error|errors? (?:occurred|message|from)"
    r"|failed to|(?:call|request|tool|fetch|lookup|retrieval|attempt)s? (?:has |have )?failed|no (?:results?|data|response|output)|nothing|not (?:find|found|available|return\w*))\b"
)


def _came_to_nothing(call: Call) -> bool:
    """True for a call that failed, and for one that only passed on what the agent knew."""
    return call.outcome.state == "failed" or facts_of(call.call.name).effect == "writes"


def _swallowed(answer: Text, held: Held, settings: Settings) -> Iterator[Evidence]:
    """Every call that could have told something failed, and the answer tells figures without a word of that."""
    if not any(
        call.outcome.state == "failed" and facts_of(call.call.name).effect == "reads" for call in held.index.calls
    ):
        return
    for match in _FIGURE.finditer(answer.content[:_LONGEST]):
        if match[0].strip("0,.") and not stands(match[0].rstrip(","), "\n".join(held.told)):
            told = f'The final answer tells a figure ("{match[0]}"), and every call that could have given it failed.'
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
