"""Maps the role names of every provider to a role, and reports unknown names."""

from collections.abc import Mapping
from typing import Any

from sentinel_core.runtime.printable import counted
from sentinel_core.trace import Role

__all__ = ["ROLES", "role_gaps", "role_of"]

_MOST_NAMED = 5
_LONGEST = 40
_NO_ROLES = frozenset(("chat", "constructor", "generic", "message"))  # types of messages of any role

ROLES: Mapping[str, Role] = {
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "agent": "assistant",
    "assistant": "assistant",
    "chatbot": "assistant",
    "chatmessage": "assistant",
    "developer": "system",
    "function": "tool",
    "functionmessage": "tool",
    "gemini": "assistant",
    "human": "user",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "model": "assistant",
    "system": "system",
    "systemmessage": "system",
    "tool": "tool",
    "toolmessage": "tool",
    "toolmessagechunk": "tool",
    "user": "user",
}


def role_of(message: Mapping[str, Any], default: Role) -> tuple[Role, str | None]:
    """The role of a message, else ``default``; and the role that it names if that is unknown."""
    for key in ("role", "type", "source", "author"):
        value = message.get(key)
        if isinstance(value, str) and (role := ROLES.get(value) or ROLES.get(value.lower())) is not None:
            return role, None
    name = next(filter(None, map(message.get, ("role", "type"))), None)
    return default, name[:_LONGEST] if isinstance(name, str) and name not in _NO_ROLES else None


def role_gaps(counts: Mapping[str, int]) -> list[str]:
    """One sentence for each of the first few unknown roles."""
    gaps = [
        f'{counted(count, "message")} with the unknown role "{role}"'
        for role, count in list(counts.items())[:_MOST_NAMED]
    ]
    more = len(counts) - _MOST_NAMED
    return [*gaps, f"and {more} more unknown roles"] if more > 0 else gaps
