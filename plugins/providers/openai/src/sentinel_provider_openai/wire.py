"""A request as chat completions want it."""

from typing import Any

from sentinel_core.agent.providers.requests import chat_messages
from sentinel_core.agent.providers.requests import function_tools as format_tools_for_provider
from sentinel_core.model import Request
from sentinel_core.trace import ToolCall, ToolResult, to_json

__all__ = ["body_of", "format_tools_for_provider"]


def body_of(request: Request, model: str, *, limit_name: str, stream: bool) -> dict[str, Any]:
    """The arguments of ``chat.completions.create``; ``limit_name`` is what the server calls the most tokens of a reply."""
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
    """Arguments that were no JSON go back as ``{}``: servers that parse them would refuse the whole conversation."""
    arguments = to_json(call.arguments).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _result(result: ToolResult) -> dict[str, Any]:
    return {"tool_call_id": result.tool_call_id}
