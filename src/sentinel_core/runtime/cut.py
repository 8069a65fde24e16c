"""Cuts a long text in the middle, or a JSON document to as much as fits."""

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sentinel_core.trace import from_json, to_json

__all__ = ["LEAST", "capped", "cut"]

LEAST = 200  # characters of a result that are always left
_LONGEST_JSON = 2_000_000  # characters; what is longer is cut as text
_FIRST_TRY = 256  # keys of an object
_KEYS_AN_ELEMENT = 8  # keys of an object kept for each kept element of a list: keys differ more than elements do


def capped(text: str, limit: int) -> tuple[str, dict[str, Any]]:
    """A tool's result cut to ``limit`` characters, and metadata on the whole: its SHA-256 and length."""
    if len(text) <= limit:
        return text, {}
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _as_json(text, limit) or cut(text, limit), {"cut": True, "full_chars": len(text), "full_sha256": digest}


def _as_json(text: str, limit: int) -> str | None:
    """The JSON document with as much in it as fits; None for other texts, very long ones, and if nothing fits."""
    try:
        document = from_json(text) if len(text) <= _LONGEST_JSON else None
        return _as_much_as_fits(document, limit) if isinstance(document, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _as_much_as_fits(document: Any, limit: int) -> str | None:
    """Doubles the number of keys until it does not fit or is complete; divides by 4 while the first try does not fit."""
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
    """At most ``most`` keys and characters. ``room`` ends after ``limit`` values, because more can never fit."""
    if next(room, None) is None:
        return None
    if isinstance(value, str):
        return cut(value, max(most, LEAST))
    if isinstance(value, dict):
        less = {key: _with_less(inner, most, room) for key, inner in islice(value.items(), most)}
        return less | dict.fromkeys(_left_out(len(value), most))
    if isinstance(value, list):
        kept = max(1, most // _KEYS_AN_ELEMENT)
        return [*(_with_less(inner, most, room) for inner in value[:kept]), *_left_out(len(value), kept)]
    return value


def _left_out(of: int, kept: int) -> list[str]:
    return [f"[cut at max_result_chars: {of - kept} of {of} left out]"] if of > kept else []


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters: the start, a mark with the full length, and the end."""
    if len(text) <= limit:
        return text
    mark = f"\n[cut: {len(text)} characters in all]\n"
    room = max(0, limit - len(mark))
    head = room - room // 4
    return text[:head] + mark + text[len(text) - (room - head) :]
