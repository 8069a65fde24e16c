"""Builds requests to the Messages API."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentinel_core.model import Request, ToolChoice
from sentinel_core.offers import Tool
from sentinel_core.trace import Message

__all__ = ["body_of", "format_tools_for_provider"]

_CHOICE: Mapping[ToolChoice, str] = {"auto": "auto", "none": "none", "required": "any"}


def format_tools_for_provider(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools in this API's format: name, description, input_schema."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


def body_of(request: Request, model: str, max_tokens: int) -> dict[str, Any]:
    """The arguments of ``messages.create``. No sampling arguments: this API no longer takes a temperature."""
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens or max_tokens,
        "messages": _messages(request.messages),
    }
    if request.system_prompt:
        body["system"] = request.system_prompt
    if request.tools:
        body["tools"] = format_tools_for_provider(request.tools)
        body["tool_choice"] = {"type": _CHOICE[request.tool_choice]}
    return body


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Alternating user and assistant messages: the API wants all results of one turn's calls in one message."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = list(_blocks(message))
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    """Results come first, as the API requires; text of white space only is dropped, as the API refuses it."""
    for result in message.tool_results:
        yield {
            "type": "tool_result",
            "tool_use_id": result.tool_call_id,
            "content": result.content,
            "is_error": result.success is False,
        }
    if message.content and message.content.strip():
        yield {"type": "text", "text": message.content}
    for call in message.tool_calls:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
