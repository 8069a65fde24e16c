"""More tests than any run had, and a part of them that is told as the whole suite."""

from collections.abc import Sequence

from sentinel_core.evaluate.facts.counts import can_be_sum, counts_in, is_selected
from sentinel_core.evaluate.index import Call
from sentinel_signal_hallucination.english.check_claims import CheckClaim
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.tables import regex

__all__ = ["beyond"]

_TOLD = regex(
    r"\b(\d{1,6})(?:/\1|(?: out)? of (?:the )?\1)?(?: \w+){0,2}? (?:tests?|specs|examples)\b|\b(\d{1,6})(?:/\2)? pass(?:ed|ing|es)?\b"
)
_PARTS = word_set(
    "new added these those them unit integration regression affected related relevant cases assertions before previously of baseline files file suites"
)
_WHOLE, _SUITES = word_set("whole full entire complete"), word_set("suite suites tests testsuite")
_PARTLY = word_set("only selected deselected subset filtered skipped part")
_NEAR = 2


def beyond(claim: CheckClaim, low: str, runs: Sequence[tuple[Call, str]]) -> tuple[str, str] | None:
    """The branch and what the record shows, where a claim of tests goes beyond all runs; each run is a call with its command."""
    words, found = claim.sentence.words, _TOLD.finditer(low, claim.sentence.start, claim.sentence.end)
    numbers = [int(match[1] or match[2]) for match in found] if _PARTS.isdisjoint(words) else []
    is_whole = _is_whole(words) and _PARTLY.isdisjoint(low.split())
    if claim.kind not in ("", "tests") or not (numbers or is_whole):
        return None
    shown = [(command, call.result.content if call.result is not None else "") for call, command in runs]
    if is_whole and all(is_selected(command, text) for command, text in shown):
        return "scope", f'only a part of them ran ("{shown[-1][0][:80]}")'
    counts = [counts_in(text) for _, text in shown]
    if not all(counts):
        return None
    parts = [count for one in counts for count in one]
    most = max(parts)
    if any(count > most and not can_be_sum(count, parts) for count in numbers):
        return "count", f"no run had more than {most:,}"
    return None


def _is_whole(words: list[str]) -> bool:
    return any(
        word in _WHOLE and not _SUITES.isdisjoint(words[at + 1 : at + 1 + _NEAR]) for at, word in enumerate(words)
    )
