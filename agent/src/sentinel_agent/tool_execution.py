"""Runs the calls of a reply: recorded before and after, never twice, and in parallel if they only read."""

import hashlib
from collections.abc import Callable, Iterable, Sequence

from sentinel_agent.events import Event, ToolFinished, ToolStarted
from sentinel_agent.limits import Limit
from sentinel_agent.recorder import Record
from sentinel_core.errors import NotRepeatedError, ToolTimeoutError
from sentinel_core.host.tools import OUTCOME_UNKNOWN, Toolbox
from sentinel_core.trace import ToolCall, ToolResult, canonical

__all__ = ["NOT_RUN", "UNKNOWN", "refuse_calls", "run_calls", "unknown_writes"]

NOT_RUN = "not_run"
"""In a result's metadata: the host did not run the call, and the call is not to blame."""

UNKNOWN = frozenset({OUTCOME_UNKNOWN, NotRepeatedError.__name__, ToolTimeoutError.__name__})
_BROKE_OFF = (
    "the process ended while this ran, so whether it took effect is unknown; it is not repeated, because the tool takes "
    "no idempotency key"
)
_REPEATED = "not run: an identical earlier call may already have taken effect; a second one could take effect twice"


def run_calls(
    calls: Sequence[ToolCall],
    toolbox: Toolbox,
    record: Record,
    run_id: str,
    late: Callable[[], Limit | None] = lambda: None,
) -> None:
    """Run the calls and record each, results in the calls' order. Calls that would begin ``late`` are refused.

    Calls whose results a resumed record has are not run again. A write that broke off, or whose outcome is unknown for another
    reason, is repeated with the same idempotency key or not at all.
    """
    if len(calls) > 1 and not any(toolbox.writes(call.name) for call in calls):
        _run_in_parallel(calls, toolbox, record, late)
        return
    for call in calls:
        limit = late() if record.upcoming is None else None
        if limit is not None:
            refuse_calls((call,), record, limit.detail)
        elif isinstance(record.upcoming, ToolFinished):  # refused before the interruption
            record.recall(ToolFinished)
        else:
            _run_call(call, toolbox, record, run_id)


def refuse_calls(calls: Iterable[ToolCall], record: Record, why: str, *, blame: str = "") -> None:
    """Record for each call that it was not run, and why; ``blame`` is the error's class if the call is to blame."""
    metadata = {"error": blame} if blame else {NOT_RUN: True}
    for call in calls:
        result = ToolResult(tool_call_id=call.id, content=f"not run: {why}", success=False, metadata=dict(metadata))
        record.emit(ToolFinished(result=result))


def unknown_writes(events: Iterable[Event]) -> dict[tuple[str, bytes], str | None]:
    """The calls whose outcome is unknown: name and arguments to the idempotency key, if any."""
    started: dict[str, ToolStarted] = {}
    unknown: dict[tuple[str, bytes], str | None] = {}
    for event in events:
        if isinstance(event, ToolStarted):
            started[event.call.id] = event
        elif isinstance(event, ToolFinished) and (begun := started.get(event.result.tool_call_id)) is not None:
            if (event.result.metadata or {}).get("error") in UNKNOWN:
                unknown[_identity(begun.call)] = begun.idempotency_key
            else:
                unknown.pop(_identity(begun.call), None)
    return unknown


def _run_in_parallel(
    calls: Sequence[ToolCall], toolbox: Toolbox, record: Record, late: Callable[[], Limit | None]
) -> None:
    for call in calls:
        record.emit(ToolStarted(call=call))
    done = 0
    while record.upcoming is not None and done < len(calls):
        record.recall(ToolFinished)
        done += 1
    for result in toolbox.execute_together(calls[done:], lambda: late() is None):
        record.emit(ToolFinished(result=result))
        done += 1
    if done < len(calls) and (limit := late()) is not None:
        refuse_calls(calls[done:], record, limit.detail)


def _run_call(call: ToolCall, toolbox: Toolbox, record: Record, run_id: str) -> None:
    broke_off = record.upcoming is not None
    writes, honours = toolbox.writes(call.name), toolbox.honours_key(call.name)
    earlier = unknown_writes(record.events) if writes else {}  # includes earlier attempts at the task
    key = earlier.get(_identity(call)) or _key(run_id, call)
    started = record.emit(ToolStarted(call=call, idempotency_key=key if writes else None))
    if record.upcoming is not None:
        record.recall(ToolFinished)
    elif writes and not honours and (broke_off or _identity(call) in earlier):
        record.emit(ToolFinished(result=_unknown(call, _BROKE_OFF if broke_off else _REPEATED)))
    else:
        record.emit(ToolFinished(result=toolbox.execute(call, idempotency_key=started.idempotency_key)))


def _unknown(call: ToolCall, why: str) -> ToolResult:
    return ToolResult(tool_call_id=call.id, content=why, success=False, metadata={"error": OUTCOME_UNKNOWN})


def _identity(call: ToolCall) -> tuple[str, bytes]:
    return call.name, canonical(call.arguments)


def _key(run_id: str, call: ToolCall) -> str:
    """The idempotency key: derived, so that a resumed run sends the same one."""
    return hashlib.sha256(canonical([run_id, call.id, call.name])).hexdigest()
