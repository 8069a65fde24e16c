"""Groups incoming spans that belong together, until a group has been quiet for long enough to be judged.

Spans of one trace id belong together, and so do traces that name the same conversation: many instrumentations give
every call of a model a trace of its own. No clock and no threads here; ``now`` is in seconds.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Generic, TypeVar

import attrs

__all__ = ["Group", "Groups"]

_P = TypeVar("_P")


@attrs.define(eq=False)
class Group(Generic[_P]):
    """Spans that belong together. ``id`` is the first trace id, ``root_id`` the span without a parent, if it has come.

    ``waiting`` is False once the group was handed over; ``rounds`` counts the times.
    """

    id: str
    spans: dict[str, _P] = attrs.field(factory=dict)
    traces: set[str] = attrs.field(factory=set)
    conversation: str | None = None
    root_id: str = ""
    last: float = 0.0
    waiting: bool = True
    rounds: int = 0

    def copy(self) -> "Group[_P]":
        """A copy, to be judged while more spans come in."""
        return attrs.evolve(self, spans=dict(self.spans), traces=set(self.traces))


@attrs.define(eq=False)
class Groups(Generic[_P]):
    """All groups. ``counts`` has spans, duplicates, late and dropped spans, and groups judged or forgotten.

    A group is due ``quiet`` seconds after its last span if its outermost span has come, else after ``patience`` seconds.
    At most ``most_spans`` are held: judged groups are forgotten first, the oldest before the others; if that is not enough,
    all waiting groups are due at once, and further spans are dropped until they are judged. A caller that can make its
    sender wait asks ``has_room`` first. Judged groups are kept for ``keep`` seconds, for late spans.
    """

    quiet: float = 2.0
    patience: float = 60.0
    most_spans: int = 2_000_000
    keep: float = 600.0
    counts: Counter[str] = attrs.field(factory=Counter)
    _of_trace: dict[str, Group[_P]] = attrs.field(factory=dict)
    _of_conversation: dict[str, Group[_P]] = attrs.field(factory=dict)
    _groups: dict[int, Group[_P]] = attrs.field(factory=dict)
    _judged: dict[int, Group[_P]] = attrs.field(factory=dict)
    _held: int = 0
    _crowded: bool = False

    def add(
        self, payload: _P, *, trace_id: str, span_id: str, parent_id: str, conversation: str | None, now: float
    ) -> bool:
        """Add one span; False if it was dropped.

        Of spans with one id the last counts: exporters send again what they are not sure of.
        """
        self.counts["spans"] += 1
        self._make_room(1)
        if self._is_full:
            self.counts["dropped"] += 1
            return False
        group = self._group(trace_id, conversation)
        key = span_id or f"#{self.counts['spans']}"
        if key in group.spans:
            self.counts["duplicates"] += 1
        else:
            self._held += 1
            if not group.waiting:
                self._reopen(group, late=trace_id in group.traces)
        group.spans[key] = payload
        group.traces.add(trace_id)
        group.last = now
        if not parent_id and not group.root_id:
            group.root_id = span_id
        return True

    def due(self, now: float, *, everything: bool = False) -> Iterator[Group[_P]]:
        """Hand over the groups that have been quiet for long enough; their spans are kept for late ones."""
        full = self._is_full or self._crowded
        self._crowded = False
        for group in [group for group in self._judged.values() if group.last + self.keep <= now]:
            self._forget(group)
        for group in list(self._groups.values()):
            is_quiet = group.last + (self.quiet if group.root_id else self.patience) <= now
            if is_quiet or full or everything:
                self.counts["early"] += full and not is_quiet
                self._hand_over(group)
                yield group

    def has_room(self, spans: int) -> bool:
        """Whether there is room for all of these spans now. If not, all waiting groups are due at once.

        If nothing waits there is room, even for more than ``most_spans``: waiting would not help.
        """
        self._make_room(spans)
        if self._held + spans <= self.most_spans or not self._groups:
            return True
        self._crowded = True
        return False

    def hand_over(self, trace_id: str) -> None:
        """Treat the group of this trace as judged, because an earlier process has handed it over."""
        group = self._of_trace.get(trace_id)
        if group is not None and group.waiting:
            self._hand_over(group)

    def take_back(self, trace_id: str) -> None:
        """Treat the group of this trace as not judged, because the process that it was handed over to has died."""
        group = self._of_trace.get(trace_id)
        if group is not None and group.rounds:
            group.rounds -= 1
            group.waiting = True
            self._judged.pop(id(group), None)
            self._groups[id(group)] = group

    def discount(self, group: Group[_P]) -> None:
        """Stop counting a group as judged, because it holds no agent's span."""
        self.counts[_judged(group)] -= 1
        self.counts["rootless"] -= not group.root_id
        self.counts["no agent"] += 1
        if (kept := self._of_trace.get(group.id)) is not None:
            kept.rounds -= 1

    @property
    def waiting(self) -> int:
        """How many groups have not been handed over."""
        return len(self._groups)

    @property
    def _is_full(self) -> bool:
        """Whether no span is taken until a group was judged."""
        return self._held >= self.most_spans and not self._judged

    def _group(self, trace_id: str, conversation: str | None) -> Group[_P]:
        group = self._of_trace.get(trace_id)
        known = self._of_conversation.get(conversation) if conversation else None
        if group is None:
            group = known or self._made(trace_id)
            self._of_trace[trace_id] = group
        elif known is not None and known is not group and group.conversation is None:
            group = self._merged(known, group)
        if conversation and group.conversation is None:
            group.conversation = conversation
            self._of_conversation.setdefault(conversation, group)
        return group

    def _made(self, trace_id: str) -> Group[_P]:
        group: Group[_P] = Group(trace_id)
        self._groups[id(group)] = group
        return group

    def _merged(self, group: Group[_P], other: Group[_P]) -> Group[_P]:
        """Merge two traces that turn out to be one conversation."""
        if not group.waiting:
            self._reopen(group, late=False)
        self._held -= len(group.spans.keys() & other.spans.keys())
        group.spans.update(other.spans)
        group.traces |= other.traces
        group.root_id = group.root_id or other.root_id
        for trace_id in other.traces:
            self._of_trace[trace_id] = group
        self._groups.pop(id(other), None)
        self._judged.pop(id(other), None)
        return group

    def _reopen(self, group: Group[_P], *, late: bool) -> None:
        """A span came after the group was judged: the whole group is judged again."""
        self.counts["late" if late else "continued"] += 1
        group.waiting = True
        self._judged.pop(id(group), None)
        self._groups[id(group)] = group

    def _hand_over(self, group: Group[_P]) -> None:
        group.waiting = False
        group.rounds += 1
        self.counts[_judged(group)] += 1
        self.counts["rootless"] += not group.root_id
        self._groups.pop(id(group), None)
        self._judged[id(group)] = group

    def _make_room(self, spans: int) -> None:
        while self._held + spans > self.most_spans and self._judged:
            self._forget(next(iter(self._judged.values())))

    def _forget(self, group: Group[_P]) -> None:
        self._judged.pop(id(group))
        self._held -= len(group.spans)
        self.counts["forgotten"] += 1
        for trace_id in group.traces:
            self._of_trace.pop(trace_id, None)
        if group.conversation and self._of_conversation.get(group.conversation) is group:
            del self._of_conversation[group.conversation]


def _judged(group: Group[_P]) -> str:
    """The counter of a group that was handed over."""
    return "judged" if group.rounds == 1 else "judged_again"
