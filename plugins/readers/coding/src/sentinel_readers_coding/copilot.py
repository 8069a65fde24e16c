"""Reads GitHub Copilot CLI's ``session-state/<id>/events.jsonl``: one event per line, with what was said and run in its ``data``."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.trace import CallDetails
from sentinel_core.traces.readers import (
    BadRecord,
    Piece,
    Record,
    TraceBuilder,
    gaps_at,
    iso_time,
    json_records,
    refusals,
)
from sentinel_core.traces.readers.chat import LOST_CALLS, Result, arguments_of, stray_calls, text_of

__all__ = ["read"]

_USER, _AGENT, _RESULT = "user.message", "assistant.message", "tool.execution_complete"
_START, _REWIND = "session.start", "session.snapshot_rewind"
_CALLS = "toolRequests"
_LOST = ToolCall(id="", name="", arguments={}, details=CallDetails(result_expected=False))
_ENDINGS = {"abort": "interrupted", "session.error": "error"}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The session, with the runs of its sub-agents as children; a ``ReadError`` if no event is a message.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    events: list[Record] = []
    bad: list[BadRecord] = []
    strange: list[int] = []
    for record in json_records(source):
        if isinstance(record, BadRecord):
            bad.append(record)
        elif isinstance(record.value, dict) and isinstance(record.value.get("type"), str):
            _take(events, record)
        else:
            strange.append(record.line)
    if refused := refusals([record.error() for record in bad], strict=source.strict):
        yield from refused
        return
    lost = gaps_at("line is not JSON", "lines are not JSON", [record.line for record in bad])
    lost += gaps_at("line is not an event", "lines are not events", strange)
    trace = _trace(events, source.name, lost)
    if trace.messages:
        yield trace
    else:
        yield bad[0].error() if bad and not events else ReadError(message="no event is a message")


def _take(events: list[Record], record: Record) -> None:
    """Add an event; a rewind takes back those that it lists, or all from the one that it names."""
    if record.value["type"] != _REWIND:
        events.append(record)
        return
    data = _data(record)
    listed, first = data.get("eventIds"), data.get("upToEventId")
    if isinstance(listed, list):
        gone = {one for one in listed if isinstance(one, str)}
        events[:] = [event for event in events if event.value.get("id") not in gone]
        return
    at = next((place for place, event in enumerate(events) if event.value.get("id") == first), len(events))
    del events[at:]


def _trace(events: list[Record], name: str, lost: list[str]) -> ExecutionTrace:
    known: dict[str, Any] = {}
    outcome: str | None = None
    builders: dict[str, TraceBuilder] = {"": TraceBuilder(name, "copilot")}
    for event in events:
        kind, data = event.value["type"], _data(event)
        if kind == _START:
            known = _known(data)
            builders[""].trace_id = _text(data.get("sessionId")) or name
        agent = _text(data.get("parentToolCallId"))
        if (what := _lost(event)) is not None:
            builders[""].lose(what)
        elif (piece := _piece(kind, data)) is not None:
            outcome = None
            builder = builders.setdefault(agent, TraceBuilder(f"{builders[''].trace_id}/{agent}", "copilot"))
            details = MessageDetails(
                id=_text(data.get("messageId")) or None, model=_text(data.get("model")) or None, origin=_place(event)
            )
            builder.add(piece, timestamp=iso_time(event.value.get("timestamp")), details=details)
        outcome = _ENDINGS.get(kind, outcome)
    children = [builder.build(parent_call_id=agent) for agent, builder in builders.items() if agent]
    metadata = {**known, **({"reading_gaps": lost} if lost else {})}
    return builders[""].build(outcome=outcome, children=children, metadata=metadata)


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    context = data.get("context")
    cwd = context.get("cwd") if isinstance(context, dict) else None
    given = {"cwd": cwd, "copilot_version": data.get("copilotVersion")}
    return {key: value for key, value in given.items() if isinstance(value, str)}


def _piece(kind: str, data: Mapping[str, Any]) -> Piece | None:
    """What an event adds to the conversation; None for all that only the program is told."""
    if kind == _USER:
        return Piece(role="user", text=_text(data.get("content")))
    if kind == _AGENT:
        asked = data.get(_CALLS) or []
        listed = [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
        is_lost = not isinstance(asked, list) or len(listed) < len(asked)
        calls = [*map(_call, listed), *([_LOST] if is_lost else [])]
        return Piece(
            role="assistant",
            text=_text(data.get("content")) or None,
            reasoning=_text(data.get("reasoningText")) or None,
            calls=tuple(calls),
            lost=(LOST_CALLS,) if is_lost else () if calls else stray_calls(data),
        )
    return Piece(role="tool", results=(_result(data),)) if kind == _RESULT else None


def _lost(event: Record) -> str | None:
    """What may be said or called in an event that is not of a known form."""
    kind, data = event.value["type"], event.value.get("data")
    if kind in (_USER, _AGENT, _RESULT):
        return None if isinstance(data, dict) else f"event {kind} without data"
    return f'event of the unknown kind "{kind[:60]}"' if isinstance(data, dict) and data.get(_CALLS) else None


def _call(asked: Mapping[str, Any]) -> ToolCall:
    arguments, raw = arguments_of(asked.get("arguments"))
    return ToolCall(
        id=_text(asked.get("toolCallId")),
        name=_text(asked.get("mcpToolName")) or _text(asked.get("name")),
        arguments=arguments,
        details=None if raw is None else CallDetails(raw_arguments=raw),
    )


def _result(data: Mapping[str, Any]) -> Result:
    """A result. ``success`` says only that the tool ran; a command that ended with another code than 0 failed."""
    given, error, shell = data.get("result"), data.get("error"), data.get("shellExecution")
    success = data.get("success") if isinstance(data.get("success"), bool) else None
    code = shell.get("exitCode") if isinstance(shell, dict) else None
    if success and isinstance(code, int) and code != 0:
        success = False
    content = text_of(given.get("content")) if isinstance(given, dict) else ""
    if isinstance(error, dict):
        content = "\n".join(filter(None, (content, _text(error.get("message")))))
    return Result(content=content, call_id=_text(data.get("toolCallId")) or None, success=success)


def _data(record: Record) -> Mapping[str, Any]:
    data = record.value.get("data")
    return data if isinstance(data, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _place(record: Record) -> str:
    return record.path or f"line {record.line}"
