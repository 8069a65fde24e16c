"""The last things of a trace: what the agent said, called and handed in, and what came back."""

import functools
import re
from typing import TYPE_CHECKING

from sentinel_signal_ending.tables import FIX_WORDS, HANDING_IN, READING

if TYPE_CHECKING:
    from sentinel_core import Call, Text, TraceIndex

__all__ = ["Last", "is_reading"]

_find_word = re.compile(r"[A-Z]?[a-z]+|[A-Z]+").search
_asks_to_fix = re.compile(FIX_WORDS, re.IGNORECASE).search


@functools.lru_cache(maxsize=1024)
def _first_word(name: str) -> str:
    """The verb of a tool's name: ``search`` of ``mcp__web__searchPages``."""
    word = _find_word(name.rpartition("__")[2])
    return "" if word is None else word[0].lower()


def is_reading(call: "Call") -> bool:
    """True for a call that one makes for what it answers."""
    return _first_word(call.call.name) in READING


class Last:
    """What a trace ends with; each is None where there is none.

    ``text``, ``call`` and ``answered`` are the last text, call, and call with a result. ``submission`` is the last call where it
    hands in an answer, ``handed_in`` what it handed in as far as the trace holds it, ``work`` the last call before it.
    """

    def __init__(self, index: "TraceIndex") -> None:
        calls, texts = index.calls, index.texts
        self.index = index
        self.text: Text | None = texts[-1] if texts else None
        self.call: Call | None = calls[-1] if calls else None
        self.answered: Call | None = next((one for one in reversed(calls) if one.result is not None), None)
        is_handed_in = self.call is not None and _first_word(self.call.call.name) in HANDING_IN
        self.submission: Call | None = self.call if is_handed_in else None
        self.handed_in = None if self.submission is None else _handed_in(self.submission)

    @property
    def work(self) -> "Call | None":
        """The last call that hands nothing in."""
        return next((one for one in reversed(self.index.calls) if _first_word(one.call.name) not in HANDING_IN), None)

    def is_said_last(self, text: "Text") -> bool:
        """True where only results, and messages without content, come after the text's message."""
        after = self.index.messages[text.message_index + 1 :]
        return all(message.role == "tool" or not (message.content or message.tool_calls) for message in after)

    def is_unread(self, call: "Call") -> bool:
        """True where a result came back, and the agent wrote and called nothing after it."""
        if call.result_message_index is None:
            return False
        return all(one.role != "assistant" for one in self.index.messages[call.result_message_index + 1 :])

    @property
    def request(self) -> str:
        """What the user asked last before the agent's first call; demonstrations for the agent stand before it."""
        index = self.index
        start = index.calls[0].message_index if index.calls else len(index.messages)
        asked = [position for position in index.asked if position < start]
        return (index.messages[asked[-1]].content or "") if asked else ""

    @property
    def is_fix_asked(self) -> bool:
        """True where the request speaks of something that is broken."""
        return _asks_to_fix(self.request) is not None


def _handed_in(call: "Call") -> str | None:
    """The patch that came back, else the arguments as text; None where the call takes nothing and shows nothing."""
    result = "" if call.result is None else call.result.content
    if "diff --git" in result:
        return result
    given = call.call.arguments
    if not given:
        return None
    told = "\n".join(str(value) for value in given.values() if value not in ([], {}))
    return told if told.strip() or not result.strip() else None
