"""A request as chat completions want it."""

from collections.abc import Iterable, Iterator
from typing import Any

from sentinel_core.model import Request
from sentinel_core.offers import Tool
from sentinel_core.trace import Message, ToolCall, to_json

__all__ = ["body_of", "format_tools_for_provider"]


def format_tools_for_provider(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools as chat completions take them: a function each, with name, description and parameters."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def body_of(request: Request, model: str, *, limit_name: str, stream: bool) -> dict[str, Any]:
    """The arguments of ``chat.completions.create``; ``limit_name`` is what the server calls the most tokens of a reply."""
    body: dict[str, Any] = {"model": model, "messages": list(_messages(request))}
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


def _messages(request: Request) -> Iterator[dict[str, Any]]:
    if request.system_prompt:
        yield {"role": "system", "content": request.system_prompt}
    for message in request.messages:
        if message.role == "assistant":
            yield _assistant(message)
            continue
        for result in message.tool_results:
            yield {"role": "tool", "tool_call_id": result.tool_call_id, "content": result.content}
        if message.content is not None:
            yield {"role": "system" if message.role == "system" else "user", "content": message.content}


def _assistant(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
    if message.tool_calls:
        said["tool_calls"] = [_call(call) for call in message.tool_calls]
    return said


def _call(call: ToolCall) -> dict[str, Any]:
    """Arguments that were no JSON go back as ``{}``: servers that parse them would refuse the whole conversation."""
    arguments = to_json(call.arguments).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
