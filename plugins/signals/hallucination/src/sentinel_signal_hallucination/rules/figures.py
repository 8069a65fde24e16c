"""Figures of the final answer that nothing in the record holds, and that do not follow from it; identifiers have a module of their own."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import name_words
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, of_value
from sentinel_signal_hallucination.ledger.sources import (
    Sources,
    final_answer,
    first_result,
    form_of,
    prose_of,
    stands,
)
from sentinel_signal_hallucination.ledger.turns import Turns
from sentinel_signal_hallucination.rules.identifiers import in_reports, in_texts
from sentinel_signal_hallucination.rules.misquoted import misquoted
from sentinel_signal_hallucination.tables import has_digit, regex

__all__ = ["unheld"]

# With or without a unit.
_FIGURE = regex(
    r"[0-9](?<![\w.#-].)(?:(?<!\d\d)\d{0,2}(?:,\d{3})+|\d*)(?:\.\d+)?(?=[A-Za-z]{0,3}(?![\w%-]|[/:.,]\d| (?:%|per ?cent\b)))",
    re.DOTALL,
)
_DATED = regex(
    r"\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
    r"\.?,? (?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,? )?\Z"
)
_YEAR = regex(r"\b(?:19|20)\d\d\b")
_SUPPOSED = regex(
    r"(?i)\b(?:if|assum\w+|suppos\w+|estimat\w*|probabl\w+|perhaps|maybe|hypothetical\w*|would|could|might|e\.g|example|version|python|node|java|typical\w*|usual\w*|by default)\b"
    r"|(?:\b(?:etwa|rund|circa|ungefähr|knapp|gut|environ|presque|ca\.|about|around|roughly|approximately|approx\.|nearly|almost|up to|over|under|an?) |[~≈]|…|\.\.\.)\W{0,4}\Z"
)
_PROPOSED = regex(r"(?i)\b(?:would|could|might|recommend|suggest|or so)\b")
# What an agent is asked to compute; an expression behind a figure.
_COMPUTED = regex(r"(?i)\b(total|sum|add|combined|altogether|overall|average|mean|difference)(?:s|ing|ed)?\b")
_EXPRESSION = regex(r"\D{0,4}\(\D{0,3}\d[^)\n]{0,60}[+*/×x-]")
_COMPUTES = frozenset(("calculate", "calculator", "calc", "compute", "math", "sum", "convert"))
_BARE = regex(r"\s*\$?(\d[\d,]*(?:\.\d+)?)\s*(?:\Z|\n)")
_DECIMAL = regex(r"\d,\Z")
_APART, _GOES_ON = regex(r"\d[ \u00a0\u202f/]\Z"), regex(r"[ \u00a0\u202f]\d{2}")
_RATE = regex(r"(?:\bat|@|[*×x/]) ?\$?\Z")
_CLAUSE = regex(r"[.;\n](?:\s|$)")
_OF_DAYS = regex(r"[ -](?:days?|weeks?|nights?)\b")
_MONTHS = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DATE = regex(rf"(?i)\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}\b|{_MONTHS} \d{{1,2}}\b|\d{{4}}-\d\d-\d\d)")
_MODE = regex(r"(?i)\b(?:mode|chmod|permissions?)\W{1,3}\Z")
_SHORTEST, _MOST, _LONGEST, _OF_YEAR, _NEAR, _DAYS = 3, 100, 20_000, 4, 60, 31


def unheld(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    """At most one finding for identifiers of reports, one ahead of all results, one for identifiers and one for figures."""
    index = turns.record.index
    yield from in_reports(index, settings)
    given = first_result(index)
    yield from islice(_ahead(turns, given, settings), 1)
    answer = final_answer(index)
    if answer is None or answer.message_index <= given:
        return
    sources = Sources(index, answer.message_index)
    texts = [text for text in index.texts if text.message_index > given and not text.is_copied]
    yield from in_texts(texts, sources, settings)
    beside_names = list(misquoted(texts[-1:], sources, settings))
    yield from beside_names
    if _is_unrecorded(index, answer) or any(found.finding.rule == "figure" for found in beside_names):
        return
    untold = _untold(answer, sources)
    if _is_all_failed(index) and not admits(low_of(answer.content)):
        for figure in islice((figure for figure in untold if not _follows(figure, sources)), 1):
            yield of_value(answer, "result_without_call", "figure", figure, settings.effect_weight)
    else:
        is_open = turns.record.runs_anything
        branch = "beside_a_shell" if is_open else "instead_of_another"
        for figure, left_out in islice(_misquoted(untold, sources, is_open=is_open), 1):
            yield of_value(answer, "figure", branch, figure, settings.figure_weight, sources.shown(left_out))


def _misquoted(
    untold: Iterable[re.Match[str]], sources: Sources, *, is_open: bool
) -> Iterator[tuple[re.Match[str], str]]:
    """Figures that follow from nothing, each with a number of a result that the answer leaves out and that is written as this one is.

    What an agent reckons has a form of its own, mostly. What follows a figure that was computed rests on it, but for what is told of one
    thing: "at $203/night". Round figures beside a tool that runs anything are not judged.
    """
    figures = list(untold)
    left_out = [None if is_open and not _is_telling(figure[0]) else _left_out(figure, sources) for figure in figures]
    last = max((at for at, number in enumerate(left_out) if number is not None), default=-1)
    is_computed = False
    for figure, number in zip(figures[: last + 1], left_out, strict=False):
        computes = not is_computed and _is_computed(figure, sources)
        if (computes or number is not None) and not _follows(figure, sources):
            is_computed |= computes
            if number is not None and (not is_computed or _is_rate(figure)):
                yield figure, number


def _left_out(figure: re.Match[str], sources: Sources) -> str | None:
    """A number of a result that the answer leaves out and that is written as the figure is; empty for an impossible day or year."""
    text, at = figure.string, figure.start()
    date = _DATED.search(text, max(0, at - 20), at) if figure[0].isdigit() else None
    if date is not None and (len(figure[0]) < _SHORTEST or (date["day"] and len(figure[0]) == _OF_YEAR)):
        return ""
    form = form_of(figure[0].replace(",", ""))
    forms = (form, form[:-1]) if form.endswith(".99") else (form,)  # the last zero may be missing
    alike = chain.from_iterable(sources.numbers.get(one, ()) for one in forms)
    return next((number for number in alike if not stands(number, text)), None)


def _is_telling(written: str) -> bool:
    """False for round and short figures, which are ports, versions and estimates as often: "8000", "2.0"."""
    return len(written.replace(",", "").replace(".", "").strip("0")) >= _SHORTEST


def _is_computed(figure: re.Match[str], sources: Sources) -> bool:
    """True for a figure of a name that the user asked for and no tool gave ("total"), and for one with its expression behind it.

    Not so where a tool computed another one, which the answer does not tell.
    """
    text = figure.string
    if any(not stands(number, text) for number in _results_of_computing(sources)):
        return False
    if _EXPRESSION.match(text, figure.end()):
        return True
    clause = _CLAUSE.split(text[max(0, figure.start() - _NEAR * 2) : figure.start()])[-1]
    if _is_rate(figure):
        return False
    named = _COMPUTED.search(clause)
    if named is None or named[1].lower() in sources.tool_output.lower():
        return False
    asked = (sources.index.messages[at].content or "" for at in sources.index.asked if at < sources.until)
    return any(named[1].lower() in content.lower() for content in asked)


def _is_rate(figure: re.Match[str]) -> bool:
    """True for what one thing costs or is taken times: "at $203/night"."""
    text, at = figure.string, figure.start()
    return text.startswith("/", figure.end()) or _RATE.search(text, max(0, at - _SHORTEST * 2), at) is not None


def _results_of_computing(sources: Sources) -> Iterator[str]:
    """The numbers that tools computed: all that a calculator or a command gave."""
    tools = sources.index.tools
    for call in sources.index.calls:
        facts = tools[call.call.name]
        computes = facts.runs_anything or not _COMPUTES.isdisjoint(name_words(facts.name))
        if computes and call.result is not None and call.message_index < sources.until:
            match = _BARE.match(call.result.content)
            if match is not None:
                yield match[1]


def _is_unrecorded(index: TraceIndex, answer: Text) -> bool:
    """True where the answer itself ran something whose result is not on record: the figures may be of it."""
    last = [call for call in index.calls if call.message_index == answer.message_index and call.result is None]
    return any(index.tools[call.call.name].runs_anything for call in last)


def _is_all_failed(index: TraceIndex) -> bool:
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
            sources = Sources(index, text.message_index)
            untold = (match for match in _untold(text, sources) if not _follows(match, sources))
            figures = (of_value(text, "figure", "ahead", match, settings.figure_weight) for match in untold)
            rows = chain(in_texts([text], sources, settings), figures if tools else ())
            row = next(rows, None)  # to read an order takes longer
            if row is not None and turns[number].orders_action and not turns[number].wants_text:
                yield row


def _is_supposed(prose: str, match: re.Match[str]) -> bool:
    """True where the sentence supposes, and in a formula."""
    begin = max(prose.rfind(". ", 0, match.start()), prose.rfind("\n", 0, match.start())) + 1
    end = min(
        (at for at in (prose.find(". ", match.end()), prose.find("\n", match.end())) if at >= 0), default=len(prose)
    )
    if _PROPOSED.search(prose, match.end(), end):
        return True
    if _OF_DAYS.match(prose, match.end()) and _DATE.search(prose, begin, end):
        return True  # "Cancelled on 20 April, 96 days before": who counts days between dates computes
    near = prose[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    return "\\" in near or _SUPPOSED.search(prose[begin : match.start()]) is not None


def _is_checked(match: re.Match[str]) -> bool:
    """True for a figure of some length, and for a day that no month has."""
    written, at = match[0], match.start()
    if _DECIMAL.search(match.string, max(0, at - 2), at) or _MODE.search(match.string, max(0, at - 14), at):
        return False  # a part of "3,2808", and of "mode 755"
    if _APART.search(match.string, max(0, at - 4), at):
        return False  # a part of "52 480.50"
    if written.isdigit() and _GOES_ON.match(match.string, match.end()):
        return False  # the same, a part of an account number in groups, and of "261/2004"
    if len(written) < _SHORTEST:
        return (
            written.isdigit() and int(written) > _DAYS and _DATED.search(match.string, max(0, at - 20), at) is not None
        )
    return len(written.lstrip("0.")) > 1


def _follows(match: re.Match[str], sources: Sources) -> bool:
    """True where a figure can be derived. A year of a date is near one that was told, or none was: who writes knows what year it is."""
    prose, at = match.string, match.start()
    if len(match[0]) < _SHORTEST:
        return False
    date = _DATED.search(prose, max(0, at - 20), at) if len(match[0]) == _OF_YEAR and match[0].isdigit() else None
    if date is None:
        return sources.derived.gives(match[0], prose, at)
    years = sources.years
    if date["day"] is None and _YEAR.fullmatch(match[0]):
        return True  # of a month some years on: who reckons with durations comes to any
    if not years:
        return date["day"] is None or stands(date["day"], sources.text)
    return not years.isdisjoint(_near_years(match[0]))


def _near_years(written: str) -> range:
    return range(int(written) - 2, int(written) + 3)


def _untold(answer: Text, sources: Sources) -> Iterator[re.Match[str]]:
    """The figures that stand nowhere else, and that the answer does not suppose."""
    prose = prose_of(answer.content[:_LONGEST])
    for match in filter(_is_checked, islice(_FIGURE.finditer(prose), _MOST)):
        if not sources.has(match[0]) and not _is_supposed(prose, match):
            yield match
