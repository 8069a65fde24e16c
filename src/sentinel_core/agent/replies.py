"""What a model's reply means for the loop: pure functions of the reply."""

from collections.abc import Iterable
from types import NoneType
from typing import get_args

import attrs

from sentinel_core.agent.events import Outcome
from sentinel_core.evaluate.evaluator import refused_type
from sentinel_core.model import Reply, StopReason
from sentinel_core.trace import Message, TokenUsage, ToolCall

__all__ = ["misfit_of", "outcome_of", "with_unique_call_ids"]

_OF_A_REPLY: dict[str, tuple[type, ...]] = {
    "content": (str,),
    "tool_calls": (tuple, list),
    "usage": (TokenUsage, NoneType),
    "model": (str, NoneType),
    "cost_usd": (float, int, NoneType),
}
_OF_A_CALL: dict[str, type] = {"id": str, "name": str, "arguments": dict}

_CUT_OFF: dict[StopReason, Outcome] = {
    "max_tokens": "truncated",
    "refusal": "refused",
    "content_filter": "filtered",
}


def misfit_of(reply: object) -> str:
    """In words what a provider gave instead of a reply, or which field of it is not what it must be; nothing where all is well."""
    if not isinstance(reply, Reply):
        return f"a {refused_type(reply)} instead of a Reply"
    for name, expected in _OF_A_REPLY.items():
        if not isinstance(value := getattr(reply, name), expected):
            return f"a Reply whose {name} is a {type(value).__name__}"
    if reply.stop_reason not in get_args(StopReason):
        return f"a Reply whose stop_reason is {reply.stop_reason!r:.40}; it must be one of {', '.join(get_args(StopReason))}"
    calls: Iterable[object] = reply.tool_calls
    for call in calls:
        if not isinstance(call, ToolCall):
            return f"a Reply whose tool_calls hold a {type(call).__name__} instead of a ToolCall"
        for name, kind in _OF_A_CALL.items():
            if not isinstance(value := getattr(call, name), kind):
                return f"a Reply with a call whose {name} is a {type(value).__name__}; it must be a {kind.__name__}"
    return ""


def outcome_of(reply: Reply) -> Outcome | None:
    """How the run ends with this reply; None where its tool calls are to be run first."""
    cut_off = _CUT_OFF.get(reply.stop_reason)
    if cut_off is not None:
        return cut_off
    return None if reply.tool_calls else "completed"


def with_unique_call_ids(reply: Reply, earlier: Iterable[Message]) -> Reply:
    """The reply with a new id for each call whose id is empty or taken, so that results can be told apart."""
    if not reply.tool_calls:
        return reply
    taken = {call.id for message in earlier for call in message.tool_calls}
    return attrs.evolve(reply, tool_calls=tuple(_unique(call, taken) for call in reply.tool_calls))


def _unique(call: ToolCall, taken: set[str]) -> ToolCall:
    call_id, number = call.id, len(taken)
    while not call_id or call_id in taken:
        number += 1
        call_id = f"call-{number}"
    taken.add(call_id)
    return call if call_id == call.id else attrs.evolve(call, id=call_id)
