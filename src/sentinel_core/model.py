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
    """What a model accepts. ``context_window`` is in tokens; prices are US dollars a million tokens; None is unknown."""

    tools: bool = True
    vision: bool = False
    streaming: bool = False
    sampling: bool = True
    context_window: int | None = None
    prompt_price: float | None = None
    completion_price: float | None = None


@attrs.frozen(kw_only=True)
class Request:
    """One question to a model: the system prompt, the conversation so far (oldest first), and the tools on offer.

    ``tool_choice`` is ``auto``, ``required`` (some tool on offer must be called) or ``none``. ``timeout`` is the most
    seconds that the whole call may take, None being the provider's own limit.
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
    """A model's whole answer. ``usage`` is None where the provider reports none; ``cost_usd`` likewise."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    stop_reason: StopReason = "end_turn"
    usage: TokenUsage | None = None
    model: str | None = None
    cost_usd: float | None = None


@runtime_checkable
class Model(Protocol):
    """What ``Provider.connect`` returns. Every failure of ``complete`` is a ``ModelError``.

    Where it has an attribute ``model``, that is the id of the model that it asks, and is kept in the record.
    """

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer; pieces of text go to ``on_text`` as they come, where the provider streams."""

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """How many tokens these messages are, about; never asks the network."""

    def get_capabilities(self) -> Capabilities:
        """What this model accepts."""

    def close(self) -> None:
        """Give back connections. Calling it twice is no error."""
