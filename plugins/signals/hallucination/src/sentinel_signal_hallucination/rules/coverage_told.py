"""A percentage that is told as coverage, where the runs that measured it gave others."""

from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Call, Text
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.sentences import sentences, span_around
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.coverage import coverage_figures, gives_coverage, measures_coverage
from sentinel_signal_hallucination.ledger.turns import Turn
from sentinel_signal_hallucination.tables import regex

__all__ = ["other_coverage"]

_LONGEST, _CLAUSE = 20_000, regex(r"[,;:(]")
_NO_CLAIM = regex(
    r"\b(?:should|would|could|will|goal|target|threshold|minimum|required?|requires|needs?|must|gate|rule|from|was|were|before|if|about|around|roughly|some|nearly|almost|over|at least)\b|~"
)


def other_coverage(text: Text, turn: Turn, settings: Settings) -> Iterator[Evidence]:
    """At most one finding in an answer: a figure that no result has, of coverage that some call of the session measured."""
    if "coverage" not in text.content.lower():
        return
    calls = turn.record.index.calls[: text.calls_before]
    measured = [call for call in calls if measures_coverage(call)]
    if measured:
        yield from islice(_found(text, measured, turn, settings), 1)


def _found(text: Text, measured: list[Call], turn: Turn, settings: Settings) -> Iterator[Evidence]:
    asked = " ".join(turn.record.index.messages[at].content or "" for at in turn.record.index.asked)
    results = " ".join(call.result.content for call in turn.record.index.calls[: text.calls_before] if call.result)
    for part in sentences(low_of(text.content[:_LONGEST])):
        quote = span_around(text.content, part.start, part.end)
        figures = coverage_figures(quote) if quote and not part.asks else []
        wrong = [
            one
            for one in figures
            if one not in asked and one not in results and not any(gives_coverage(call, one) for call in measured)
        ]
        if wrong and (len(figures) == 1 or wrong[-1] == figures[-1]) and _is_plain(quote, wrong[-1]):
            message = f"The agent tells of a coverage of {wrong[-1]}%, but the last run that measured it gave no such figure (message {measured[-1].message_index})."
            yield in_text(
                text, "contradicted_checks", "coverage", message, part.start, part.end, settings.checks_weight
            )


def _is_plain(quote: str, figure: str) -> bool:
    """True for what is told of now: not of a rule, of what was before, or about."""
    before = quote[: quote.find(figure)].lower()
    return _NO_CLAIM.search(_CLAUSE.split(before)[-1]) is None
