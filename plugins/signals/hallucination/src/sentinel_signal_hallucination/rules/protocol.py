"""Calls and results that do not go together: unanswered calls, results of no call, and either of them written as text."""

import re
from collections.abc import Container, Iterator

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import is_ending as is_terminal
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, evidence
from sentinel_signal_hallucination.rules.echoes import is_echo
from sentinel_signal_hallucination.rules.marks import MARKS

__all__ = ["imitated", "orphaned", "unanswered"]

_UNFINISHED = frozenset(("interrupted", "cancelled", "canceled", "aborted", "timeout", "running"))
_QUOTE = 200


def unanswered(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterator[Evidence]:
    """Calls without a result although the run went on. Where none of several calls has one, that is a gap and no finding."""
    missing = [call for call in index.calls if call.result is None]
    due = [call for call in missing if not is_terminal(call.call.name)]
    if not due:
        return
    if len(missing) == len(index.calls) and (len(missing) > 1 or index.orphans):
        gaps.append("The trace records no tool results: whether calls were answered was not checked.")
        return
    details = index.trace.details
    cut_off = details is not None and details.outcome in _UNFINISHED
    # A call that nothing follows was cut off, too.
    acted = (at for at, message in enumerate(index.messages) if message.content or message.tool_calls)
    last = missing[-1].message_index if cut_off else max(acted, default=-1)
    branch = (
        "only_call" if len(index.calls) == 1 else "one_of_several"
    )  # of one, nothing shows that results are recorded
    for call in due:
        if call.message_index < last and (call.call.details is None or call.call.details.result_expected):
            message = f'The call to "{call.call.name}" has no result, but the run continued.'
            # Of one call, nothing shows that results are recorded; of a look, a recorder loses what nobody misses.
            is_look = index.tools[call.call.name].effect == "reads"
            branch = "only_call" if len(index.calls) == 1 else "of_a_look" if is_look else "one_of_several"
            yield evidence(
                "call_without_result", branch, message, settings.unanswered_weight, message_index=call.message_index, call_id=call.call.id
            )  # fmt: skip


def orphaned(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterator[Evidence]:
    """Results whose id no call has. Where they are more than the answered calls, the recording is at fault."""
    if not index.orphans:
        return
    answered = sum(call.result is not None for call in index.calls)
    first_call = index.calls[0].message_index if index.calls else len(index.messages)
    stray = [(at, result) for at, result in index.orphans if at >= first_call and result.tool_call_id]
    if len(stray) < len(index.orphans):
        gaps.append("Results without an id, or before the first call, could not be matched to calls.")
    if len(stray) > answered:
        gaps.append(
            "Most results belong to no recorded call: calls are missing from the recording, so none was judged."
        )
        return
    branch = "as_many_as_answers" if len(stray) == answered else "among_answers"
    for at, result in stray:
        message = f'A result answers the call "{result.tool_call_id}", which was never made.'
        quote = result.content[:_QUOTE] or None
        yield evidence(
            "orphan_result", branch, message, settings.orphan_weight, message_index=at, call_id=result.tool_call_id, quote=quote
        )  # fmt: skip


def imitated(index: TraceIndex, settings: Settings, gaps: list[str], spoken: str) -> Iterator[Evidence]:
    """At most one finding for calls and one for output: each the gravest, the first among equals.

    ``spoken`` is all assistant texts. Where the trace shows no tools at all, its calls may be text by design: a gap.
    What the user writes so, the agent may speak of.
    """
    marks = [mark for mark in MARKS if mark.sign in spoken and mark.gate in spoken and mark.pattern.search(spoken)]
    if marks:
        users = [message.content for message in index.messages if message.role == "user" and message.content]
        marks = [mark for mark in marks if not any(map(mark.pattern.search, users))]
    if not marks:
        return
    if not index.tools:
        gaps.append(
            "The text contains calls or their output, but the trace records none: they cannot be distinguished from imitations."
        )
        return
    calls: dict[int, list[Call]] = {}
    for call in index.calls:
        calls.setdefault(call.message_index, []).append(call)
    for is_imitated, rule in ((_is_call, "imitated_call"), (_is_output, "imitated_output")):
        rows = (
            _evidence(text, rule, match, calls.get(text.message_index, []), _ran(index, text), settings)
            for text in index.texts
            for mark in marks
            if mark.rule == rule
            and mark.gate in text.content
            and (match := mark.pattern.search(text.content)) is not None
            if is_imitated(index, text, match, calls.get(text.message_index, []))
        )
        worst = max(rows, key=lambda row: row.weight, default=None)
        if worst is not None:
            yield worst


def _ran(index: TraceIndex, text: Text) -> frozenset[str]:
    """The tools that were called before a text."""
    return frozenset(call.call.name for call in index.calls[: text.calls_before])


def _is_call(index: TraceIndex, text: Text, match: re.Match[str], calls: list[Call]) -> bool:
    """True for a call of a known tool that the harness did not understand: neither made nor answered."""
    following = index.messages[text.message_index + 1 : text.message_index + 2]
    if calls or any(message.role == "tool" or message.tool_results for message in following):
        return False
    if is_echo(text.content, index.calls[: text.calls_before]):
        return False
    tool = match.groupdict().get("tool")
    return tool is None or tool in index.tools or text.content.lstrip().startswith(("{", "<"))


def _is_output(_: TraceIndex, text: Text, match: re.Match[str], calls: list[Call]) -> bool:
    """True where the output that the agent wrote is none that its calls then gave."""
    rest = text.content[match.end() : match.end() + 2 * _QUOTE].strip()
    written = rest.partition("\n")[0][:_QUOTE].strip()
    return not any(call.result is not None and _has_line(call.result.content, written) for call in calls)


def _has_line(content: str, written: str) -> bool:
    """True where one of the lines is what was written, or goes on from there where that was cut; "1" is not in "1 of 4"."""
    if len(written) >= _QUOTE:
        return written in content
    return not written or any(line.strip() == written for line in content.splitlines())


def _evidence(
    text: Text, rule: str, match: re.Match[str], calls: list[Call], ran: Container[str], settings: Settings
) -> Evidence:
    """A finding; where the text's own message makes calls whose results are not on record, they may be in the text."""
    doubtful = bool(calls) and all(call.result is None for call in calls)
    begin = text.content.rfind("\n", 0, match.start()) + 1
    tool = match.groupdict().get("tool")
    is_repeated = rule == "imitated_call" and tool is not None and tool in ran
    what = "a tool call as text but made no call" if rule == "imitated_call" else "a tool's output itself"
    if is_repeated:
        what = f"a call of {tool} as text; it had called the tool before, with other arguments"
    message = f"The agent wrote {what}{'; the real output is not recorded' if doubtful else ''}."
    weight = settings.unproven_imitation_weight if doubtful else settings.imitation_weight
    quote = text.content[begin : begin + _QUOTE]
    branch = "beside_unrecorded" if doubtful else "after_it_ran" if is_repeated else "as_text"
    return evidence(rule, branch, message, weight, message_index=text.message_index, quote=quote)
