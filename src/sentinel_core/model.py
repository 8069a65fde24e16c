"""The interface between the agent and a language model: requests, replies, and what a provider must offer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol, runtime_checkable

import attrs

from sentinel_core.offers import Tool
from sentinel_core.trace import Message, TokenUsage, ToolCall, canonical

__all__ = [
    "Capabilities",
    "Model",
    "Reply",
    "Request",
    "StopReason",
    "ToolChoice",
    "estimate_overhead",
    "estimate_tokens",
]

ToolChoice = Literal["auto", "required", "none"]
StopReason = Literal["end_turn", "tool_calls", "max_tokens", "refusal", "content_filter"]


@attrs.frozen(kw_only=True)
class Capabilities:
    """What a model accepts. ``context_window`` is in tokens; prices are in US dollars per million tokens; None means unknown."""

    tools: bool = True
    vision: bool = False
    streaming: bool = False
    sampling: bool = True
    context_window: int | None = None
    prompt_price: float | None = None
    completion_price: float | None = None


@attrs.frozen(kw_only=True)
class Request:
    """One request to a model: the system prompt, the conversation so far (oldest first), and the available tools.

    ``tool_choice`` is ``auto``, ``required`` (one of the tools must be called) or ``none``. ``timeout`` is the time
    limit for the whole call in seconds; None means the provider's own limit.
    """

    system_prompt: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    tool_choice: ToolChoice = "auto"
    timeout: float | None = None


@attrs.frozen(kw_only=True)
class Reply:
    """A model's whole answer. ``usage`` and ``cost_usd`` are None if the provider does not report them."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    stop_reason: StopReason = "end_turn"
    usage: TokenUsage | None = None
    model: str | None = None
    cost_usd: float | None = None


@runtime_checkable
class Model(Protocol):
    """What ``Provider.connect`` returns. Every failure of ``complete`` is a ``ModelError``.

    If it has an attribute ``model``, this is the id of the model that it calls, and is stored in the record.
    """

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer the request. If the provider streams, pieces of text go to ``on_text`` as they arrive."""

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """An estimate of the tokens in these messages; never uses the network."""

    def get_capabilities(self) -> Capabilities:
        """What this model accepts."""

    def close(self) -> None:
        """Release connections. Calling it twice is not an error."""


# Bytes of UTF-8 per token, times ten, to stay in integers; prose has more bytes per token than JSON.
_TEXT_BYTES_X10 = 36
_JSON_BYTES_X10 = 30
_PER_MESSAGE = 4


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Estimated tokens of the messages: UTF-8 bytes / 3.6 of text, / 3.0 of call arguments, and 4 per message."""
    return sum(map(_message_tokens, messages))


def estimate_overhead(system_prompt: str, tools: Iterable[Tool]) -> int:
    """Estimated tokens of a request beside its messages: the system prompt and the tools' descriptions."""
    json = sum(len(canonical([tool.name, tool.description, tool.parameters])) for tool in tools)
    return _PER_MESSAGE + -(-_size(system_prompt) * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _message_tokens(message: Message) -> int:
    texts = [message.content or "", *(result.content for result in message.tool_results)]
    text = sum(_size(part) for part in texts)
    json = sum(_size(call.name) + len(canonical(call.arguments)) for call in message.tool_calls)
    return _PER_MESSAGE + -(-text * 10 // _TEXT_BYTES_X10) + -(-json * 10 // _JSON_BYTES_X10)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
