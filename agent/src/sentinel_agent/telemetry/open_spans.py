"""Open spans, the state of the fold that builds them, and messages as their attributes, without secrets.

Messages are in the JSON of OpenTelemetry's GenAI conventions.
"""

import functools
from collections.abc import Iterable
from typing import Any

import attrs

from sentinel_agent.events import Event, RunStarted
from sentinel_core.runtime.redact import redact, redact_value
from sentinel_core.telemetry.data import INTERNAL, Attribute, SpanEvent
from sentinel_core.telemetry.names import span_id_of
from sentinel_core.trace import Message, ToolCall, ToolResult, ToolSchema, to_json

__all__ = ["Fold", "OpenAttributes", "OpenSpan", "as_json", "clean_text", "definitions", "message_parts", "window"]

# Long conversations repeat themselves in every request; beyond this many characters only the newest messages are recorded.
_MOST_INPUT = 1 << 16
_SHORTEST_SECRET = 7  # "://a:b@", of all that is taken out


def as_json(value: object) -> str:
    """JSON text of a value, secrets taken out of every string in it."""
    return to_json(redact_value(value, clean_text)).decode()


def clean_text(text: str) -> str:
    """The text without secrets, and without halves of surrogate pairs, which no encoding takes."""
    if len(text) < _SHORTEST_SECRET and text.isascii():
        return text
    return _cleaned(text)


@functools.lru_cache(maxsize=256)
def _cleaned(text: str) -> str:
    """Cached, because a message is on the span that made it and on all later requests."""
    found = redact(text)
    return found if found.isascii() else found.encode("utf-8", "replace").decode()


def message_parts(message: Message) -> dict[str, Any]:
    """One message as the conventions write it; fields that they do not define are added."""
    parts: list[dict[str, Any]] = []
    if message.content is not None:
        parts.append({"type": "text", "content": message.content})
    parts += (_call_part(call, message.timestamp) for call in message.tool_calls)
    parts += (_result_part(result) for result in message.tool_results)
    return {"role": message.role, "parts": parts}


def definitions(tools: Iterable[ToolSchema]) -> str:
    """Tools on offer, as JSON."""
    return as_json(
        [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools
        ]
    )


def window(fragments: list[str]) -> tuple[str, int]:
    """The newest of these messages (JSON text each) as one JSON list, and how many older ones do not fit."""
    size, first = 0, len(fragments)
    while first and (size := size + len(fragments[first - 1])) <= _MOST_INPUT:
        first -= 1
    first = min(first, max(0, len(fragments) - 1))
    return f"[{','.join(fragments[first:])}]", first


def _call_part(call: ToolCall, at: str | None) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments}
    if call.timestamp != at:
        part["timestamp"] = call.timestamp
    if call.details is not None:
        part["raw_arguments"] = call.details.raw_arguments
        part["result_expected"] = call.details.result_expected
    return part


def _result_part(result: ToolResult) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": result.tool_call_id, "response": result.content}


OpenAttributes = dict[str, Attribute | None]


@attrs.define(eq=False)
class OpenSpan:
    """A span that may still be open. Attributes that are None are left out of the finished span."""

    span_id: str
    parent_id: str
    name: str
    start: int
    kind: int
    attributes: OpenAttributes
    end: int | None = None
    events: list[SpanEvent] = attrs.field(factory=list)
    failed: bool = False
    problem: str = ""

    def fail(self, kind: str, problem: str | None) -> None:
        """Set an error status, with the kind of error as ``error.type``."""
        self.failed, self.problem = True, clean_text(problem or "")
        self.attributes["error.type"] = kind


@attrs.define(eq=False, kw_only=True)
class Fold:
    """The state of the fold. ``now`` is the time of the current event; ``open`` holds spans by their role.

    ``inputs`` are the conversation's messages so far, as JSON text each.
    """

    record: tuple[Event, ...]
    first: RunStarted
    trace_id: str
    now: int = 0
    spans: list[OpenSpan] = attrs.field(factory=list)
    open: dict[str, OpenSpan] = attrs.field(factory=dict)
    inputs: list[str] = attrs.field(factory=list)
    run: RunStarted = attrs.field(init=False)
    compacted: bool = False
    context: OpenAttributes = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.run = self.first

    def start(
        self, key: object, name: str, parent: OpenSpan | None, *, kind: int = INTERNAL, **attributes: Attribute
    ) -> OpenSpan:
        """Begin a span; ``key`` names it within the trace."""
        span_id = span_id_of(self.trace_id, key)
        span = OpenSpan(span_id, "" if parent is None else parent.span_id, name, self.now, kind, {**attributes})
        self.spans.append(span)
        return span

    def instant(self, key: object, name: str, parent: OpenSpan | None, attributes: OpenAttributes) -> OpenSpan:
        """A span that begins and ends with the current event."""
        span = self.start(key, name, parent)
        span.attributes.update(attributes)
        span.end = self.now
        return span

    def hold(self, role: str, span: OpenSpan) -> OpenSpan:
        """Keep a span open as ``role``; an earlier span that is still open as ``role`` was interrupted."""
        self.interrupt(role)
        self.open[role] = span
        return span

    def close(self, role: str) -> OpenSpan | None:
        """End the span that is open as ``role``, if there is one."""
        span = self.open.pop(role, None)
        if span is not None:
            span.end = self.now
        return span

    def interrupt(self, role: str) -> None:
        """End the span that is open as ``role`` without a result."""
        span = self.close(role)
        if span is not None:
            span.attributes["sentinel.interrupted"] = True

    @property
    def parent(self) -> OpenSpan | None:
        """The parent of the run's operations: its agent span, else the outermost."""
        return self.open.get("agent") or self.open.get("workflow")
