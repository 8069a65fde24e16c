"""Finds the line at which each element of the lists of a JSON document begins."""

import json
import re
from typing import NamedTuple

__all__ = ["element_lines"]

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_DEEPEST = (
    16  # paths of messages and records are short; the length of a path is bounded, so that hostile keys cost nothing
)
_LONGEST = 200


class _Open(NamedTuple):
    """A container that has begun: its path (None if too deep or too long), and whether it is a list."""

    path: str | None
    is_list: bool


def element_lines(data: bytes | bytearray) -> dict[str, int]:
    """The line, from 1, of each object and list that is an element of a list, by its path (``$.messages[3]``).

    ``data`` is one JSON document; what follows an error in it is left out. Paths deeper than 16 levels are left out too.
    """
    found: dict[str, int] = {}
    stack: list[_Open] = []
    places: list[int] = []  # the position in each open list
    line, counted, key = 1, 0, ""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in (b"[", b"{"):
            path = _path(stack, places, key)
            if stack and stack[-1].is_list and path is not None:
                line, counted = line + data.count(b"\n", counted, match.start()), match.start()
                found[path] = line
            stack.append(_Open(path, token == b"["))
            places.append(0)
        elif token in (b"]", b"}"):
            if not stack:
                break
            stack.pop()
            places.pop()
        elif token == b",":
            if places:
                places[-1] += 1
        elif token != b":" and stack and not stack[-1].is_list:
            key = _name(token)  # of a member; a plain value's text is replaced by the next member's name
    return found


def _path(stack: list[_Open], places: list[int], key: str) -> str | None:
    """The path of the value that begins here."""
    if not stack:
        return "$"
    above = stack[-1].path
    if above is None or len(stack) > _DEEPEST:
        return None
    path = f"{above}[{places[-1]}]" if stack[-1].is_list else f"{above}.{key}"
    return path if len(path) <= _LONGEST else None


def _name(token: bytes) -> str:
    if len(token) > _LONGEST:
        return "?" * _LONGEST
    try:
        return str(json.loads(token))
    except ValueError:
        return ""
