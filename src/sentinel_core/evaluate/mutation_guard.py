"""Holds a trace to what it was: signals only read.

Models are frozen, but the arguments and metadata inside them are plain dictionaries, and the index's lists can grow. What
a signal changed is put back, so that the next one sees the trace that was read.
"""

from typing import Any

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import from_json, to_json

__all__ = ["Snapshot"]


class Snapshot:
    """A trace's state: what stands in the index, and all its dictionaries as one JSON list."""

    __slots__ = ("_children", "_dictionaries", "_index", "_lists", "_messages", "_text")

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._messages = index.messages.copy()
        self._lists = _lists(index)
        self._dictionaries = index.held.copy()
        self._text = to_json(self._dictionaries)
        self._children = [Snapshot(child) for child in index.children] if index.children else ()

    def holds(self) -> bool:
        """True where nothing has changed since."""
        try:
            text = to_json(self._dictionaries)
        except Exception:  # noqa: BLE001 - what a signal put in may be of any kind, and fail in any way to be written
            return False
        return (
            text == self._text
            and _lists(self._index) == self._lists
            and self._index.messages == self._messages
            and all(child.holds() for child in self._children)
        )

    def restored(self) -> TraceIndex:
        """Puts every value back and gives a new index over them."""
        for dictionary, kept in zip(self._dictionaries, from_json(self._text), strict=True):
            dictionary.clear()
            dictionary.update(kept)
        return TraceIndex(
            self._index.trace, messages=self._messages, children=[child.restored() for child in self._children]
        )


def _lists(index: TraceIndex) -> tuple[list[Any], ...]:
    calls = index.calls
    results = [call.result for call in calls]
    return calls.copy(), results, index.texts.copy(), index.orphans.copy(), list(index.children)
