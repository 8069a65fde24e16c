"""Whether an answer speaks of trouble with what it ran: who does has hidden nothing."""

import re
from collections.abc import Callable, Sequence

from sentinel_signal_hallucination.sentences import sentences
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.words import word_set

__all__ = ["speaks_of_trouble"]

# Words of trouble, and of what is left of it.
_TROUBLE = word_set(
    "red broke broken breaks break crash crashes crashed crashing conflict conflicts blocked blocks skipped skip complains complaining stuck "
    "wrong problem problems blocker exit exits timed timeout timeouts offline reject rejected rejects refused refuses declined denied error errors "
    "unavailable outage trouble yet still remaining remains remain pending except exception unrelated pre-existing preexisting unable unfortunately "
    "however although though cannot can't couldn't unresolved reproduces"
)
_DENIED = word_set("not never isn't wasn't weren't hasn't haven't didn't won't doesn't don't aren't")
_THINGS = r"(?:fail\w*|errors?|br(?:oken?|eaks?)|crash\w*|complain\w*|warnings?|problems?|issues?|findings?|conflicts?|reject\w*|skip\w*|wrong)"
_OVER = regex(
    rf"\b(?:no|zero|0|none|nothing|without|any|never|exit (?:status|code))\b(?:[ :]+[\w-]+){{0,3}}?[ :]+(?:{_THINGS}|left|0|zero)\b(?: left| remain\w*)?"
    rf"|\berror rates?\b|\bfail\w*[ :]+(?:0|zero)\b|\bnothing (?:broke|fail\w*)\b|\bstill (?=pass|build|compil|work|green|hold|succe|clean)"
    rf"|\b(?:fix\w*|resolv\w+|repair\w*|remov\w+|clear\w*|caus\w+|former\w*|previous\w*)\b(?: [\w`'-]+){{0,4}} {_THINGS}\b"
    rf"|\b(?:{_THINGS}|cause)\b(?: [\w`'-]+){{0,6}} (?:fixed|resolved|repaired|gone|solved|removed|passes|pass)\b"
)
_ENGLISH = word_set(
    "the is are and now it to of in was with as has been i for from by that this after into all added fixed tests passed"
)
_BRIEF, _FEW = 12, 4


def speaks_of_trouble(low: str, names: Callable[[Sequence[str]], bool]) -> bool:
    """True where the plain text speaks of trouble that it does not say to be over; ``names`` tells whether words are about what was run.

    One word of it is enough in a brief text, and near what was run; elsewhere it takes two. Foreign languages are given the benefit of the doubt.
    """
    parts = sentences(_OVER.sub(_blank, low))
    every = {word for part in parts for word in part.words}
    if len(every) >= _BRIEF and len(every & _ENGLISH) < 2:  # noqa: PLR2004 - one may be a word of another language, too
        return True
    named = {at for at, part in enumerate(parts) if names(part.words)}
    for at, part in enumerate(parts):
        near = len(parts) <= _FEW or not named.isdisjoint((at - 1, at, at + 1))
        signs = {word for word in part.words if word in _TROUBLE or word.startswith("fail")}
        if len(signs) > (0 if near else 1) or (at in named and not _DENIED.isdisjoint(part.words)):
            return True
    return False


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
