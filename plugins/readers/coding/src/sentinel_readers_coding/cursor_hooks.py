"""Reads what Cursor tells its hooks, one event per line, as ``sentinel hook run cursor`` keeps it.

Cursor's own transcripts hold what the agent asks of its tools and not what they answer; the events hold both.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.trace import parsed
from sentinel_core.traces.readers import BadRecord, Piece, TraceBuilder, gaps_at, json_records, refusals
from sentinel_core.traces.readers.chat import Result, arguments_of, text_of

__all__ = ["read"]

_OUTCOMES = {"completed": "completed", "aborted": "interrupted", "error": "error"}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per conversation, in the order in which they begin; a ``ReadError`` if no event is of one.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    builders: dict[str, TraceBuilder] = {}
    outcomes: dict[str, str | None] = {}
    bad: list[BadRecord] = []
    for record in json_records(source):
        if isinstance(record, BadRecord):
            bad.append(record)
        elif isinstance(record.value, dict):
            event = record.value
            name = _text(event.get("conversation_id")) or source.name
            pieces = _pieces(event)
            outcomes[name] = _OUTCOMES.get(_text(event.get("status"))) if not pieces else None
            builder = builders.setdefault(name, TraceBuilder(name, "cursor"))
            details = MessageDetails(model=_text(event.get("model")) or None, origin=f"line {record.line}")
            for piece in pieces:
                builder.add(piece, details=details)
    if refused := refusals([record.error() for record in bad], strict=source.strict):
        yield from refused
        return
    lost = gaps_at("line is not JSON", "lines are not JSON", [record.line for record in bad])
    metadata = {"reading_gaps": lost} if lost else {}
    traces = [builder.build(outcome=outcomes[name], metadata=metadata) for name, builder in builders.items()]
    spoken = [trace for trace in traces if trace.messages]
    yield from spoken
    if not spoken:
        yield bad[0].error() if bad else ReadError(message="no event is of a conversation")


def _pieces(event: Mapping[str, Any]) -> list[Piece]:
    """The messages of an event; none for one that tells of no message, such as ``stop``."""
    kind = event.get("hook_event_name")
    if kind == "beforeSubmitPrompt":
        return [Piece(role="user", text=_text(event.get("prompt")))]
    if kind == "afterAgentResponse":
        return [Piece(role="assistant", text=_text(event.get("text")))]
    if kind in ("postToolUse", "postToolUseFailure"):
        call = ToolCall(
            id=_text(event.get("tool_use_id")),
            name=_text(event.get("tool_name")),
            arguments=arguments_of(event.get("tool_input"))[0],
        )
        return [Piece(role="assistant", calls=(call,)), Piece(role="tool", results=(_result(event, call),))]
    return []


def _result(event: Mapping[str, Any], call: ToolCall) -> Result:
    """A result. That of a command is JSON in a text: what it printed, and its code."""
    output = event.get("tool_output")
    inner = parsed(output) if isinstance(output, str) else output
    code = inner.get("exitCode") if isinstance(inner, dict) else None
    if event.get("hook_event_name") == "postToolUseFailure":
        success = False
    else:
        success = code == 0 if isinstance(code, int) else True
    printed = inner.get("output") if isinstance(inner, dict) else None
    content = printed if isinstance(printed, str) else text_of(output)
    error = _text(event.get("error_message"))
    return Result(
        content="\n".join(filter(None, (content, error))), call_id=call.id or None, name=call.name, success=success
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
