"""Sentinel signal: how a run ends.

Ten parts: each gives the score and the finding of one way to end badly, or nothing. The score is the worst of theirs; the
README has each with what it is worth and when it applies.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from sentinel_core import Call, Detection, Finding, Signal, TraceIndex, hookimpl
from sentinel_signal_ending.last import Last, find_break, is_blank, is_handing_over
from sentinel_signal_ending.orders import open_order
from sentinel_signal_ending.rules import RULES

if TYPE_CHECKING:
    from sentinel_core.offers import Explanation

__all__ = ["detect", "sentinel_signals"]

Part = tuple[float, Finding]
"""A score in [0, 1], and what explains it."""

_CERTAIN, _SURE, _GRAVE, _LIKELY, _SLIGHT, _LEAST = 1.0, 0.95, 0.8, 0.6, 0.3, 0.125
_LONGEST_ANSWER = 20_000
_AROUND = " \t\r\n\"'`()[]{}"

_NOTHING = frozenset(("", "none", "null", "nan", "n/a", "undefined"))
"""Answers, without brackets and quotes, that say nothing."""

_PINNED = r"\n[ \t]*(?:(?:async )?def (\w{2,80}) ?\(|class (\w{2,80})\b|assert (\w{2,80}) ?\()"
"""A line of code in the request that gives the name of what is to be written, after the end of the line before."""

_pinned = re.compile(_PINNED).finditer
_words = re.compile(r"\w+").finditer


def broken_off(last: Last) -> Part | None:
    """A limit, a failure or a notice ended the run; where an answer was handed in all the same, it is less sure."""
    found = find_break(last)
    if found is None or last.submission is None:
        return None if found is None else (_CERTAIN, found)
    text = f"{found.text} An answer was submitted anyway."
    return _GRAVE, attrs.evolve(found, rule="handed_in_at_the_limit", severity="warning", text=text)


def empty_artifact(last: Last) -> Part | None:
    """Nothing was handed in, or a patch that changes nothing that was there although a fix was asked."""
    handed_in, call = last.handed_in, last.submission
    if handed_in is None or call is None:
        return None
    if handed_in.strip(_AROUND).casefold() in _NOTHING:
        return _CERTAIN, _found("empty_artifact", f'The answer submitted with "{call.call.name}" is empty.', call)
    lines = f"\n{handed_in}"
    patched = lines.count("\ndiff --git ")
    if not patched or patched != lines.count("\nnew file mode ") or not last.is_fix_asked:
        return None
    text = f"The patch only adds new files ({patched}) and changes no existing one, although a fix was requested."
    return _CERTAIN, _found("only_new_files", text, call)


def error_last(last: Last) -> Part | None:
    """The last result is an error, and at most calls without a result follow."""
    call = last.answered
    if call is None or call.outcome.state != "failed" or last.submission not in (None, call):
        return None
    if call is last.call and last.is_read(call):
        return None
    text = f'The last call with a result, "{call.call.name}", failed, and no successful call follows.'
    return _GRAVE, _found("error_last", text, call, is_result=True)


def handed_in_after_failure(last: Last) -> Part | None:
    """What was tried last failed, and the answer was handed in without another look; a call that was given nothing tried little."""
    call = None if last.submission is None else last.work
    if last.submission is None or call is None or call.outcome.state != "failed" or is_handing_over(last.submission):
        return None
    text = f'The last call before the answer was submitted, "{call.call.name}", failed.'
    if is_blank(call):
        text = f'The last call before the answer was submitted, "{call.call.name}", had empty arguments and failed.'
        return _LIKELY, _found("handed_in_after_refusal", text, call, is_result=True)
    return _GRAVE, _found("handed_in_after_failure", text, call, is_result=True)


def unread_result(last: Last) -> Part | None:
    """The agent looked something up or ran something, and wrote and called nothing after the answer came.

    Where that answer is worth nothing, no recorder that leaves the last word out makes a good run of it.
    """
    call = last.call
    if call is None or call.result is None or not call.result.content.strip():
        return None
    if last.is_read(call) or not last.is_look(call):
        return None
    if last.is_completed or not (last.index.texts or last.index.asked):  # it came to its end, or is a fragment of a run
        return None
    text = f'The run ends with the result of "{call.call.name}", which the agent did not read'
    why = _worthless(last, call)
    if why is None:
        return _GRAVE, _found("unread_result", f"{text}.", call, is_result=True)
    return _SURE, _found("came_to_nothing", f"{text}: {why}.", call, is_result=True)


def _worthless(last: Last, call: Call) -> str | None:
    if last.is_stopped:
        return None
    if call.outcome.state == "failed":
        return "the call failed"
    if call.outcome.reason == "no_match":
        return "nothing was found"
    return "an identical earlier call had returned the same result" if last.is_repeat(call) else None


def no_answer(last: Last) -> Part | None:
    """The agent's last message is empty; one that holds reasoning alone may be the recorder's doing."""
    place = len(last.index.messages) - 1
    message = last.index.messages[place]
    if message.role != "assistant" or message.tool_calls or (message.content or "").strip():
        return None
    if message.details is not None and message.details.reasoning:
        return None
    text = "The run ends with an empty message from the agent: there is no answer."
    return _GRAVE, Finding(rule="no_answer", severity="warning", text=text, message_index=place)


def answered_after_failure(last: Last) -> Part | None:
    """The last call failed, and an answer in words is all that follows; one that speaks of a failure is mostly honest."""
    call = last.call
    if call is None or last.submission is not None or call.outcome.state != "failed" or last.answer is None:
        return None
    text = f'The last call before the answer, "{call.call.name}", failed'
    if last.was_failure_told:
        found = _found("failure_told", f"{text}; the agent mentions a failure.", call, is_result=True)
        return _SLIGHT if last.is_failure_told else _LIKELY, attrs.evolve(found, severity="note")
    return _LIKELY, _found("answered_after_failure", f"{text}.", call, is_result=True)


def missing_name(last: Last) -> Part | None:
    """The request shows in code what is to be written, and the code that was handed in holds none of these names."""
    handed_in, call = last.handed_in, last.submission
    if handed_in is None or call is None or ("def " not in handed_in and "class " not in handed_in):
        return None
    if "diff --git" in handed_in:  # a patch is to change what is named, and need not name it
        return None
    names = [found[found.lastindex or 0] for found in _pinned(f"\n{last.request}")]
    if not names or any(word[0] in names for word in _words(handed_in)):
        return None
    return _LIKELY, _found(
        "missing_name", f'The request names "{names[-1]}"; the submitted code does not contain it.', call
    )


def wrong_arithmetic(last: Last) -> Part | None:
    """A sum in the agent's last text is wrong."""
    if last.text is None or "=" not in last.text.content:
        return None
    from sentinel_signal_ending.arithmetic import wrong_sums  # few traces need it

    wrong = next(wrong_sums(last.text.content[-_LONGEST_ANSWER:]), None)
    if wrong is None:
        return None
    text = "The agent's last text states a calculation that is wrong."
    place = last.text.message_index
    return _LIKELY, Finding(rule="wrong_arithmetic", severity="warning", text=text, message_index=place, quote=wrong)


