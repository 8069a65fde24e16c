"""Two runs step by step: which messages of theirs belong beside each other, and in what they differ."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, NamedTuple

__all__ = ["Pair", "aligned", "first_divergence"]

_MOST_WORK = 1_000_000  # pairs of equal steps; runs with more are paired by position

_Message = Mapping[str, Any]


class Pair(NamedTuple):
    """A message of each run, or of one alone; ``differs`` names what is not the same: step, role, calls, results, text."""

    left: int | None
    right: int | None
    differs: tuple[str, ...]


def aligned(left: Sequence[_Message], right: Sequence[_Message]) -> list[Pair]:
    """All messages of both runs, as the page's view has them, in order."""
    return [_pair(left, right, one, other) for one, other in _places(_keys(left), _keys(right))]


def first_divergence(pairs: Sequence[Pair]) -> int | None:
    """The first pair that does something else or gets something else back; failing that, the first with another text."""
    did = (place for place, pair in enumerate(pairs) if {"step", "calls", "results"}.intersection(pair.differs))
    said = (place for place, pair in enumerate(pairs) if pair.differs)
    return next(did, next(said, None))


def _places(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[tuple[int | None, int | None]]:
    counts, others = Counter(left), Counter(right)
    if sum(number * others[key] for key, number in counts.items()) > _MOST_WORK:
        yield from zip_longest(range(len(left)), range(len(right)))
        return
    for _, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        yield from zip_longest(range(a, b), range(c, d))


def _keys(messages: Sequence[_Message]) -> list[Hashable]:
    """What makes two steps the same step: who speaks, and what is called or answered; not the words."""
    asked = [repr(_calls(message)) for message in messages]
    return [
        (
            message["role"],
            asked[place],
            tuple(asked[one["asked"]] if "asked" in one else "" for one in message.get("results", ())),
        )
        for place, message in enumerate(messages)
    ]


def _pair(left: Sequence[_Message], right: Sequence[_Message], one: int | None, other: int | None) -> Pair:
    if one is None or other is None:
        return Pair(one, other, ("step",))
    a, b = left[one], right[other]
    roles = ("role",) if a["role"] != b["role"] else ()
    return Pair(one, other, (*roles, *(name for name, part in _PARTS.items() if part(a) != part(b))))


def _calls(message: _Message) -> list[object]:
    return [(call["name"], call["arguments"]) for call in message.get("calls", ())]


def _results(message: _Message) -> list[object]:
    return [(result["ok"], result["text"], result.get("tail")) for result in message.get("results", ())]


def _text(message: _Message) -> object:
    return message.get("content")


_PARTS: Mapping[str, Callable[[_Message], object]] = {"calls": _calls, "results": _results, "text": _text}
