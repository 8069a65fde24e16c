"""The memory of a smolagents agent: its steps, each a reply with its calls and what they gave, or the result of a run."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.trace import to_json
from sentinel_core.traces.readers import Piece, Record, TraceBuilder, iso_time, usage_of
from sentinel_core.traces.readers.chat import Result, call_of, stray_calls, text_of
from sentinel_readers_frameworks._files import (
    Placed,
    Skipped,
    dicts,
    inner_place,
    mapping,
    milliseconds,
    name_of,
    read_each,
    text,
)

__all__ = ["read"]

_STEPS = frozenset(("action_output", "code_action", "model_output", "observations", "step_number", "tool_calls"))
_OUTCOMES: Mapping[object, str] = {"success": "completed", "max_steps_error": "max_turns"}
_ANSWERS = "final_answer"
_CODE = ("<code>", "```")


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per memory: a list of steps, or a run's result with ``steps``."""
    return read_each(source, is_alone=_is_step, whole=_run, together=_trace)


def _is_step(value: object) -> bool:
    return not isinstance(value, list) and not isinstance(mapping(value).get("steps"), list)


def _run(source: Source, record: Record) -> ExecutionTrace:
    value = record.value
    steps = value if isinstance(value, list) else value["steps"]
    path = "" if steps is value else ".steps"
    placed = [(step, inner_place(record, f"{path}[{at}]")) for at, step in enumerate(steps)]
    outcome = _OUTCOMES.get(text(mapping(value).get("state")))
    return _trace(name_of(source, record), placed, Skipped(), outcome)


def _trace(trace_id: str, steps: list[Placed], skipped: Skipped, outcome: str | None = None) -> ExecutionTrace:
    builder = TraceBuilder(trace_id, "smolagents")
    for raw, origin in steps:
        step = mapping(raw)
        if not _add_told(builder, step, origin):
            if _STEPS.isdisjoint(step):
                builder.lose("step of an unknown kind")
            else:
                _add_action(builder, step, origin)
    return builder.build(outcome=outcome, metadata=skipped.metadata())


def _add_told(builder: TraceBuilder, step: Mapping[str, Any], origin: str) -> bool:
    """Add what is no action: a task, instructions, a plan, or the answer; False for anything else."""
    place = MessageDetails(origin=origin)
    if isinstance(step.get("task"), str):
        builder.add(Piece(role="user", text=step["task"]), details=place)
    elif isinstance(step.get("system_prompt"), str):
        builder.add(Piece(role="system", text=step["system_prompt"]), details=place)
    elif isinstance(step.get("plan"), str):
        builder.add(Piece(role="assistant", reasoning=step["plan"]), details=_details(step, origin))
    elif "output" in step and _STEPS.isdisjoint(step):
        answer = _plain(step["output"])
        if not any(message.role == "assistant" and message.content == answer for message in builder.messages[-1:]):
            builder.add(Piece(role="assistant", text=answer or None), details=place)
    else:
        return False
    return True


def _add_action(builder: TraceBuilder, step: Mapping[str, Any], origin: str) -> None:
    reply = mapping(step.get("model_output_message"))
    calls, lost = _calls(step, reply)
    handing_over = [call for call in calls if call.name == _ANSWERS] if step.get("is_final_answer") is True else []
    given = (step.get("action_output"), *(call.arguments.get("answer") for call in handing_over))
    answer = next(filter(None, map(_plain, given)), "") if step.get("is_final_answer") is True else ""
    if answer:
        calls = [call for call in calls if call not in handing_over]
    builder.add(
        Piece(role="assistant", text=_said(step, reply), calls=tuple(calls), lost=lost),
        timestamp=iso_time(mapping(step.get("timing")).get("start_time")),
        details=_details(step, origin),
    )
    results = _results(step, calls)
    if results:
        builder.add(Piece(role="tool", results=tuple(results)), details=MessageDetails(origin=origin))
    if answer:
        builder.add(Piece(role="assistant", text=answer), details=MessageDetails(origin=origin))


def _calls(step: Mapping[str, Any], reply: Mapping[str, Any]) -> tuple[list[ToolCall], tuple[str, ...]]:
    """The calls that ran; where none did, those that the model asked for; and what could not be read of them."""
    listed = step.get("tool_calls") or reply.get("tool_calls") or []
    entries = listed if isinstance(listed, list) else [listed]
    calls = [call_of(_of_code(entry)) for entry in dicts(entries)]
    lost = ["call in no known shape"] * (len(entries) - len(calls))
    lost += ["call without a name" for call in calls if not call.name]
    return calls, tuple(lost) if calls or lost else stray_calls(step, "model_input_messages")


def _of_code(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call; the arguments of the Python interpreter are its code."""
    function = mapping(call.get("function"))
    code = function.get("arguments")
    if function.get("name") != "python_interpreter" or not isinstance(code, str):
        return call
    return {**call, "function": {**function, "arguments": {"code": code}}}


def _said(step: Mapping[str, Any], reply: Mapping[str, Any]) -> str | None:
    """The words of the reply; the code that it runs is a call."""
    words = text_of(step.get("model_output") or reply.get("content"))
    if step.get("code_action"):
        for mark in _CODE:
            words = words.partition(mark)[0]
    return words.strip() or None


def _results(step: Mapping[str, Any], calls: list[ToolCall]) -> list[Result]:
    """What each call gave: a line of the observations each, or all of them together where they are not as many."""
    error, told = step.get("error"), text(step.get("observations"))
    problem = text_of(mapping(error).get("message") or error) if error else ""
    content = "\n".join(filter(None, (told, problem)))
    if not calls or not content:
        return []
    lines = content.split("\n")
    shares = lines if len(lines) == len(calls) and not problem else [content] * len(calls)
    success = False if problem else None
    return [
        Result(content=share, call_id=call.id or None, name=call.name, success=success)
        for call, share in zip(calls, shares, strict=True)
    ]


def _details(step: Mapping[str, Any], origin: str) -> MessageDetails:
    timing = mapping(step.get("timing"))
    start, end = iso_time(timing.get("start_time")), iso_time(timing.get("end_time"))
    return MessageDetails(usage=usage_of(step.get("token_usage")), duration_ms=milliseconds(start, end), origin=origin)


def _plain(output: object) -> str:
    return output if isinstance(output, str) else "" if output is None else to_json(output).decode()
