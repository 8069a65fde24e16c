"""Reads an Inspect sample's events: speakers, costs, times of tools, and the calls that started agents."""

from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.trace import TokenUsage, canonical
from sentinel_core.traces.readers import counted, iso_time, usage_of
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, number
from sentinel_readers_benchmarks.inspect_pool import Attachments, Unseen, ranges

__all__ = ["Said", "Speaker", "ToolRun", "Transcript", "inspect_usage"]

_DEEPEST = 24


@attrs.frozen(kw_only=True)
class Said:
    """A model call that returned a message."""

    model: str | None
    usage: TokenUsage | None
    cost_usd: float | None
    completed: str | None
    duration_ms: float | None


@attrs.frozen(kw_only=True)
class ToolRun:
    """When a tool ran, and how long."""

    started: str | None
    completed: str | None
    duration_ms: float | None


@attrs.define(eq=False)
class Speaker:
    """The main agent, a sub-agent, or the graders (``depth`` -1): its model calls in order."""

    span_id: str = ""
    name: str | None = None
    tool_span: str | None = None
    depth: int = 0
    parent: "Speaker | None" = None
    events: list[dict[str, Any]] = attrs.field(factory=list)
    usages: list[TokenUsage] = attrs.field(factory=list)
    tools: dict[str, Any] = attrs.field(factory=dict)
    said: dict[str, Said] = attrs.field(factory=dict)
    children: "list[Speaker]" = attrs.field(factory=list)

    def take_in(self, other: "Speaker") -> None:
        """Take over another speaker's work."""
        self.usages += other.usages
        self.tools = other.tools | self.tools
        self.said.update(other.said)
        self.children += other.children


