"""Guided mode: one tool offered a step, for models too small to plan. Pure functions."""

from collections.abc import Sequence

import attrs

from sentinel_core.agent.prompts import reminder
from sentinel_core.model import ToolChoice
from sentinel_core.offers import Tool
from sentinel_core.trace import Message

__all__ = ["Offer", "offer_for", "reminder_for"]

_MAX_REMINDERS = 2


@attrs.frozen
class Offer:
    """The tools that the model may call in a turn; ``step`` is the one that it must call, None if it is free."""

    tools: tuple[Tool, ...]
    choice: ToolChoice = "auto"
    step: str | None = None

    def has(self, name: str) -> bool:
        """False for a tool of another step; without guided mode always True, and the toolbox decides."""
        return self.choice == "auto" or any(tool.name == name for tool in self.tools)

    def refusal(self, name: str) -> str:
        """The result of a call to another tool."""
        then = "answer in text now" if self.step is None else f"call {self.step}"
        return f'"{name}" is not available in this step; {then}'


def offer_for(tools: tuple[Tool, ...], steps: Sequence[str], messages: Sequence[Message]) -> Offer:
    """Without steps every tool; else the tool of the first step that has not succeeded yet, and none after the last."""
    if not steps:
        return Offer(tools)
    done = _succeeded(messages)
    for step in steps:
        wanted = tuple(tool for tool in tools if tool.name == step)
        if wanted and step not in done:
            return Offer(wanted, "required", step)
    return Offer((), "none")


def reminder_for(offer: Offer, messages: Sequence[Message]) -> str | None:
    """The reminder for a model that gave a text instead of the step's call; None after ``_MAX_REMINDERS``."""
    if offer.step is None:
        return None
    text = reminder(offer.step)
    sent = sum(message.role == "user" and message.content == text for message in messages)
    return text if sent < _MAX_REMINDERS else None


def _succeeded(messages: Sequence[Message]) -> set[str]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    results = [result for message in messages for result in message.tool_results]
    return {names[result.tool_call_id] for result in results if result.success and result.tool_call_id in names}
