"""A request as Ollama's ``/api/chat`` wants it."""

from collections.abc import Iterable, Iterator
from typing import Any

from sentinel_core.model import Request
from sentinel_core.offers import Tool
from sentinel_core.trace import Message

__all__ = ["body_of", "format_tools_for_provider"]


def format_tools_for_provider(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools as Ollama takes them: a function each, with name, description and parameters."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def body_of(request: Request, model: str, *, num_ctx: int, stream: bool) -> dict[str, Any]:
    """The body of one request. There is no way to demand or forbid a call: to forbid it, no tool is offered."""
    options: dict[str, Any] = {"num_ctx": num_ctx}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    if request.max_tokens is not None:
        options["num_predict"] = request.max_tokens
    body: dict[str, Any] = {"model": model, "messages": list(_messages(request)), "stream": stream, "options": options}
    if request.tools and request.tool_choice != "none":
        body["tools"] = format_tools_for_provider(request.tools)
    return body


def _messages(request: Request) -> Iterator[dict[str, Any]]:
    """A result names the tool, because Ollama's calls have no ids."""
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    if request.system_prompt:
        yield {"role": "system", "content": request.system_prompt}
    for message in request.messages:
        if message.role == "assistant":
            yield _assistant(message)
            continue
        for result in message.tool_results:
            yield {"role": "tool", "tool_name": names.get(result.tool_call_id, ""), "content": result.content}
        if message.content is not None:
            yield {"role": "system" if message.role == "system" else "user", "content": message.content}


def _assistant(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
    if message.tool_calls:
        said["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls
        ]
    return said
