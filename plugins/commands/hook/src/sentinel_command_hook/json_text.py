"""Where the values of a JSON text stand, so that a change touches only its own characters.

Comments and commas before a closing bracket are read over, as coding agents that allow them do. Numbers stay unread: no
number has to fit a float. No library of Python's keeps the text: ``json`` and its replacements give values alone, those for
JSON5 and HuJSON write a document anew, and tree-sitter's spans need a compiled grammar for what one expression finds.
"""

import json
import re
from collections.abc import Callable
from typing import TypeVar

import attrs

__all__ = ["Array", "Member", "Node", "Object", "gap_end", "parsed"]

_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"')
_OTHER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z.+-])|(?:true|false|null)(?!\w)")
_DEEPEST = 200

_Part = TypeVar("_Part", "Node", "Member")


@attrs.frozen
class Node:
    """A value from ``start`` to ``end``. ``text`` is that of a string, and None for all others."""

    start: int
    end: int
    text: str | None = None


@attrs.frozen
class Member:
    """A key and its value; it starts where the key does."""

    key: str
    start: int
    value: Node

    @property
    def end(self) -> int:
        """Where the value ends."""
        return self.value.end


@attrs.frozen
class Object(Node):
    """An object."""

    members: tuple[Member, ...] = ()

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        return next((member.value for member in self.members if member.key == key), None)


@attrs.frozen
class Array(Node):
    """A list."""

    items: tuple[Node, ...] = ()


def gap_end(text: str, at: int) -> int:
    """Where white space and comments from ``at`` on end."""
    found = _GAP.match(text, at)
    return at if found is None else found.end()


def parsed(text: str, start: int = 0) -> Node:
    """The value that a text consists of, from ``start`` on. Raises ``ValueError``, which says where."""
    parser = _Parser(text)
    node = parser.value(parser.gap(start), 0)
    end = parser.gap(node.end)
    if end < len(text):
        raise parser.error("more after the end", end)
    return node


@attrs.frozen
class _Parser:
    text: str

    def gap(self, at: int) -> int:
        return gap_end(self.text, at)

    def error(self, what: str, at: int) -> ValueError:
        before = self.text[:at]
        return ValueError(f"{what} at line {before.count(chr(10)) + 1}, column {at - before.rfind(chr(10))}")

    def value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.error(f"more than {_DEEPEST} levels", at)
        sign = self.text[at : at + 1]
        if sign == "{":
            members, end = self._parts(at, "}", lambda place: self._member(place, depth + 1))
            if len({member.key for member in members}) < len(members):
                raise self.error("a key occurs twice in one object", at)
            return Object(at, end, members=members)
        if sign == "[":
            items, end = self._parts(at, "]", lambda place: self.value(place, depth + 1))
            return Array(at, end, items=items)
        if sign == '"':
            return self._string(at)
        found = _OTHER.match(self.text, at)
        if found is None:
            raise self.error("no value", at)
        return Node(at, found.end())

    def _string(self, at: int) -> Node:
        found = _STRING.match(self.text, at)
        if found is None:
            raise self.error("no string", at)
        return Node(at, found.end(), json.loads(found[0]))

    def _member(self, at: int, depth: int) -> Member:
        key = self._string(at)
        colon = self.gap(key.end)
        if self.text[colon : colon + 1] != ":":
            raise self.error('no ":"', colon)
        return Member(key.text or "", at, self.value(self.gap(colon + 1), depth))

    def _parts(self, at: int, closing: str, read: Callable[[int], _Part]) -> tuple[tuple[_Part, ...], int]:
        """What is between brackets, and where they end."""
        found: list[_Part] = []
        at = self.gap(at + 1)
        while self.text[at : at + 1] != closing:
            found.append(read(at))
            at = self.gap(found[-1].end)
            if self.text[at : at + 1] == ",":
                at = self.gap(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self.error(f'no "," or "{closing}"', at)
        return tuple(found), at + 1
