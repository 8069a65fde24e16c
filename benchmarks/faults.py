"""Faults by construction that are no lies of the answer: lost results and calls, invented arguments, and calls that are written as text.

Used by ``odds.py``, to measure the rules that find them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping

import attrs
from faults_of_calls import FAULTS as OF_CALLS

from sentinel_core import Call, ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex

__all__ = ["FAULTS", "OF_CALLS", "faults_of"]


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


def _invented_argument(index: TraceIndex) -> ExecutionTrace | None:
    """The last call that changed something by an identifier or an address of the record has another one, which nothing holds."""
    for call in reversed(index.calls):
        if index.tools[call.call.name].effect != "writes" or call.outcome.state == "failed" or call.result is None:
            continue
        before = "\n".join(_all_text(message) for message in index.messages[: call.message_index])
        for key, value in call.call.arguments.items():
            if isinstance(value, str) and value in before and _NAMES_A_THING.fullmatch(value):
                other = value.translate(_OTHER_DIGITS) if "@" not in value else f"x{value}"
                return None if other in before else _with_argument(index, call, key, value, other)
    return None


def _undone(index: TraceIndex) -> ExecutionTrace | None:
    """Right after the last call that changed something by an identifier that is told afterwards, another call cancels it."""
    for call in reversed(index.calls):
        if (
            index.tools[call.call.name].effect != "writes"
            or call.outcome.state == "failed"
            or call.result_message_index is None
        ):
            continue
        told = "\n".join(text.content for text in index.texts if text.message_index > call.message_index)
        found = _NAMES_A_THING.findall(call.result.content if call.result is not None else "")
        found += [
            value
            for value in call.call.arguments.values()
            if isinstance(value, str) and _NAMES_A_THING.fullmatch(value)
        ]
        name = next((one for one in found if one in told), None)
        if name is not None:
            at = call.result_message_index + 1
            made = ToolCall(id="undo-1", name="cancel_item", arguments={"item_id": name})
            given = ToolResult(tool_call_id="undo-1", content='{"result": "ok"}')
            undo = (Message(role="assistant", tool_calls=(made,)), Message(role="tool", tool_results=(given,)))
            return attrs.evolve(index.trace, messages=(*index.messages[:at], *undo, *index.messages[at:]))
    return None


def _other_status(index: TraceIndex) -> ExecutionTrace | None:
    """The status of a result that the last text tells is another one: "rejected"."""
    last = index.texts[-1].content.lower() if index.texts else ""
    for call in reversed(index.calls):
        content = call.result.content if call.result is not None else ""
        found = next((one for one in _STATUS.finditer(content) if one[2].lower() in last), None)
        if found is not None and any(name in last for name in map(str.lower, _NAMES_A_THING.findall(content))):
            changed = content[: found.start(2)] + "rejected" + content[found.end(2) :]
            return _with_result(index, call.result, changed) if call.result is not None else None
    return None


def _part_failed(index: TraceIndex) -> ExecutionTrace | None:
    """The result of the last call that changed something, and that the last words tell of, counts some that failed, too."""
    last = index.texts[-1] if index.texts else None
    for call in reversed(index.calls):
        result, is_write = call.result, index.tools[call.call.name].effect == "writes"
        if is_write and result is not None and call.outcome.state == "worked" and last is not None:
            body = result.content.rstrip()
            is_object = body.startswith("{") and body.endswith("}") and len(body) > len("{}")
            if not is_object or last.message_index < call.message_index or '"failed"' in body:
                return None
            return _with_result(index, result, f'{body[:-1]}, "failed": 7}}')
    return None


def _dropped_looks(index: TraceIndex) -> ExecutionTrace | None:
    """Every look is gone, and the agent says that it looked."""
    looks = [call for call in index.calls if index.tools[call.call.name].effect != "writes"]
    if not looks or len(looks) == len(index.calls) or not any(_LOOKED.search(text.content) for text in index.texts):
        return None
    changed = index.trace
    for call in looks:
        changed = _without(TraceIndex(changed), call.call)
        changed = _without(TraceIndex(changed), call.result) if call.result is not None else changed
    return changed


def _with_result(index: TraceIndex, old: ToolResult, content: str) -> ExecutionTrace:
    given = attrs.evolve(old, content=content)

    def change(message: Message) -> Message:
        results = tuple(given if one is old else one for one in message.tool_results)
        return attrs.evolve(message, tool_results=results)

    return attrs.evolve(index.trace, messages=tuple(map(change, index.messages)))


def _all_text(message: Message) -> str:
    return "\n".join((message.content or "", *(result.content for result in message.tool_results)))


def _with_argument(index: TraceIndex, call: Call, key: str, old: str, new: str) -> ExecutionTrace:
    made = attrs.evolve(call.call, arguments={**call.call.arguments, key: new})
    given = None if call.result is None else attrs.evolve(call.result, content=call.result.content.replace(old, new))

    def change(message: Message) -> Message:
        calls = tuple(made if one is call.call else one for one in message.tool_calls)
        results = tuple(given if given is not None and one is call.result else one for one in message.tool_results)
        return attrs.evolve(message, tool_calls=calls, tool_results=results)

    return attrs.evolve(index.trace, messages=tuple(map(change, index.messages)))


_NAMES_A_THING = re.compile(r"#?(?=[\w-]*\d[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{4,40}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LOOKED = re.compile(
    r"\b[Ii](?:'ve| have)? (?:also |just |already )?(?:checked|looked up|looked at|verified|reviewed|compared|went through)\b"
)
_STATUS = re.compile(r"\"(status|state)\": ?\"(\w{4,30})\"")
_OTHER_DIGITS = str.maketrans("0123456789", "3456789012")

FAULTS: Mapping[str, Callable[[TraceIndex], ExecutionTrace | None]] = {
    "lost_result": _lost_result,
    "lost_call": _lost_call,
    "call_as_text": _call_as_text,
    "invented_argument": _invented_argument,
    "undone": _undone,
    "other_status": _other_status,
    "part_failed": _part_failed,
    "dropped_looks": _dropped_looks,
    **OF_CALLS,
}
