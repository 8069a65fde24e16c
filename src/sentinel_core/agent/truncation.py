"""Long texts cut so that both ends stay: a tool's result at its limit, and results that do not fit the context.

A result that is JSON stays JSON at its limit: its long lists and objects lose their ends, and its long texts their middles.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import attrs

from sentinel_core.trace import Message, from_json, to_json

__all__ = ["capped", "shorten"]

_LEAST = 200  # characters of a result that are always left
_LONGEST_JSON = 2_000_000  # characters; what is longer is cut as text
_FIRST_TRY = 256  # keys of an object
_KEYS_AN_ELEMENT = 8  # so many keys of an object are kept for each element of a list: one key is seldom as another


def capped(text: str, limit: int) -> tuple[str, dict[str, Any]]:
    """A tool's result cut at ``limit`` characters, and what its metadata says of the whole: its SHA-256 and length."""
    if len(text) <= limit:
        return text, {}
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _as_json(text, limit) or _cut(text, limit), {"cut": True, "full_chars": len(text), "full_sha256": digest}


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


def _as_json(text: str, limit: int) -> str | None:
    """The JSON document with as much in it as fits; None for what is none or very long, and where nothing of it fits."""
    try:
        document = from_json(text) if len(text) <= _LONGEST_JSON else None
        return _as_much_as_fits(document, limit) if isinstance(document, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _as_much_as_fits(document: Any, limit: int) -> str | None:
    """Twice as much until it does not fit or is all there; a quarter of it while not even the first try fits."""
    fits, most = None, _FIRST_TRY
    while most:
        shorter = to_json(_with_less(document, most, iter(range(limit)))).decode()
        is_too_long = len(shorter) > limit
        if is_too_long and fits is None:
            most //= 4
        elif is_too_long or shorter == fits:
            break
        else:
            fits, most = shorter, most * 2
    return fits


def _with_less(value: Any, most: int, room: Iterator[int]) -> Any:
    """At most so many keys and characters. ``room`` is for as many values as there may be characters: more never fit."""
    if next(room, None) is None:
        return None
    if isinstance(value, str):
        return _cut(value, max(most, _LEAST))
    if isinstance(value, dict):
        less = {key: _with_less(inner, most, room) for key, inner in islice(value.items(), most)}
        return less | dict.fromkeys(_left_out(len(value), most))
    if isinstance(value, list):
        kept = max(1, most // _KEYS_AN_ELEMENT)
        return [*(_with_less(inner, most, room) for inner in value[:kept]), *_left_out(len(value), kept)]
    return value


def _left_out(of: int, kept: int) -> list[str]:
    return [f"[cut at max_result_chars: {of - kept} of {of} left out]"] if of > kept else []


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
