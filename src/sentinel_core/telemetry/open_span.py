"""Spans in the making, and the state of the fold that makes them."""

import attrs

from sentinel_core.agent.events import Event, RunStarted
from sentinel_core.agent.otel_ids import span_id_of
from sentinel_core.telemetry.content import clean_text
from sentinel_core.telemetry.data import INTERNAL, Attribute, SpanEvent

__all__ = ["Draft", "Fold"]

Told = dict[str, Attribute | None]


@attrs.define(eq=False)
class Draft:
    """A span that may still be open. An attribute that is None is left out in the end."""

    span_id: str
    parent_id: str
    name: str
    start: int
    kind: int
    attributes: Told
    end: int | None = None
    events: list[SpanEvent] = attrs.field(factory=list)
    failed: bool = False
    problem: str = ""

    def fail(self, kind: str, problem: str | None) -> None:
        """Give it an error status and the kind of error."""
        self.failed, self.problem = True, clean_text(problem or "")
        self.attributes["error.type"] = kind


@attrs.define(eq=False, kw_only=True)
class Fold:
    """Where the fold stands. ``now`` is the time of the event at hand; ``open`` are spans by what they stand for.

    ``inputs`` are the conversation's messages so far, as JSON text each.
    """

    record: tuple[Event, ...]
    first: RunStarted
    trace_id: str
    now: int = 0
    drafts: list[Draft] = attrs.field(factory=list)
    open: dict[str, Draft] = attrs.field(factory=dict)
    inputs: list[str] = attrs.field(factory=list)
    run: RunStarted = attrs.field(init=False)
    compacted: bool = False
    context: Told = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.run = self.first

    def start(self, key: object, name: str, parent: Draft | None, *, kind: int = INTERNAL, **told: Attribute) -> Draft:
        """Begin a span; ``key`` names it within the trace."""
        span_id = span_id_of(self.trace_id, key)
        draft = Draft(span_id, "" if parent is None else parent.span_id, name, self.now, kind, {**told})
        self.drafts.append(draft)
        return draft

    def instant(self, key: object, name: str, parent: Draft | None, told: Told) -> Draft:
        """A span that begins and ends with the event at hand."""
        draft = self.start(key, name, parent)
        draft.attributes.update(told)
        draft.end = self.now
        return draft

    def hold(self, role: str, draft: Draft) -> Draft:
        """Keep a span open as ``role``; one that is open so already was interrupted."""
        self.interrupt(role)
        self.open[role] = draft
        return draft

    def close(self, role: str) -> Draft | None:
        """End the span that is open as ``role``, if there is one."""
        draft = self.open.pop(role, None)
        if draft is not None:
            draft.end = self.now
        return draft

    def interrupt(self, role: str) -> None:
        """End what is open as ``role`` without a result."""
        draft = self.close(role)
        if draft is not None:
            draft.attributes["sentinel.interrupted"] = True

    @property
    def parent(self) -> Draft | None:
        """What contains the operations of the run: its agent span, else the outermost."""
        return self.open.get("agent") or self.open.get("workflow")
