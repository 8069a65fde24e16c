"""Failures that were wanted: the agent set out to see a bug, the call failed, and its next words say that this is the bug."""

import functools
import re
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sentinel_core import Call, TraceIndex
    from sentinel_signal_tool_misuse.checks import Checked

__all__ = ["wanted_failures"]

_FIRST_WORDS = 400

# All in lower case. In the words or the arguments of the call:
_ANNOUNCED = r"repro|replic|bug|issue|verify|confirm"
# In the first sentence after it; without one of the words it has none of the phrases, and to look for words is cheaper.
_WORDS = ("reproduc", "replicat", "confirm", "expected ")
_SEEN = (
    r"\b(?:reproduc|replicat)(?:ed|es|ing)\b"
    r"|\bconfirm(?:s|ed|ing)\b[^.]{0,80}\b(?:bug|issue|problem|behaviou?r)\b"
    r"|\bexpected (?:\w+ )?error\b"
)
# A sentence with one of these tells of another failure than the one that was wanted.
_DENIED = (
    r"\b(?:not|no longer|never|failed|fails to|unable|different|unrelated|instead|before|yet)\b|n['’]t\b"
    r"|\bcannot (?:be )?(?:reproduc|replicat|confirm)"
)

_message = attrgetter("message_index")


def wanted_failures(index: "TraceIndex", checked: "Checked") -> set[int]:
    """The positions of the failed calls that did what they were made for."""
    return {
        position
        for position, fault in checked.faults.items()
        if fault.rule == "failed_call" and _is_wanted(index, checked.calls[position])
    }


def _is_wanted(index: "TraceIndex", call: "Call") -> bool:
    said = _next_words(index, call)
    if not any(word in said for word in _WORDS):
        return False
    end, seen, denied, announced = _patterns()
    sentence = end.split(said, maxsplit=1)[0]
    if not seen.search(sentence) or denied.search(sentence):
        return False
    asked = index.messages[call.message_index].content or ""
    return any(announced.search(text.lower()) for text in (asked, str(call.call.arguments)))


def _next_words(index: "TraceIndex", call: "Call") -> str:
    """What the agent says first once it has the result, in lower case; nothing where it makes other calls before."""
    after = bisect_right(index.texts, call.message_index, key=_message)
    if after == len(index.texts):
        return ""
    text = index.texts[after]
    if index.calls[text.calls_before - 1].message_index != call.message_index:
        return ""
    return text.content.lstrip()[:_FIRST_WORDS].lower()


@functools.cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """A sentence's end, and what tells that a failure was wanted; compiled when the first one may be."""
    return tuple(map(re.compile, (r"(?<=[.!?])\s", _SEEN, _DENIED, _ANNOUNCED)))
