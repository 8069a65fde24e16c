"""Reads a tool's run from its span: arguments, result and success."""

from typing import Any

import attrs

from sentinel_core.trace import to_json
from sentinel_core.traces.readers import pieces_of
from sentinel_readers_telemetry import aliases
from sentinel_readers_telemetry.attributes import first
from sentinel_readers_telemetry.span import Span

__all__ = ["ToolRun", "tool_run_of"]

_EXECUTE = "execute_tool "
# How frameworks wrap a tool's arguments.
_WRAPPERS = ("inputs", "kwargs")
_PLAIN_TEXT = "input"


@attrs.frozen(kw_only=True)
class ToolRun:
    """One run of a tool. ``arguments`` and ``content`` are None if they were not recorded."""

    span: Span
    name: str
    call_id: str | None
    arguments: dict[str, Any] | None
    content: str | None
    success: bool | None

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Duration and kind of error, where known."""
        span = self.span
        found: dict[str, Any] = {}
        if span.start is not None and span.end is not None and span.end >= span.start:
            found["duration_ms"] = (span.end - span.start) / 1_000_000
        if isinstance(span.attributes.get("error.type"), str):
            found["error_type"] = span.attributes["error.type"]
        return found or None


def tool_run_of(span: Span) -> ToolRun:
    """The tool's run that a span records."""
    attributes = span.attributes
    call_id = first(attributes, aliases.TOOL_CALL_ID)
    name = first(attributes, aliases.TOOL_NAME)
    content, success, own_id = _result(first(attributes, aliases.TOOL_RESULT))
    if span.failed:
        content, success = content or span.problem or "", False
    elif span.failed is False and success is None:
        success = True
    return ToolRun(
        span=span,
        name=str(name).strip('"') if name else span.name.removeprefix(_EXECUTE),
        call_id=str(call_id).strip() if call_id else own_id,
        arguments=_arguments(first(attributes, aliases.TOOL_ARGUMENTS)),
        content=content,
        success=success,
    )


def _arguments(value: object) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        return {_PLAIN_TEXT: value}
    for key in _WRAPPERS:
        if isinstance(value.get(key), dict) and (value[key] or key == "kwargs"):
            return dict(value[key])
    return value


def _result(value: object) -> tuple[str | None, bool | None, str | None]:
    """Text, success and call id of a result: MCP's object, a message of the role "tool", or anything else as JSON."""
    if value is None:
        return None, None, None
    if isinstance(value, str):
        return value, None, None
    if isinstance(value, dict):
        inner = value.get("output")
        if isinstance(inner, dict) and _is_tool_message(inner):
            value = inner
        if _is_tool_message(value):
            result = next((result for piece in pieces_of({**value, "role": "tool"}) for result in piece.results), None)
            if result is not None:
                return result.content, result.success, result.call_id
        if isinstance(value.get("isError"), bool) and isinstance(value.get("content"), list):
            return _mcp_text(value["content"]), not value["isError"], None
    return to_json(value).decode(), None, None


def _is_tool_message(value: dict[str, Any]) -> bool:
    message = value.get("kwargs") if isinstance(value.get("kwargs"), dict) else value
    return isinstance(message, dict) and "content" in message and "tool_call_id" in message


def _mcp_text(parts: list[Any]) -> str:
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts) if len(texts) == len(parts) else to_json(parts).decode()
