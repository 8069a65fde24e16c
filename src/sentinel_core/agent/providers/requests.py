"""Parts of a request that the chat formats of OpenAI's family share."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sentinel_core.model import Request
from sentinel_core.offers import Tool
from sentinel_core.trace import Message, ToolCall, ToolResult

__all__ = ["chat_messages", "function_tools"]

CallPart = Callable[[ToolCall], dict[str, Any]]
ResultPart = Callable[[ToolResult], dict[str, Any]]


def function_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools as a function each, with name, description and parameters."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def chat_messages(request: Request, *, call: CallPart, result: ResultPart) -> Iterator[dict[str, Any]]:
    """The system prompt and the messages, a result being a message of its own.

    ``call`` makes one of an assistant's ``tool_calls``; ``result`` says whose result it is, beside role and content.
    """
    if request.system_prompt:
        yield {"role": "system", "content": request.system_prompt}
    for message in request.messages:
        if message.role == "assistant":
            yield _assistant(message, call)
            continue
        for one in message.tool_results:
            yield {"role": "tool", **result(one), "content": one.content}
        if message.content is not None:
            yield {"role": "system" if message.role == "system" else "user", "content": message.content}


def _assistant(message: Message, call: CallPart) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
    if message.tool_calls:
        said["tool_calls"] = [call(one) for one in message.tool_calls]
    return said
