"""Long texts cut so that both ends stay: a tool's result at its limit, and results that do not fit the context."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from sentinel_core.trace import Message

__all__ = ["capped", "shorten"]

_LEAST = 200  # characters of a result that are always left


def capped(text: str, limit: int) -> tuple[str, dict[str, Any]]:
    """A tool's result cut at ``limit`` characters, and what its metadata says of the whole: its SHA-256 and length."""
    if len(text) <= limit:
        return text, {}
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _cut(text, limit), {"cut": True, "full_chars": len(text), "full_sha256": digest}


def shorten(
    messages: Sequence[Message], budget: int, estimate: Callable[[Sequence[Message]], int]
) -> tuple[Message, ...]:
    """The messages with their longest tool results halved, again and again, until they fit or no long one is left."""
    shortened = list(messages)
    while estimate(shortened) > budget:
        longest = max(range(len(shortened)), key=lambda place: _longest(shortened[place]))
        limit = _longest(shortened[longest]) // 2
        if limit < _LEAST:
            break
        original = messages[longest]  # cut from the whole again, so that the mark tells its length
        results = tuple(attrs.evolve(result, content=_cut(result.content, limit)) for result in original.tool_results)
        shortened[longest] = attrs.evolve(original, tool_results=results)
    return tuple(shortened)


def _longest(message: Message) -> int:
    return max((len(result.content) for result in message.tool_results), default=0)


def _cut(text: str, limit: int) -> str:
    """At most ``limit`` characters of it: the start, a word on what is missing, and the end."""
    if len(text) <= limit:
        return text
    mark = f"\n[cut: {len(text)} characters in all]\n"
    room = max(0, limit - len(mark))
    head = room - room // 4
    return text[:head] + mark + text[len(text) - (room - head) :]
