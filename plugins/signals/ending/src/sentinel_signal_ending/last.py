"""The last things of a trace: what the agent said, called and handed in, and what came back."""

import re
from typing import TYPE_CHECKING

from sentinel_core.evaluate.answer import ends_run, first_word, handed_in, submission_of
from sentinel_core.trace import GAPS
from sentinel_signal_ending.tables import COMPLETED, FIX_WORDS, HANDING_OVER, READING

if TYPE_CHECKING:
    from sentinel_core import Call, Text, TraceIndex

__all__ = ["Last", "is_handing_over", "is_reading"]

_asks_to_fix = re.compile(FIX_WORDS, re.IGNORECASE).search


def is_reading(call: "Call") -> bool:
    """True for a call that one makes for what it answers."""
    return first_word(call.call.name) in READING


def is_handing_over(call: "Call") -> bool:
    """True for a call that gives the task to somebody else."""
    return first_word(call.call.name) in HANDING_OVER


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
        self.submission: Call | None = submission_of(index)
        self.handed_in = None if self.submission is None else handed_in(self.submission)

    @property
    def work(self) -> "Call | None":
        """The last call that hands nothing in."""
        return next((one for one in reversed(self.index.calls) if not ends_run(one)), None)

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
    def is_whole(self) -> bool:
        """False where the reader could not read all of it: what is missing may be the agent's last word."""
        return GAPS not in self.index.trace.metadata

    @property
    def is_completed(self) -> bool:
        """True where the source itself records that the run came to its end."""
        details = self.index.trace.details
        return details is not None and (details.outcome or "").lower() in COMPLETED

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
