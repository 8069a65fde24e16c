"""Rebuilds the exact trace from Sentinel's own spans, so that trace and spans get the same report."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sentinel_core.telemetry import names
from sentinel_core.trace import (
    CallDetails,
    ExecutionTrace,
    Message,
    MessageDetails,
    TokenDetails,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
)
from sentinel_readers_telemetry.span import Span

__all__ = ["own_trace"]

_SCHEMA = 2
_UNSET: Any = msgspec.UNSET


class _Part(msgspec.Struct):
    """A part of a message, as Sentinel writes it."""

    type: str
    content: str | None = None
    id: str = ""
    name: str = ""
    arguments: dict[str, Any] = {}
    timestamp: str | None = _UNSET
    raw_arguments: str | None = None
    result_expected: bool = _UNSET


class _SpanMessage(msgspec.Struct):
    """A message in a span, as Sentinel writes it."""

    role: str
    parts: list[_Part]


class _Tool(msgspec.Struct):
    """An available tool."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


def own_trace(spans: Iterable[Span], known: Mapping[str, list[str]]) -> ExecutionTrace | None:
    """The trace that these spans record; None if they are not Sentinel's or are incomplete."""
    every = list(spans)
    root = next((span for span in every if names.RUN_ID in span.attributes), None)
    if root is None:
        return None
    try:
        return _trace(root, every, known)
    except (KeyError, TypeError, ValueError):  # not as Sentinel writes it: read it like any other span
        return None


def _trace(root: Span, spans: list[Span], known: Mapping[str, list[str]]) -> ExecutionTrace:
    attributes = root.attributes
    runs = sorted((span for span in spans if "sentinel.agent.run_id" in span.attributes), key=_sequence)
    spoken = sorted((span for span in spans if names.ROLE in span.attributes), key=_sequence)
    metadata = msgspec.json.decode(attributes[names.METADATA], type=dict[str, Any])
    outcome = attributes.get(names.OUTCOME)
    return ExecutionTrace(
        trace_id=_text(attributes[names.RUN_ID]),
        messages=(*_system(runs[0]), *map(_message, spoken)),
        token_usage=_usage(attributes),
        metadata={**metadata, **{key: lines for key, lines in known.items() if lines}},
        details=TraceDetails(
            available_tools=_tools(runs[-1]), outcome=None if outcome is None else _text(outcome), source="sentinel"
        ),
        schema=_SCHEMA,
    )


def _system(run: Span) -> tuple[Message, ...]:
    parts = msgspec.json.decode(run.attributes["gen_ai.system_instructions"], type=list[_Part])
    prompt = parts[0].content
    return (Message(role="system", content=prompt, timestamp=run.attributes[names.AT]),) if prompt else ()


def _tools(run: Span) -> tuple[ToolSchema, ...]:
    listed = msgspec.json.decode(run.attributes["gen_ai.tool.definitions"], type=list[_Tool])
    return tuple(
        ToolSchema(name=tool.name, description=tool.description, parameters=tool.parameters) for tool in listed
    )


def _message(span: Span) -> Message:
    attributes = span.attributes
    at = attributes[names.AT]
    if attributes[names.ROLE] == "user":
        return Message(role="user", content=_parts(attributes["gen_ai.input.messages"])[0].content, timestamp=at)
    if attributes[names.ROLE] == "tool":
        return Message(role="tool", tool_results=(_result(attributes),), timestamp=at)
    parts = _parts(attributes["gen_ai.output.messages"])
    return Message(
        role="assistant",
        content=next((part.content for part in parts if part.type == "text"), None),
        tool_calls=tuple(_call(part, at) for part in parts if part.type == "tool_call"),
        timestamp=at,
        details=MessageDetails(
            model=attributes.get("gen_ai.response.model"),
            usage=_usage(attributes),
            cost_usd=attributes.get("operation.cost"),
            duration_ms=attributes.get(names.DURATION_MS),
        ),
    )


def _parts(text: str) -> list[_Part]:
    (message,) = msgspec.json.decode(text, type=list[_SpanMessage])
    return message.parts


def _call(part: _Part, at: str) -> ToolCall:
    has_details = part.result_expected is not _UNSET
    return ToolCall(
        id=part.id,
        name=part.name,
        arguments=part.arguments,
        timestamp=at if part.timestamp is _UNSET else part.timestamp,
        details=CallDetails(raw_arguments=part.raw_arguments, result_expected=part.result_expected)
        if has_details
        else None,
    )


def _result(attributes: dict[str, Any]) -> ToolResult:
    metadata = attributes.get(names.TOOL_METADATA)
    return ToolResult(
        tool_call_id=_text(attributes["gen_ai.tool.call.id"]),
        content=_text(attributes["gen_ai.tool.call.result"]),
        success=attributes.get(names.SUCCESS),
        timestamp=attributes[names.AT],
        metadata=None if metadata is None else msgspec.json.decode(metadata, type=dict[str, Any]),
    )


def _usage(attributes: dict[str, Any]) -> TokenUsage | None:
    counts = {name: attributes[theirs] for name, theirs in names.USAGE.items() if theirs in attributes}
    if "prompt_tokens" not in counts:
        return None
    parts = {
        name: counts.pop(name) for name in ("cached_tokens", "cache_write_tokens", "reasoning_tokens") if name in counts
    }
    return TokenUsage(**counts, details=TokenDetails(**parts) if parts else None)


def _sequence(span: Span) -> int:
    return int(span.attributes[names.SEQUENCE])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, got {type(value).__name__}")
    return value
