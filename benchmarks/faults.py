"""Faults by construction that are no lies of the answer: lost results and calls, and calls that are written as text.

Used by ``odds.py``, to measure the rules that find them.
"""

import json
from collections.abc import Callable, Iterator, Mapping

import attrs

from sentinel_core import Call, ExecutionTrace, Message, TraceIndex

__all__ = ["FAULTS", "faults_of"]


def faults_of(trace: ExecutionTrace) -> Iterator[tuple[str, ExecutionTrace]]:
    """Each kind of fault that can be made of a run, with the run that has it."""
    index = TraceIndex(trace)
    for kind, make in FAULTS.items():
        changed = make(index)
        if changed is not None:
            yield kind, attrs.evolve(changed, trace_id=f"{trace.trace_id}#{kind}")


def _middle(index: TraceIndex) -> Call | None:
    """A call in the middle of several that were answered, of a tool that does more than read."""
    answered = [
        call for call in index.calls if call.result is not None and index.tools[call.call.name].effect != "reads"
    ]
    return answered[len(answered) // 2 - 1] if len(answered) > 2 else None  # noqa: PLR2004 - one before, one after


def _without(index: TraceIndex, lost: object) -> ExecutionTrace:
    """The run without this call or result; a message that held nothing else goes, too."""

    def change(message: Message) -> Message | None:
        calls = tuple(call for call in message.tool_calls if call is not lost)
        results = tuple(result for result in message.tool_results if result is not lost)
        if (len(calls), len(results)) == (len(message.tool_calls), len(message.tool_results)):
            return message
        return (
            attrs.evolve(message, tool_calls=calls, tool_results=results)
            if calls or results or message.content
            else None
        )

    return attrs.evolve(index.trace, messages=tuple(filter(None, map(change, index.messages))))


def _lost_result(index: TraceIndex) -> ExecutionTrace | None:
    call = _middle(index)
    return None if call is None else _without(index, call.result)


def _lost_call(index: TraceIndex) -> ExecutionTrace | None:
    call = _middle(index)
    return None if call is None else _without(index, call.call)


def _call_as_text(index: TraceIndex) -> ExecutionTrace | None:
    """The last tool is called in words alone: nothing answers, and the run ends."""
    last = index.calls[-1] if index.calls else None
    if last is None or any(call.call.name == last.call.name for call in index.calls[:-1]):
        return None
    written = json.dumps({"name": last.call.name, "arguments": last.call.arguments}, default=str)
    message = Message(role="assistant", content=f"<tool_call>\n{written}\n</tool_call>")
    tools = index.trace.details
    if tools is None or not tools.available_tools:
        return None
    return attrs.evolve(index.trace, messages=(*index.messages[: last.message_index], message))


FAULTS: Mapping[str, Callable[[TraceIndex], ExecutionTrace | None]] = {
    "lost_result": _lost_result,
    "lost_call": _lost_call,
    "call_as_text": _call_as_text,
}
