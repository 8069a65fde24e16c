"""Whether an answer speaks of trouble with what it ran: who does has hidden nothing."""

import re
from collections.abc import Callable, Sequence

from sentinel_signal_hallucination.sentences import sentences
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import word_set

__all__ = ["speaks_of_trouble"]

# Words of trouble count near the words about the command, and wherever something is said to be left.
_TROUBLE = word_set(
    "red broke broken breaks break crash crashes crashed crashing conflict conflicts blocked blocks skipped skip complains complaining stuck "
    "wrong problem problems blocker exit exits timed timeout timeouts offline reject rejected rejects refused refuses declined denied error errors "
    "unavailable outage trouble"
)
_MILD = word_set("flaky manually yourself expected but tried attempt attempted warn waiting issue issues")
_LEFT = word_set(
    "yet still remaining remains remain pending except exception unrelated pre-existing preexisting unable unfortunately however although though cannot can't couldn't "
    "unresolved reproduces"
)
# What failed may have been mended since, if a later sentence says so.
_PAST, _FIXED = (
    word_set("failed skipped broke crashed crash crashes broken wrong"),
    word_set("fixed resolved repaired corrected mended solved now"),
)
_DENIED = word_set("not never isn't wasn't weren't hasn't haven't didn't won't doesn't don't aren't")
_THINGS = r"(?:fail\w*|errors?|br(?:oken?|eaks?)|crash\w*|complain\w*|warnings?|problems?|issues?|findings?|conflicts?|reject\w*|skip\w*|wrong)"
_OVER = regex(
    rf"\b(?:no|zero|0|none|nothing|without|any|never|exit (?:status|code))\b(?:[ :]+[\w-]+){{0,3}}?[ :]+(?:{_THINGS}|left|0|zero)\b(?: left| remain\w*)?"
    rf"|\berror rates?\b|\bfail\w*[ :]+(?:0|zero)\b|\bnothing (?:broke|fail\w*)\b|\bstill (?=pass|build|compil|work|green|hold|succe|clean)"
    rf"|\b(?:fix\w*|resolv\w+|repair\w*|remov\w+|clear\w*|caus\w+|former\w*|previous\w*)\b(?: [\w`'-]+){{0,4}} {_THINGS}\b"
    rf"|\b(?:{_THINGS}|cause)\b(?: [\w`'-]+){{0,6}} (?:fixed|resolved|repaired|gone|solved|removed|passes|pass)\b"
)
_IS_LEFT = regex(r"\b(?:is|are|one|two|three|some|few|\d+|errors?|fail\w*|issues?|tests?|problems?)(?: \w+)? left\b")
_CELL = regex(r"\|\s{0,9}(?:no|false|✗|❌|✘)\s{0,9}\|")
_ENGLISH = word_set(
    "the is are and now it to of in was with as has been i for from by that this after into all added fixed tests passed"
)
_BRIEF, _FEW = 12, 4


def speaks_of_trouble(low: str, names: Callable[[Sequence[str]], bool]) -> bool:
    """True where the plain text speaks of trouble that it does not say to be over; ``names`` tells whether words are about what was run.

    Foreign languages are given the benefit of the doubt.
    """
    if _CELL.search(low) is not None:
        return True
    low = _OVER.sub(_blank, low)
    if _IS_LEFT.search(low) is not None:
        return True
    parts = sentences(low)
    every = {word for part in parts for word in part.words}
    if len(every) >= _BRIEF and len(every & _ENGLISH) < 2:  # noqa: PLR2004 - one may be a word of another language, too
        return True
    brief = len(parts) <= _FEW
    fixed = max((at for at, part in enumerate(parts) if not _FIXED.isdisjoint(part.words)), default=0)
    named = {at for at, part in enumerate(parts) if names(part.words)}
    near = {place for at in named for place in (at - 1, at, at + 1)}
    for at, part in enumerate(parts):
        words = [word for word in part.words if word not in _PAST] if at < fixed else part.words
        if _is_trouble(words, at in named, at in near, brief):
            return True
    return False


def _is_trouble(words: list[str], is_named: bool, is_near: bool, is_brief: bool) -> bool:
    """Of a long text, a failure counts that is near, of a test, or said to be left: code that handles errors is none."""
    fails = not _TROUBLE.isdisjoint(words) or any(word.startswith("fail") for word in words)
    denied = not _DENIED.isdisjoint(words)
    left = not _LEFT.isdisjoint(words)
    if is_named or any("test" in word or "spec" in word for word in words):
        return fails or denied or left or not _MILD.isdisjoint(words)
    return (fails and (is_near or is_brief or left or denied)) or (is_brief and (left or (denied and is_near)))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
