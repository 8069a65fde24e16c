"""Whether a provider's reply is one."""

from types import NoneType
from typing import TYPE_CHECKING, get_args

from sentinel_core.evaluate.foreign import refused_type
from sentinel_core.model import Reply, StopReason
from sentinel_core.trace import TokenUsage, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["misfit_of"]

_OF_A_REPLY: dict[str, tuple[type, ...]] = {
    "content": (str,),
    "tool_calls": (tuple, list),
    "usage": (TokenUsage, NoneType),
    "model": (str, NoneType),
    "cost_usd": (float, int, NoneType),
}
_OF_A_CALL: dict[str, type] = {"id": str, "name": str, "arguments": dict}


def misfit_of(reply: object) -> str:
    """What a provider gave instead of a reply, or which field has the wrong type, in words; empty for a sound reply."""
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
            return f"a Reply whose tool_calls contain a {type(call).__name__} instead of a ToolCall"
        for name, kind in _OF_A_CALL.items():
            if not isinstance(value := getattr(call, name), kind):
                return f"a Reply with a call whose {name} is a {type(value).__name__}; it must be a {kind.__name__}"
    return ""