def order_left_open(last: Last) -> Part | None:
    """The user ordered something or said yes to it, and nothing was done; graver where the agent did not even answer the yes."""
    order = open_order(last.index)
    if order is None:
        return None
    text = "The user ordered something, and no later call that could carry it out succeeded."
    found = Finding(
        rule="order_not_carried_out", severity="note", text=text, message_index=order.message_index, quote=order.quote
    )
    if not order.is_unanswered or last.is_running:
        return _LEAST, found
    text = "The run ends with the user's go-ahead: the agent proposed something, and after the yes it did and said nothing."
    return _GRAVE, attrs.evolve(found, rule="unanswered_go_ahead", severity="warning", text=text)


PARTS: tuple[Callable[[Last], Part | None], ...] = (
    broken_off,
    empty_artifact,
    error_last,
    handed_in_after_failure,
    unread_result,
    no_answer,
    answered_after_failure,
    missing_name,
    wrong_arithmetic,
    order_left_open,
)


_BY_ABSENCE = frozenset((unread_result, no_answer, order_left_open))
"""Where the reader could not read all of the trace, these may be wrong: what is missing may be in the rest."""
_BY_LAST = frozenset((error_last, handed_in_after_failure, answered_after_failure))
"""The same where the agent itself may have made another call in what could not be read."""


def _parts(last: Last) -> Iterable[Callable[[Last], Part | None]]:
    if not last.index.is_partial:
        return PARTS
    passed_over = _BY_ABSENCE if last.index.unread_from is None else _BY_ABSENCE | _BY_LAST
    return [look for look in PARTS if look not in passed_over]


_ERRORS = ("came_to_nothing", "empty_artifact", "only_new_files")


def _found(rule: str, text: str, call: Call, *, is_result: bool = False) -> Finding:
    """A finding at the call, or at its result with the words that show the failure."""
    return Finding(
        rule=rule,
        severity="error" if rule in _ERRORS else "warning",
        text=text,
        message_index=(is_result and call.result_message_index) or call.message_index,
        call_id=call.call.id,
        quote=(is_result and call.outcome.state == "failed" and call.outcome.words) or None,
    )


def detect(index: TraceIndex) -> Detection:
    """What the end of the trace shows; not measured where the agent said nothing and called nothing."""
    if not index.messages or index.is_silent:
        return _SILENT
    last = Last(index)
    parts = [part for look in _parts(last) if (part := look(last)) is not None]
    if not parts:
        return _FINE
    parts.sort(key=lambda part: -part[0])
    return Detection(score=parts[0][0], findings=[finding for _, finding in parts], details=parts[0][1].text)


_SILENT = Detection(score=None, details="The agent did nothing: there is no ending to check.")
_FINE = Detection(score=0.0, details="Nothing is wrong with how the run ended.")


def _explain() -> "Mapping[str, Explanation]":
    from sentinel_signal_ending.explained import explain

    return explain()


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the ending signal."""
    return [Signal(name="ending", summary="how the run ends", detect=detect, rules=RULES, explain=_explain)]
