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
    """The system prompt and the messages, each tool result as a message of its own.

    ``call`` makes an entry of an assistant's ``tool_calls``; ``result`` makes the fields that link a result to its call.
    """
    if request.system_prompt:
        yield {"role": "system", "content": request.system_prompt}
    for message in request.messages:
        if message.role == "assistant":
            yield _assistant(message, call)
            continue
        for answer in message.tool_results:
            yield {"role": "tool", **result(answer), "content": answer.content}
        if message.content is not None:
            yield {"role": "system" if message.role == "system" else "user", "content": message.content}


def _assistant(message: Message, call: CallPart) -> dict[str, Any]:
    part: dict[str, Any] = {"role": "assistant", "content": message.content or ""}
    if message.tool_calls:
        part["tool_calls"] = [call(tool_call) for tool_call in message.tool_calls]
    return part
