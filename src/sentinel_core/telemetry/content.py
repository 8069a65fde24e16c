"""Messages in the JSON of OpenTelemetry's GenAI conventions, without secrets."""

import functools
from collections.abc import Iterable
from typing import Any

from sentinel_core.runtime.redact import redact, redact_value
from sentinel_core.trace import Message, ToolCall, ToolResult, ToolSchema, to_json

__all__ = ["as_json", "clean_text", "definitions", "message_parts", "window"]

# Long conversations repeat themselves in every request; beyond this many characters only the newest messages are recorded.
_MOST_INPUT = 1 << 16
_SHORTEST_SECRET = 7  # "://a:b@", of all that is taken out


def as_json(value: object) -> str:
    """JSON text of a value, secrets taken out of every string in it."""
    return to_json(redact_value(value, clean_text)).decode()


def clean_text(text: str) -> str:
    """The text without secrets, and without halves of surrogate pairs, which no encoding takes."""
    if len(text) < _SHORTEST_SECRET and text.isascii():
        return text
    return _cleaned(text)


@functools.lru_cache(maxsize=256)
def _cleaned(text: str) -> str:
    """Cached, because a message is on the span that made it and on all later requests."""
    found = redact(text)
    return found if found.isascii() else found.encode("utf-8", "replace").decode()


def message_parts(message: Message) -> dict[str, Any]:
    """One message as the conventions write it; fields that they do not define are added."""
    parts: list[dict[str, Any]] = []
    if message.content is not None:
        parts.append({"type": "text", "content": message.content})
    parts += (_call_part(call, message.timestamp) for call in message.tool_calls)
    parts += (_result_part(result) for result in message.tool_results)
    return {"role": message.role, "parts": parts}


def definitions(tools: Iterable[ToolSchema]) -> str:
    """Tools on offer, as JSON."""
    return as_json(
        [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools
        ]
    )


def window(fragments: list[str]) -> tuple[str, int]:
    """The newest of these messages (JSON text each) as one JSON list, and how many older ones do not fit."""
    size, first = 0, len(fragments)
    while first and (size := size + len(fragments[first - 1])) <= _MOST_INPUT:
        first -= 1
    first = min(first, max(0, len(fragments) - 1))
    return f"[{','.join(fragments[first:])}]", first


def _call_part(call: ToolCall, at: str | None) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}
    if call.timestamp != at:
        part["timestamp"] = call.timestamp
    if call.details is not None:
        part["raw_arguments"] = call.details.raw_arguments
        part["result_expected"] = call.details.result_expected
    return part


def _result_part(result: ToolResult) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": result.tool_call_id, "response": result.content}
