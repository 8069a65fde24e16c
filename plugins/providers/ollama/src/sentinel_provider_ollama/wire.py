"""Builds requests to Ollama's ``/api/chat``."""

from typing import Any

from sentinel_core.model import Request
from sentinel_core.providers.requests import chat_messages
from sentinel_core.providers.requests import function_tools as format_tools_for_provider
from sentinel_core.trace import ToolCall

__all__ = ["body_of", "format_tools_for_provider"]


def body_of(request: Request, model: str, *, num_ctx: int, stream: bool) -> dict[str, Any]:
    """The body of one request. Ollama cannot be told to require or forbid a call; to forbid it, no tools are sent."""
    options: dict[str, Any] = {"num_ctx": num_ctx}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.max_tokens is not None:
        options["num_predict"] = request.max_tokens
    body: dict[str, Any] = {"model": model, "messages": _messages(request), "stream": stream, "options": options}
    if request.tools and request.tool_choice != "none":
        body["tools"] = format_tools_for_provider(request.tools)
    return body


def _messages(request: Request) -> list[dict[str, Any]]:
    """The messages; a result has the tool's name, because Ollama's calls have no ids."""
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    return list(
        chat_messages(request, call=_call, result=lambda result: {"tool_name": names.get(result.tool_call_id, "")})
    )


def _call(call: ToolCall) -> dict[str, Any]:
    return {"function": {"name": call.name, "arguments": call.arguments}}
