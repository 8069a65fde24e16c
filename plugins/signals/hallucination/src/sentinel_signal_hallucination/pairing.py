"""Calls that were never answered, and results that answer nothing."""

from collections.abc import Iterable, Iterator

from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_core.evaluate.tools import is_ending as is_terminal
from sentinel_core.report import Finding
from sentinel_core.trace import ToolResult
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence

__all__ = ["orphaned", "unanswered"]

_UNFINISHED = frozenset(("interrupted", "cancelled", "canceled", "aborted", "timeout", "running"))


def _is_due(call: Call, last_spoken: int) -> bool:
    details = call.call.details
    if details is not None and not details.result_expected:
        return False
    return call.message_index < last_spoken and not is_terminal(call.call.name)


def _last_spoken(index: TraceIndex) -> int:
    """The last message in which somebody acts: a call that nothing follows was cut off, not left unanswered."""
    messages = index.messages
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if message.content or message.tool_calls:
            return position
    return -1


def unanswered(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterable[Evidence]:
    """Calls without a result although the run went on. Where no call at all has one, that is a gap and no finding."""
    missing = [call for call in index.calls if call.result is None]
    if not missing:
        return ()
    if len(missing) == len(index.calls):
        if not all(is_terminal(call.call.name) for call in missing):
            gaps.append("The trace records no tool results: whether calls were answered was not checked.")
        return ()
    return _left_open(index, settings, missing)


def _left_open(index: TraceIndex, settings: Settings, missing: list[Call]) -> Iterator[Evidence]:
    outcome = index.trace.details.outcome if index.trace.details is not None else None
    cut_off = outcome in _UNFINISHED
    last_message = missing[-1].message_index if cut_off else _last_spoken(index)
    for call in missing:
        if _is_due(call, last_message):
            yield Evidence(
                Finding(
                    rule="call_without_result",
                    severity="warning",
                    text=f'The call of "{call.call.name}" has no result, yet the run went on.',
                    message_index=call.message_index,
                    call_id=call.call.id,
                ),
                settings.unanswered_weight,
            )


def orphaned(index: TraceIndex, settings: Settings, gaps: list[str]) -> Iterable[Evidence]:
    """Results whose id no call has. Where they are no fewer than the answered calls, the recording is at fault."""
    if not index.orphans:
        return ()
    answered = sum(call.result is not None for call in index.calls)
    first_call = index.calls[0].message_index if index.calls else len(index.messages)
    stray = [(at, result) for at, result in index.orphans if at >= first_call and result.tool_call_id]
    if len(stray) < len(index.orphans):
        gaps.append("Results without an id, or before the first call, could not be matched to calls.")
    if len(stray) >= max(answered, 1):
        gaps.append("Most results answer no recorded call: the recording lacks calls, so none was judged.")
        return ()
    return [_orphan(at, result, settings) for at, result in stray]


def _orphan(at: int, result: ToolResult, settings: Settings) -> Evidence:
    return Evidence(
        Finding(
            rule="orphan_result",
            severity="warning",
            text=f'A result answers the call "{result.tool_call_id}", which was never made.',
            message_index=at,
            call_id=result.tool_call_id,
            quote=result.content[:200] or None,
        ),
        settings.orphan_weight,
    )
