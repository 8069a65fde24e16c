"""Builds requests to chat completions."""

from typing import Any

from sentinel_core.model import Request
from sentinel_core.providers.requests import chat_messages
from sentinel_core.providers.requests import function_tools as format_tools_for_provider
from sentinel_core.trace import ToolCall, ToolResult, to_json

__all__ = ["body_of", "format_tools_for_provider"]


def body_of(request: Request, model: str, *, limit_name: str, stream: bool) -> dict[str, Any]:
    """The arguments of ``chat.completions.create``; ``limit_name`` is the server's argument for the most tokens of a reply."""
    body: dict[str, Any] = {"model": model, "messages": list(chat_messages(request, call=_call, result=_result))}
    if request.tools:
        body["tools"] = format_tools_for_provider(request.tools)
        body["tool_choice"] = request.tool_choice
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[limit_name] = request.max_tokens
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return body


def _call(call: ToolCall) -> dict[str, Any]:
    """The call; arguments that are not JSON become ``{}``, because some servers parse them and refuse the whole request."""
    arguments = to_json(call.arguments).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _result(result: ToolResult) -> dict[str, Any]:
    return {"tool_call_id": result.tool_call_id}
