"""Figures of the final answer that nothing in the record holds, and that do not follow from it; identifiers have a module of their own."""

import re
from collections.abc import Container, Iterator
from itertools import chain, islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, of_value
from sentinel_signal_hallucination.ledger.sources import (
    Sources,
    final_answer,
    first_result,
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
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?,? (?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,? )?\Z"
)
_SEASON = regex(
    r"(?i)\b(?:spring|summer|autumn|fall|winter|term|semester|season|year|in|of|since|until|till|end|mid|early|late|q[1-4]|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)[ -](?:\d{1,2},? )?\Z"
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
_WORD = regex(r"[^\W\d_]{3,}")
_RATE = regex(r"(?:\bat|@|[*×x/]) ?\$?\Z")
_CLAUSE = regex(r"[.;\n](?:\s|$)")
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
    sources = Sources(index, answer.message_index)
    texts = [text for text in index.texts if text.message_index > given and not text.is_copied]
    yield from in_texts(texts, sources, settings)
    yield from misquoted(texts[-1:], sources, settings)
    figures = [] if _is_unrecorded(index, answer) else list(_figures(answer, sources))
    if figures and _is_all_failed(index) and not admits(low_of(answer.content)):
        yield of_value(answer, "result_without_call", "figure", figures[0], settings.effect_weight)
    elif figures:
        first = next((at for at, figure in enumerate(figures) if _is_computed(figure, sources)), len(figures))
        # What follows a figure that was computed rests on it, but for what is told of one thing: "at $203/night".
        is_open = turns.record.runs_anything
        plain = (figure for at, figure in enumerate(figures) if at < first or _is_rate(figure))
        named = ((figure, _branch(figure, sources, _twins(figure, figures), is_open=is_open)) for figure in plain)
        found = next((row for row in named if row[1]), None)
        if found is None and first < len(figures) and not is_open:
            found = figures[first], "computed"
        if found is not None:
            yield of_value(answer, "figure", found[1], found[0], settings.figure_weight)


def _twins(figure: re.Match[str], figures: list[re.Match[str]]) -> frozenset[int]:
    """Where the figure is written: told twice, it does not explain itself."""
    return frozenset(other.start() for other in figures if other[0] == figure[0])


def _branch(figure: re.Match[str], sources: Sources, untold: Container[int], *, is_open: bool) -> str:
    """The way to a figure: beside a tool that runs anything, one that the sentence's words name a field of, or any other.

    Empty where nothing can be said: of round figures beside such a tool, and where so much was told that any figure would follow.
    """
    if is_open and not _is_telling(figure[0]):
        return ""
    if len(figure[0]) >= _SHORTEST and sources.derived.is_dense(figure[0], figure.string, untold):
        return ""
    if is_open:
        return "beside_a_shell"
    return "in_the_answer" if _has_field(figure, sources) else "of_no_field"


def _has_field(figure: re.Match[str], sources: Sources) -> bool:
    """True where the record has a figure that the sentence names and the answer leaves out; and where it has no fields at all."""
    text, at = figure.string, figure.start()
    begin = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at)) + 1
    end = min((place for place in (text.find(". ", at), text.find("\n", at)) if place >= 0), default=len(text))
    named = {singular(word) for word in _WORD.findall(text[begin:end].lower())}
    fields = sources.fields
    return not fields or any(not named.isdisjoint(names) and not stands(number, text) for names, number in fields)


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
            figures = (
                of_value(text, "figure", "ahead", match, settings.figure_weight) for match in _figures(text, sources)
            )
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
    near = prose[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    return "\\" in near or _SUPPOSED.search(prose[begin : match.start()]) is not None


def _is_checked(match: re.Match[str]) -> bool:
    """True for a figure of some length, and for a day that no month has."""
    written, at = match[0], match.start()
    if _DECIMAL.search(match.string, max(0, at - 2), at):
        return False  # a part of "3,2808"
    if written.isdigit() and (
        _APART.search(match.string, max(0, at - 4), at) or _GOES_ON.match(match.string, match.end())
    ):
        return False  # a part of "52 480", of an account number in groups, and of "261/2004"
    if len(written) < _SHORTEST:
        return (
            written.isdigit() and int(written) > _DAYS and _DATED.search(match.string, max(0, at - 20), at) is not None
        )
    return len(written.lstrip("0.")) > 1


def _follows(match: re.Match[str], sources: Sources, open_: Container[int]) -> bool:
    """True where a figure can be derived. A year of a date is near one that was told, or none was: who writes knows what year it is."""
    prose, at = match.string, match.start()
    if len(match[0]) < _SHORTEST:
        return False
    date = _DATED.search(prose, max(0, at - 20), at) if len(match[0]) == _OF_YEAR and match[0].isdigit() else None
    if date is None:
        return _is_year(match, sources) or sources.derived.gives(match[0], prose, at, open_)
    years = set(map(int, _YEAR.findall(sources.text)))
    if not years:
        return date["day"] is None or stands(date["day"], sources.text)
    return not years.isdisjoint(_near_years(match[0]))


def _is_year(match: re.Match[str], sources: Sources) -> bool:
    """True for a year near one that was told, or where none was: "autumn 2026"."""
    if (
        len(match[0]) != _OF_YEAR
        or not _YEAR.fullmatch(match[0])
        or not _SEASON.search(match.string, max(0, match.start() - 20), match.start())
    ):
        return False
    years = set(map(int, _YEAR.findall(sources.text)))
    return not years or not years.isdisjoint(_near_years(match[0]))


def _near_years(written: str) -> range:
    return range(int(written) - 2, int(written) + 3)


def _figures(answer: Text, sources: Sources) -> Iterator[re.Match[str]]:
    """The figures that stand nowhere and follow neither from the record nor from figures of the answer that do."""
    prose = prose_of(answer.content[:_LONGEST])
    figures = list(filter(_is_checked, islice(_FIGURE.finditer(prose), _MOST)))
    untold = {match.start(): match for match in figures if not sources.has(match[0])}
    supposed = {at for at, match in untold.items() if _is_supposed(prose, match)}
    open_ = untold.keys() - supposed
    for _ in range(_ROUNDS):
        left = {at for at in open_ if not _follows(untold[at], sources, supposed | open_)}
        if left == open_:
            break
        open_ = left
    yield from (untold[at] for at in sorted(open_))