class Transcript:
    """A sample's events, read once in order."""

    def __init__(self, sample: dict[str, Any], attachments: Attachments) -> None:
        self.main = Speaker()
        self.runs: dict[str, ToolRun] = {}
        self._attachments = attachments
        self._pool = as_list(as_dict(sample.get("events_data")).get("messages"))
        self._graders = Speaker(depth=-1)
        self._owners: dict[str, Speaker] = {}
        self._tool_spans: dict[str, str | None] = {}
        self._callers: dict[str, str] = {}
        self._speakers: list[Speaker] = []
        self._steps: list[bool] = []
        self._bad = 0
        for event in as_list(sample.get("events")):
            self._note(event)

    def settle(self, main_ids: set[str]) -> None:
        """Merge every agent whose messages are in the conversation into its parent, and give each its sub-agents.

        Innermost first, so that an agent's sub-agents move with it.
        """
        for speaker in reversed(self._speakers):
            parent = speaker.parent or self.main
            spoke = [_output_id(event) for event in speaker.events]
            if not speaker.events or any(message_id in main_ids for message_id in spoke):
                parent.take_in(speaker)
            else:
                parent.children.insert(0, speaker)

    def caller_of(self, speaker: Speaker) -> str | None:
        """The call that started an agent."""
        return self._callers.get(speaker.span_id) or self._callers.get(speaker.tool_span or "")

    def messages_of(self, speaker: Speaker) -> list[Any]:
        """An agent's conversation: each message of its inputs and outputs once, in order."""
        unseen = Unseen()
        known: set[object] = set()
        messages: list[Any] = []
        for event in speaker.events:
            for message in self._heard(event, unseen):
                key = as_text(as_dict(message).get("id")) or canonical(message)
                if key not in known:
                    known.add(key)
                    messages.append(self._attachments.resolved(message))
        return messages

    def gaps(self) -> list[str]:
        """What could not be used."""
        return [counted(self._bad, "event could not be read", "events could not be read")] if self._bad else []

    def _heard(self, event: dict[str, Any], unseen: Unseen) -> Iterator[Any]:
        yield from as_list(event.get("input"))
        for start, stop in ranges(event.get("input_refs"), len(self._pool)):
            for position in unseen.take(start, stop):
                yield self._pool[position]
        output = _output(event)
        if output:
            yield output

    def _note(self, event: object) -> None:
        if not isinstance(event, dict):
            self._bad += 1
            return
        kind = event.get("event")
        if kind == "span_begin":
            self._begin(event)
        elif kind == "step":
            self._step(event)
        elif kind == "model":
            self._model(event)
        elif kind == "tool":
            self._tool(event)

    def _begin(self, event: dict[str, Any]) -> None:
        """A span has the owner of its parent. Parents begin before their spans, so one pass is enough."""
        span_id, parent_id, kind = as_text(event.get("id")), as_text(event.get("parent_id")), event.get("type")
        if span_id is None or span_id in self._owners:
            return
        owner = self._owners.get(parent_id or "", self.main)
        tool_span = self._tool_spans.get(parent_id or "")
        if kind in ("scorer", "scorers"):
            owner = self._graders
        elif kind == "agent" and tool_span is not None and 0 <= owner.depth < _DEEPEST:
            name = as_text(event.get("name"))
            owner = Speaker(span_id=span_id, name=name, tool_span=tool_span, depth=owner.depth + 1, parent=owner)
            self._speakers.append(owner)
            tool_span = None
        self._owners[span_id] = owner
        self._tool_spans[span_id] = span_id if kind == "tool" else tool_span

    def _step(self, event: dict[str, Any]) -> None:
        """Older logs, without spans, mark the graders' part by steps."""
        if event.get("action") == "begin":
            self._steps.append(event.get("type") == "scorer" or event.get("name") == "scorers")
        elif self._steps:
            self._steps.pop()

    def _owner(self, event: dict[str, Any]) -> Speaker:
        if True in self._steps:
            return self._graders
        return self._owners.get(as_text(event.get("span_id")) or "", self.main)

    def _model(self, event: dict[str, Any]) -> None:
        owner = self._owner(event)
        owner.events.append(event)
        output = as_dict(event.get("output"))
        # A reply from Inspect's cache cost nothing in this run.
        usage = None if event.get("cache") == "read" else inspect_usage(output.get("usage"))
        if usage is not None:
            owner.usages.append(usage)
        for tool in map(as_dict, as_list(event.get("tools"))):
            if as_text(tool.get("name")):
                owner.tools[tool["name"]] = owner.tools.get(tool["name"]) or self._attachments.resolved(tool)
        message_id = _output_id(event)
        if message_id is not None:
            owner.said[message_id] = Said(
                model=as_text(output.get("model")) or as_text(event.get("model")),
                usage=usage,
                cost_usd=_cost_of(output.get("usage")) if usage is not None else None,
                completed=iso_time(event.get("completed")) or iso_time(event.get("timestamp")),
                duration_ms=_milliseconds(event.get("working_time", output.get("time"))),
            )

    def _tool(self, event: dict[str, Any]) -> None:
        call_id = as_text(event.get("id"))
        if call_id is None:
            return
        for span_id in (as_text(event.get("span_id")), as_text(event.get("agent_span_id"))):
            if span_id is not None:
                self._callers.setdefault(span_id, call_id)
        self.runs[call_id] = ToolRun(
            started=iso_time(event.get("timestamp")),
            completed=iso_time(event.get("completed")),
            duration_ms=_milliseconds(event.get("working_time")),
        )


def inspect_usage(raw: object) -> TokenUsage | None:
    """Inspect's counts. Its input excludes cached tokens, unless the total shows that it includes them."""
    counts = as_dict(raw)
    usage = usage_of(counts)
    if usage is None or usage.details is None:
        return usage
    beside = usage.details.cached_tokens + usage.details.cache_write_tokens
    if usage.total_tokens == usage.prompt_tokens + usage.completion_tokens:
        return usage
    return attrs.evolve(usage, prompt_tokens=usage.prompt_tokens + beside)


def _cost_of(raw: object) -> float | None:
    """A call's cost in US dollars, if Inspect knew the price."""
    return number(as_dict(raw).get("total_cost"))


def _output(event: dict[str, Any]) -> dict[str, Any]:
    choices = as_list(as_dict(event.get("output")).get("choices"))
    return as_dict(as_dict(choices[0]).get("message")) if choices else {}


def _output_id(event: dict[str, Any]) -> str | None:
    return as_text(_output(event).get("id"))


def _milliseconds(seconds: object) -> float | None:
    known = number(seconds)
    return None if known is None else round(known * 1000, 3)
