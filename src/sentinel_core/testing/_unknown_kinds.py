"""Files of a format in which a call stands in a part, an event or a place that nobody knows."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sentinel_core.trace import GAPS, ExecutionTrace, reading_remarks

__all__ = ["Unknown", "calls_in", "files_with_unknown_kinds", "is_told"]

_UNKNOWN = "xUnknown"
_KIND = re.compile(r"(?i)(?:.*[_.-])?(?:types?|kind|event|role|op|operation|source)")
_WORD = re.compile(r"[\w.:/-]{1,60}")

Path = tuple[str | int, ...]


class Unknown(NamedTuple):
    """A file, and what was changed in it."""

    data: bytes
    place: str


def calls_in(outcomes: list[Any]) -> int:
    """How many calls the traces and their sub-agents hold."""
    return sum(_calls(outcome) for outcome in outcomes if isinstance(outcome, ExecutionTrace))


def _calls(trace: ExecutionTrace) -> int:
    children = () if trace.details is None else trace.details.children
    return sum(len(message.tool_calls) for message in trace.messages) + sum(map(_calls, children))


def is_told(outcomes: list[Any]) -> bool:
    """True if a record was refused, or a trace says that it could not be read completely."""
    return not outcomes or any(
        not isinstance(outcome, ExecutionTrace) or reading_remarks(outcome, GAPS) for outcome in outcomes
    )


def files_with_unknown_kinds(sample: bytes, outcomes: list[Any]) -> Iterator[Unknown]:
    """The sample, changed in one place each: around a call, a kind is another word, or a key is another one.

    Nothing for what is not JSON. Of places that differ only by their positions in lists, the first.
    """
    names = {name for outcome in outcomes if isinstance(outcome, ExecutionTrace) for name in _names(outcome)}
    documents = _documents(sample)
    seen = set[tuple[str, ...]]()
    for at, document in enumerate(documents):
        for path in _paths(document, names, ()):
            for change, changed in _changes(document, path):
                kind = tuple(step for step in change if isinstance(step, str))
                if kind not in seen:
                    seen.add(kind)
                    rest = [*documents[:at], changed, *documents[at + 1 :]]
                    data = "\n".join(json.dumps(one, ensure_ascii=False) for one in rest).encode()
                    yield Unknown(data, f"{at}: {'.'.join(map(str, change))}")


def _names(trace: ExecutionTrace) -> Iterator[str]:
    yield from (call.name for message in trace.messages for call in message.tool_calls if call.name)
    for child in () if trace.details is None else trace.details.children:
        yield from _names(child)


def _documents(sample: bytes) -> list[Any]:
    """The one JSON value, or those of the lines."""
    for texts in ([sample], sample.splitlines()):
        try:
            return [json.loads(text) for text in texts if text.strip()]
        except ValueError:
            continue
    return []


def _paths(value: Any, names: set[str], path: Path) -> Iterator[Path]:
    """Where a call's name stands."""
    if isinstance(value, str) and value in names:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _paths(inner, names, (*path, key))


def _changes(document: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Each change on the way to a place, with what it changes."""
    value = document
    for depth, step in enumerate(path):
        if isinstance(value, dict):
            yield path[: depth + 1], _replaced(document, path[:depth], _renamed(value, str(step)))
            for key in value:
                if _KIND.fullmatch(key) and isinstance(value[key], str) and _WORD.fullmatch(value[key]):
                    changed = {**value, key: _UNKNOWN}
                    yield (*path[:depth], f"{key}={value[key]}"), _replaced(document, path[:depth], changed)
        value = value[step]


def _renamed(value: dict[str, Any], name: str) -> dict[str, Any]:
    return {_UNKNOWN if key == name else key: inner for key, inner in value.items()}


def _replaced(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _replaced(value[path[0]], path[1:], new)
    return copy
