"""Runs that did not end by themselves: a limit, a failure, a notice where the last word would be, a call that nobody ran."""

import re
from typing import TYPE_CHECKING

from sentinel_core import Finding

if TYPE_CHECKING:
    from sentinel_core import TraceIndex
    from sentinel_signal_ending.last import Last

__all__ = ["find_break"]

_SHOWN = 200
_LONGEST_NOTICE = 1_000
_TAIL = 2_000

_BROKEN_OFF = frozenset("""
    context_limit context_window_exceeded cost_limit error failed gave_up length limit max_budget max_cost max_tokens max_turns
    stuck timeout token_limit
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
"""Outcomes, as readers record them, of a run that a limit or a failure ended. A person's interruption is none of them."""

_WHAT = (
    r"(?:max\w*|context|tokens?|time|costs?|turns?|steps?|iterations?|budget|rate|usage|quota|recursion|compute|call)"
)
_WHO = r"(?:the )?(?:agent |run |session |conversation |execution |process )?"
_NOTICES = (
    rf"{_WHO}(?:was |has been )?(?:stopped|exit|exited|terminated|aborted|killed|halted|ended)(?: early)? (?:due to|because of|by|after|on) ",
    rf"(?:exceeded|reached|hit|ran out of|out of) (?:the |its |your )?{_WHAT}\b",
    rf"(?:the |total |claude |ai ){{0,2}}{_WHAT} (?:\w+ ){{0,4}}(?:exceeded|reached|exhausted|hit)\b",
    r"(?:prompt|input|context) is too long",
    r"this model's maximum context length",
    r"(?:your )?credit balance is too low",
    r"you exceeded your current quota|insufficient_quota|resource_exhausted|context_length_exceeded|overloaded_error|<turn_aborted>",
    r"(?:api error|error code|http error|status code)\W{0,3}[45]\d\d\b",
    r"api error: |internal server error|service unavailable|bad gateway|gateway time-?out",
    r"(?:the )?request timed out|connection (?:error|reset|refused|aborted)|stream (?:disconnected|error)",
    r"traceback \(most recent call last\)",
    r"[a-z_]\w*(?:\.\w+){1,5}(?:error|exception|timeout)\b",
)
"""How a text begins that a framework or a provider put where the agent's last word would stand; for folded text."""

_CALL_AS_TEXT = r"</tool_call>|</function_calls?>|<function=\w|\{\s*\"name\"\s*:\s*\"[^\"]{1,80}\"\s*,\s*\"(?:arguments|parameters)\"\s*:"
"""The last lines of a text that a model meant as a call: nobody ran it."""

_is_notice = re.compile(
    r"[\W_]{0,4}(?:(?:exception|error|warning|system|notice|info)\b\W{0,4})?(?:" + "|".join(_NOTICES) + ")"
).match
_call_as_text = re.compile(_CALL_AS_TEXT).search


def find_break(last: "Last") -> Finding | None:
    """What shows that the run was broken off, None where nothing does."""
    return _recorded(last.index) or _notice(last) or _call_in_words(last.index)


def _recorded(index: "TraceIndex") -> Finding | None:
    outcome = None if index.trace.details is None else index.trace.details.outcome
    if outcome is None or outcome.lower() not in _BROKEN_OFF:
        return None
    text = f'The run was cut off: its recorded outcome is "{outcome}".'
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
    text = "The run was cut off: a notice is in place of the agent's last message."
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
    text = "The run ends with a call that the agent wrote as text, so it was not run."
    quote = tail[call.start() : call.start() + _SHOWN]
    return Finding(rule="broken_off", severity="error", text=text, message_index=place, quote=quote)
