"""What an agent that writes code says it did not do to files: "no tests were changed", "I did not touch `src/a.py`"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sentinel_signal_hallucination.english.coding_claims import masked, paths_in
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["Denial", "denials"]

_NEGATED = r"\b(?:not|didn't|haven't|hasn't|wasn't|weren't|aren't|isn't|never|without|no|none|nothing|neither|nor)\b"
_CHANGING = r"touch(?:ed|ing)?|chang(?:ed?|ing)|modif(?:y|ied|ying)|edit(?:ed|ing)?|alter(?:ed|ing)?|adapt(?:ed|ing)?|adjust(?:ed|ing)?|relax(?:ed|ing)?|weaken(?:ed|ing)?|loosen(?:ed|ing)?"
_DENIED = regex(
    rf"{_NEGATED}[^.]{{0,40}}?\b(?:(?P<change>{_CHANGING})|(?P<delete>remov(?:ed?|ing)|delet(?:ed?|ing)|drop(?:ped|ping)?)|(?P<skip>skip(?:ped|ping)?|disabl(?:ed?|ing)))\b"
    r"|\b(?P<as_before>untouched|unchanged|unmodified|(?:exactly |just )?as (?:they|it) (?:were|was))\b"
)
_ALSO = regex(
    rf"\s*(?:,|or|and|nor)\s+(?:(?P<change>{_CHANGING})|(?P<delete>remov(?:ed?|ing)|delet(?:ed?|ing))|(?P<skip>skip(?:ped|ping)?))\b"
)
_STEMS = (
    "touch",
    "chang",
    "edit",
    "modif",
    "alter",
    "adapt",
    "adjust",
    "relax",
    "weak",
    "loos",
    "remov",
    "delet",
    "drop",
    "skip",
    "disabl",
    "as they",
    "as it",
)
# A part of it, a wish, a rule, a plan: no denial of all.
_LIMITED = regex(
    r"\b(?:others?|else|further|besides|except|apart|only|just a|otherwise|more|rest|remaining|should|would|could|can|cannot|can't|need|needed|needs|must|will|if|unless|when|until|yet|please|don't|do not|doesn't|does not"
    r"|number|count|results?|behaviou?r|output|coverage|names?|signatures?|api|interface|meaning|values?)\b"
)
_CLAUSE = regex(r"[,;:()]|\s[\u2013\u2014-]\s|\b(?:and|but|so|because|since|although|while)\b")
_TESTS = regex(r"\b(?:tests?|specs?|assertions?|expectations?)\b")


class Denial(NamedTuple):
    """``kinds`` are "change", "delete" and "skip"; ``paths`` the files that it is said of, none where it is said of tests."""

    sentence: Sentence
    kinds: frozenset[str]
    paths: tuple[str, ...]


def denials(content: str) -> Iterator[Denial]:
    """The denials of a text, in order."""
    if not any(map(content.__contains__, _STEMS)):
        return  # as most texts
    paths = paths_in(content)
    low = masked(content, paths)
    if _DENIED.search(low) is None:
        return
    for sentence in sentences(low):
        for start, end in _clauses(low, sentence) if not sentence.asks else ():
            match = _DENIED.search(low, start, end)
            if match is None or _LIMITED.search(low, start, end):
                continue
            named = tuple(content[at:to] for at, to in paths if start <= at < end)
            if named or _TESTS.search(low, start, end):
                yield Denial(sentence, _kinds(match, low, end), named)


def _clauses(low: str, sentence: Sentence) -> Iterator[tuple[int, int]]:
    """The parts of a sentence; one that goes on with what is denied belongs to the part before it: "without removing, or skipping, any test"."""
    start = sentence.start
    for match in _CLAUSE.finditer(low, sentence.start, sentence.end):
        if _ALSO.match(low, match.start()) is None:
            yield start, match.start()
            start = match.end()
    yield start, sentence.end


def _kinds(match: re.Match[str], low: str, end: int) -> frozenset[str]:
    """What is denied: the verb, and those that go on from it."""
    found = {"change" if match.lastgroup == "as_before" else str(match.lastgroup)}
    following = _ALSO.match(low, match.end(), end)
    while following is not None:
        found.add(str(following.lastgroup))
        following = _ALSO.match(low, following.end(), end)
    return frozenset(found)
