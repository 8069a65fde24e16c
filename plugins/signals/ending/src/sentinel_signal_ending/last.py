"""The last things of a trace: what the agent said, called and handed in, what came back, and what broke the run off.

A run is broken off that did not end by itself: a limit, a failure, a notice where the last word would be, a call that nobody
ran.
"""

import re
from typing import TYPE_CHECKING

from sentinel_core import Finding
from sentinel_core.evaluate.answer import ends_run, handed_in, submission_of, tells_failure
from sentinel_core.evaluate.tools import name_words

if TYPE_CHECKING:
    from sentinel_core import Call, Text, TraceIndex

__all__ = ["Last", "find_break", "is_blank", "is_handing_over"]

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
_name_of_call = re.compile(r"<function=([\w.-]{1,80})|\"name\"\s*:\s*\"([^\"]{1,80})\"").search

_COMPLETED = frozenset(("completed", "success"))
"""Outcomes, as readers record them, of a run that ended by itself."""

_STOPPED = frozenset(("aborted", "cancelled", "canceled", "interrupted", "pending", "running"))
"""Outcomes of a run that a person stopped, or that goes on."""

_HANDING_OVER = frozenset(("escalate", "hand", "handoff", "transfer"))
"""In the names of tools that give the task to somebody else: after a failure that is the right thing."""

_DELEGATES = frozenset(("agent", "assistant", "delegate", "invoke", "subagent", "workflow"))
"""In the names of tools whose answer may be meant for the user as it is."""

_asks_to_fix = re.compile(
    r"\b(?:bug|fix|issue|resolve|regression|incorrect|wrong|broken|fails?|failing|crash\w*|errors?)\b", re.IGNORECASE
).search


def is_handing_over(call: "Call") -> bool:
    """True for a call that gives the task to somebody else."""
    return not _HANDING_OVER.isdisjoint(name_words(call.call.name))


def is_blank(call: "Call") -> bool:
    """True for a call that was given nothing: all its arguments are empty."""
    given = call.call.arguments
    return bool(given) and not any(value.strip() if isinstance(value, str) else value for value in given.values())


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

    @property
    def answer(self) -> "Text | None":
        """The last text where it comes after the last call."""
        text, call = self.text, self.call
        return text if text is not None and (call is None or text.message_index > call.message_index) else None

    def is_said_last(self, text: "Text") -> bool:
        """True where only results, and messages without content, come after the text's message."""
        after = self.index.messages[text.message_index + 1 :]
        return all(message.role == "tool" or not (message.content or message.tool_calls) for message in after)

    def is_read(self, call: "Call") -> bool:
        """False where a result came back, and the agent wrote and called nothing after it."""
        place = call.result_message_index
        return place is None or any(one.role == "assistant" for one in self.index.messages[place + 1 :])

    def is_look(self, call: "Call") -> bool:
        """True for a call that one makes for what it answers: it reads, or runs what it is given."""
        facts = self.index.tools[call.call.name]
        if facts.is_inert or not _DELEGATES.isdisjoint(name_words(facts.name)):
            return False
        return facts.effect == "reads" or facts.runs_anything

    def is_repeat(self, call: "Call") -> bool:
        """True where the same call has brought the same result before."""
        return any(
            one.call.name == call.call.name
            and one.result is not None
            and call.result is not None
            and one.result.content == call.result.content
            and one.key == call.key
            for one in self.index.calls[: call.position]
        )

    @property
    def is_completed(self) -> bool:
        """True where the source itself records that the run came to its end."""
        details = self.index.trace.details
        return details is not None and (details.outcome or "").lower() in _COMPLETED

    @property
    def is_running(self) -> bool:
        """True where the source itself records that a person stopped the run, or that it goes on."""
        details = self.index.trace.details
        return details is not None and (details.outcome or "").lower() in _STOPPED

    @property
    def is_stopped(self) -> bool:
        """True where a person stopped the run, or spoke last, or where it goes on."""
        if self.is_running:
            return True
        asked, call = self.index.asked, self.answered
        return bool(asked) and call is not None and asked[-1] > (call.result_message_index or 0)

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

    @property
    def is_failure_told(self) -> bool:
        """True where the agent's answer speaks of something that failed, or says what the last call answered."""
        return self.answer is not None and self.call is not None and tells_failure(self.call, self.answer.content)

    @property
    def was_failure_told(self) -> bool:
        """The same of the answer or of the first text after the call: the user may have spoken since."""
        call = self.call
        first = next((text for text in self.index.texts if call and text.message_index > call.message_index), None)
        told = first is not None and call is not None and tells_failure(call, first.content)
        return told or self.is_failure_told


def find_break(last: Last) -> Finding | None:
    """What shows that the run was broken off, None where nothing does."""
    return _recorded(last.index) or _notice(last) or _call_in_words(last.index)


def _recorded(index: "TraceIndex") -> Finding | None:
    outcome = None if index.trace.details is None else index.trace.details.outcome
    if outcome is None or outcome.lower() not in _BROKEN_OFF:
        return None
    text = f'The run was cut off: its recorded outcome is "{outcome}".'
    return Finding(rule="broken_off", severity="error", text=text, message_index=len(index.messages) - 1)


def _notice(last: Last) -> Finding | None:
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
    call = _call_as_text(tail) if "<" in tail or "{" in tail else None
    if call is None:
        return None
    quote = tail[call.start() : call.start() + _SHOWN]
    name = _name_of_call(quote)
    if name is not None and any(made.call.name in name.groups() for made in index.calls):
        return None  # it repeats one that ran: small models end so
    text = "The run ends with a call that the agent wrote as text, so it was not run."
    return Finding(rule="broken_off", severity="error", text=text, message_index=place, quote=quote)
