"""Runs that did not end by themselves: a limit, a failure, a notice where the last word would be, a call that nobody ran."""

import re
from typing import TYPE_CHECKING

from sentinel_core import Finding
from sentinel_signal_ending.tables import BROKEN_OFF, CALL_AS_TEXT, NOTICES

if TYPE_CHECKING:
    from sentinel_core import TraceIndex
    from sentinel_signal_ending.last import Last

__all__ = ["find_break"]

_SHOWN = 200
_LONGEST_NOTICE = 1_000
_TAIL = 2_000

_is_notice = re.compile(
    r"[\W_]{0,4}(?:(?:exception|error|warning|system|notice|info)\b\W{0,4})?(?:" + "|".join(NOTICES) + ")"
).match
_call_as_text = re.compile(CALL_AS_TEXT).search


def find_break(last: "Last") -> Finding | None:
    """What shows that the run was broken off, None where nothing does."""
    return _recorded(last.index) or _notice(last) or _call_in_words(last.index)


def _recorded(index: "TraceIndex") -> Finding | None:
    outcome = None if index.trace.details is None else index.trace.details.outcome
    if outcome is None or outcome.lower() not in BROKEN_OFF:
        return None
    text = f'The run was broken off: its recorded outcome is "{outcome}".'
    return Finding(rule="broken_off", severity="error", text=text, message_index=len(index.messages) - 1)


def _notice(last: "Last") -> Finding | None:
    """The last message where the system wrote it, or the agent's last text where nothing of its own follows."""
    messages = last.index.messages
    place = len(messages) - 1
    if messages[place].role != "system":
        if last.text is None or not last.is_said_last(last.text):
            return None
        place = last.text.message_index
    said = messages[place].content or ""
    if len(said) > _LONGEST_NOTICE or _is_notice(" ".join(said.casefold().split())) is None:
        return None
    text = "The run was broken off: a notice stands where the last word would be."
    return Finding(rule="broken_off", severity="error", text=text, message_index=place, quote=said[:_SHOWN])


def _call_in_words(index: "TraceIndex") -> Finding | None:
    place = len(index.messages) - 1
    message = index.messages[place]
    if message.role != "assistant" or message.tool_calls or not message.content:
        return None
    tail = message.content[-_TAIL:]
    call = _call_as_text(tail)
    if call is None:
        return None
    text = "The run ends with a call that the agent wrote as text: nobody ran it."
    quote = tail[call.start() : call.start() + _SHOWN]
    return Finding(rule="broken_off", severity="error", text=text, message_index=place, quote=quote)
