"""What a run came to: the call that hands its answer in, and the answer; and whether a text admits a failure."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sentinel_core.evaluate.tools import is_ending

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import Call, TraceIndex

__all__ = ["admits_failure", "answer_of", "ends_run", "handed_in", "submission_of", "tells_failure"]


_TROUBLE = r"(?:errors?|fail(?:ures?|ing)|issues?|problems?)"
_OVER = re.compile(
    rf"\b(?:0|any|no|without|zero) {_TROUBLE}\b|\b(?:fix|resolv|correct)(?:ed|es|ing) (?:an? |all |that |the |this )?(?:\w+ )?{_TROUBLE}\b",
    re.IGNORECASE,
)
_ADMITS = re.compile(
    r"\b(?:could|can|did|do|does|is|are|was|were)(?: ?not|n['’]t)\b|\b(?:un(?:able|available|successful)|fail(?:s|ed|ure|ing)?|errors?"
    r"|not (?:able|accessible|available|found|possible)|no such|missing|denied|refused|rejected|time(?:d |-)?out|unfortunately|issues?|problems?)\b",
    re.IGNORECASE,
)

_FOUND_NONE = re.compile(r"\b(?:no|none|nothing|nobody)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{5,}|\b[45]\d\d\b")
_LONGEST_MESSAGE = 300
# What any message may say, and any answer.
_OF_ANY_MESSAGE = frozenset(
    _WORD.findall(
        "error errors false status message reason result results success details please again later there their these those about could would should "
        "server service services request requests response internal timeout timed connection network unavailable unknown invalid cannot found something "
        "wrong retry returned failed failure while after before until support contact value values field number system account order orders customer "
        "called calls exception traceback moment currently temporarily right information available which where other"
    )
)


@lru_cache(maxsize=64)
def admits_failure(text: str) -> bool:
    """True where a text of the agent speaks of something that failed and does not say that it is over."""
    return _ADMITS.search(text) is not None and any(map(_ADMITS.search, _OVER.split(text)))


def tells_failure(call: "Call", text: str) -> bool:
    """True where a text admits a failure, or has a word of the short message of the failed call: "fully booked", "locked by a promotion"."""
    if admits_failure(text) or (call.outcome.reason == "no_match" and _FOUND_NONE.search(text)):
        return True
    message = "" if call.result is None else call.result.content
    if len(message) > _LONGEST_MESSAGE:
        return False
    known = {*_WORD.findall(str(call.call.arguments).lower()), *_WORD.findall(call.call.name.lower())}
    own = set(_WORD.findall(message.lower())) - known - _OF_ANY_MESSAGE
    return bool(own) and not own.isdisjoint(_words_of(text))


@lru_cache(maxsize=64)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def ends_run(call: "Call") -> bool:
    """True for a call that hands an answer in or ends the run, as its tool's name says."""
    return is_ending(call.call.name)


def submission_of(index: "TraceIndex") -> "Call | None":
    """The last call, where it hands an answer in or ends the run."""
    last = index.calls[-1] if index.calls else None
    return last if last is not None and ends_run(last) else None


def handed_in(call: "Call") -> str | None:
    """The patch that came back, else the arguments as text; None where the call takes nothing and shows nothing."""
    result = "" if call.result is None else call.result.content
    if "diff --git" in result:
        return result
    given = [value for value in call.call.arguments.values() if value not in ([], {})]
    if not given:
        return None
    told = "\n".join(map(str, given))
    return told if told.strip() or not result.strip() else None


def answer_of(index: "TraceIndex") -> str:
    """What was handed in, else what came back for it, else the agent's last text; empty where there is none."""
    submission = submission_of(index)
    if submission is not None:
        told = handed_in(submission)
        return told if told is not None else "" if submission.result is None else submission.result.content
    return index.texts[-1].content if index.texts else ""
