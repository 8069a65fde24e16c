"""The interface between the agent and a language model: requests, replies, and what a provider must offer."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, runtime_checkable

import attrs

from sentinel_core.offers import Tool
from sentinel_core.trace import Message, TokenUsage, ToolCall

__all__ = ["Capabilities", "Model", "Reply", "Request", "StopReason", "ToolChoice"]

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
