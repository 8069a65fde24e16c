"""What a call was for: the object that its arguments name, and the kind of tool that can do it. Decides what a later success repairs."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sentinel_core.evaluate.shell import command_of, parts_of

if TYPE_CHECKING:
    from sentinel_core import Call
    from sentinel_core.evaluate.tools import ToolFacts

__all__ = ["Achieved"]

_DEEPEST = 4
_LONGEST = 200
_MOST = 40
_SHORTEST_LINE = 8
_NEAREST = 200
"""So many of the later calls may repair one: the work stays linear in the length of the run."""
# A path, or a word with a digit in it: what such arguments name is the object, and other arguments say how.
_NAMING = re.compile(r"(?=[^\s]{2,200}\Z)(?:.*/.*|.*\w\.\w{1,8}|.*\d.*)", re.DOTALL)

_FILE = re.compile(r"\w\.[a-z]\w{0,7}\Z")


class _Purpose(NamedTuple):
    """``objects`` are the words that name what the call is about; ``words`` are all that it was given."""

    objects: frozenset[str]
    words: frozenset[str]
    is_command: bool

    def is_served_by(self, other: "_Purpose") -> bool:
        """True if the other call names at least half of the same objects; of a command, more than half: ``git push`` is not ``git status``."""
        shared = len(self.objects & other.words)
        return 2 * shared > len(self.objects) if self.is_command else 2 * shared >= len(self.objects) > 0


def _purpose(call: "Call", facts: "ToolFacts") -> _Purpose:
    given = call.call.arguments
    command = command_of(given) if facts.runs_anything else None
    if command:
        words = frozenset(_of_command(command))
        return _Purpose(words, words, is_command=True)
    words = frozenset(_of_values(given))
    named = frozenset(word for word in words if _NAMING.match(word))
    return _Purpose(named or words, words, is_command=False)


def _of_command(command: str) -> Iterator[str]:
    for part in parts_of(command)[:_MOST]:
        for word in part.text.split()[:_MOST]:
            bare = word.strip("'\"")
            if bare and not bare.startswith("-"):
                yield _name(bare)


def _of_values(value: Any, depth: int = 0) -> Iterator[str]:
    """Every value of the arguments as a word; of a text in several lines, the lines."""
    if isinstance(value, (dict, list, tuple)):
        for item in list(value.values() if isinstance(value, dict) else value)[:_MOST] if depth < _DEEPEST else ():
            yield from _of_values(item, depth + 1)
    elif isinstance(value, str):
        lines = value.strip().split("\n")
        if len(lines) == 1 and len(value) <= _LONGEST:
            lines = [_name(lines[0])]
        else:
            lines = [line.strip() for line in lines[:_MOST] if len(line.strip()) >= _SHORTEST_LINE]
        yield from filter(None, lines)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _name(word: str) -> str:
    """The last part of a path, because a wrong folder is what agents correct; else the word in lower case."""
    bare = word.strip().rstrip("/").casefold()
    return bare if " " in bare else bare.rpartition("/")[2]


class Achieved:
    """The calls that succeeded after some point of a run, by what they were for."""

    def __init__(self, tools: "dict[str, ToolFacts]") -> None:
        self._tools = tools
        self._calls: list[tuple[str, ToolFacts, _Purpose]] = []
        self._names: set[str] = set()
        self._words: set[str] = set()
        self._looks = self._runs = False

    def add(self, call: "Call") -> None:
        """One more, before those that were added."""
        name, facts = call.call.name, self._tools[call.call.name]
        purpose = _purpose(call, facts)
        self._calls.append((name, facts, purpose))
        self._names.add(name)
        self._words |= purpose.words
        self._looks |= facts.effect == "reads" or facts.runs_anything
        self._runs |= facts.runs_anything

    def repairs(self, call: "Call") -> bool:
        """True if one of them could do what the failed call was for, and was about the same objects.

        A call that was given nothing is repaired by the same tool; if all that it was given is blank, by any.
        """
        name, facts = call.call.name, self._tools[call.call.name]
        purpose = _purpose(call, facts)
        if not purpose.words:
            return bool(self._names) if call.call.arguments else name in self._names
        if self._words.isdisjoint(purpose.objects):
            return False
        return any(
            (other_name == name or _can_do(other, facts, purpose)) and purpose.is_served_by(served)
            for other_name, other, served in self._calls[-_NEAREST:]
        )

    def resembles(self, call: "Call") -> bool:
        """True if one of them was of the same kind, for whatever purpose: the same tool, a look after a look, a command after a command."""
        facts = self._tools[call.call.name]
        return call.call.name in self._names or (
            self._runs if facts.runs_anything else facts.effect == "reads" and self._looks
        )


def _can_do(other: "ToolFacts", wanted: "ToolFacts", purpose: _Purpose) -> bool:
    """True if another tool can do what this one does: look where it looks, run what it runs, change the file that it changes."""
    if wanted.runs_anything or wanted.effect == "reads":
        return other.runs_anything or (other.effect == "reads" and not wanted.runs_anything)
    return other.effect != "reads" and any(map(_FILE.search, purpose.objects))
