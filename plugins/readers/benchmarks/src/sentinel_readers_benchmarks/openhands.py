"""OpenHands' evaluation output (``output.jsonl``, one run a line) to traces; a bare list of events is one run.

``openhands_events`` reads events; this module turns them into messages. A delegated run is a child.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import ExecutionTrace, MessageDetails, TokenUsage, ToolSchema
from sentinel_core.traces.readers import (
    BadRecord,
    Piece,
    TraceBuilder,
    add_usage,
    gaps_at,
    iso_time,
    json_document,
    json_lines,
    tool_schemas,
    usage_of,
)
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, file_stem, number
from sentinel_readers_benchmarks.openhands_events import Event, event_of, is_known

__all__ = ["read"]

# No real run delegates deeper; the rest stays with the innermost one.
_DEEPEST = 24
_OUTCOMES = {
    "maximum iteration": "max_turns",
    "max iteration": "max_turns",
    "maximum budget": "cost_limit",
    "max budget": "cost_limit",
    "stuck": "stuck",
    "timeout": "timeout",
    "timed out": "timeout",
    "interrupt": "interrupted",
}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The runs of a source, in order."""
    with source.open() as stream:
        bare = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    stem = file_stem(source.name)
    if bare:
        events = json_document(source)
        yield events if isinstance(events, ReadError) else _trace({"history": events}, stem, "$[{}]")
        return
    for record in json_lines(source):
        if isinstance(record, BadRecord):
            yield record.error()
        elif isinstance(record.value, dict) and isinstance(record.value.get("history"), list):
            yield _trace(record.value, f"{stem}:{record.line}", f"line {record.line} $.history[{{}}]")
        else:
            yield ReadError(message="expected a list of events at $.history", line=record.line)


def _trace(raw: dict[str, Any], fallback_id: str, origin: str) -> ExecutionTrace:
    metrics = as_dict(raw.get("metrics"))
    run = _Run(_id_of(raw) or fallback_id)
    for position, entry in enumerate(_in_a_row(raw["history"])):
        run.add(entry, position, origin)
    metadata = {
        "error": as_text(raw.get("error")),
        "cost_usd": number(metrics.get("accumulated_cost")) or None,
        "success": raw.get("success"),
        "reading_gaps": gaps_at("event could not be read", "events could not be read", run.bad),
    }
    run.spread(as_list(metrics.get("costs")))
    return run.finish(
        token_usage=_stated_usage(metrics),
        outcome=_outcome(as_text(raw.get("error")), finished=run.finished),
        metadata={key: value for key, value in metadata.items() if value is not None and value != []},
    )


def _id_of(raw: dict[str, Any]) -> str | None:
    named = as_text(raw.get("instance_id"))
    issue = as_dict(raw.get("issue"))
    if named or not (as_text(issue.get("repo")) and type(issue.get("number")) is int):
        return named
    return f"{as_text(issue.get('owner')) or '?'}/{issue['repo']}#{issue['number']}"


def _in_a_row(history: list[Any]) -> Iterator[Any]:
    """The events one by one; older files pair each action with its observation."""
    for entry in history:
        if isinstance(entry, list):
            yield from entry
        else:
            yield entry


def _stated_usage(metrics: dict[str, Any]) -> TokenUsage | None:
    """The tokens of all calls, context condensing included: one sum, or call by call."""
    return usage_of(metrics.get("accumulated_token_usage")) or add_usage(
        usage_of(usage) for usage in as_list(metrics.get("token_usages"))
    )


def _outcome(error: str | None, *, finished: bool) -> str | None:
    if error is None:
        return "completed" if finished else None
    lower = error.lower()
    return next((outcome for words, outcome in _OUTCOMES.items() if words in lower), "error")


@attrs.define
class _Level:
    """A run or a delegated run: its builder, its children, and the call that waits for it."""

    builder: TraceBuilder
    caller: str | None = None
    delegated: int = 0
    children: list[ExecutionTrace] = attrs.field(factory=list)


class _Run:
    """Converts events to a trace."""

    def __init__(self, trace_id: str) -> None:
        self.levels = [_Level(TraceBuilder(trace_id, "openhands"))]
        self.bad: list[int] = []
        self.finished = False
        self._calls: dict[int | str | None, str] = {}
        self._tools: tuple[ToolSchema, ...] | None = None
        self._asked_user = True

    def add(self, raw: object, position: int, origin: str) -> None:
        """Append one event."""
        if not isinstance(raw, dict):
            self.bad.append(position)
            return
        event = event_of(raw, from_user=self._asked_user)
        if not is_known(raw):
            self.levels[-1].builder.lose("event of an unknown kind")
        if event is None:
            return
        self._tools = self._tools or tool_schemas(event.tools)
        if event.ends_delegate and len(self.levels) > 1:
            self._close()
        self._say(event, raw, origin.format(position))
        if event.is_delegate:
            self._delegate()

    def spread(self, costs: list[Any]) -> None:
        """Give each of the agent's messages its cost, if the run has one for each."""
        messages = self.levels[0].builder.messages
        said = [position for position, message in enumerate(messages) if message.role == "assistant"]
        if len(said) != len(costs):
            return
        for position, cost in zip(said, costs, strict=True):
            message = messages[position]
            details = attrs.evolve(
                message.details or MessageDetails(), cost_usd=number(as_dict(cost).get("cost", cost))
            )
            messages[position] = attrs.evolve(message, details=details)

    def finish(
        self, *, token_usage: TokenUsage | None, outcome: str | None, metadata: dict[str, Any]
    ) -> ExecutionTrace:
        """The whole trace."""
        while len(self.levels) > 1:
            self._close()
        level = self.levels[0]
        return level.builder.build(
            token_usage=token_usage,
            available_tools=self._tools,
            outcome=outcome,
            children=level.children,
            metadata=metadata,
        )

    def _say(self, event: Event, raw: dict[str, Any], origin: str) -> None:
        builder = self.levels[-1].builder
        piece = event.piece
        self.finished = self.finished or event.finishes
        self._asked_user = event.waits
        if event.cause in self._calls and any(result.call_id is None for result in piece.results):
            call_id = self._calls[event.cause]
            piece = Piece(role="tool", results=tuple(attrs.evolve(result, call_id=call_id) for result in piece.results))
        details = MessageDetails(id=event.response_id, model=event.model, usage=event.usage, origin=origin)
        builder.add(piece, timestamp=iso_time(raw.get("timestamp")), details=details)
        made = builder.messages[-1].tool_calls
        if made and event.id is not None:
            self._calls[event.id] = made[-1].id

    def _delegate(self) -> None:
        parent = self.levels[-1]
        calls = parent.builder.messages[-1].tool_calls
        parent.delegated += 1
        child_id = f"{parent.builder.trace_id}/{parent.delegated}"
        if len(self.levels) <= _DEEPEST:
            self.levels.append(_Level(TraceBuilder(child_id, "openhands"), calls[-1].id if calls else None))

    def _close(self) -> None:
        level = self.levels.pop()
        self.levels[-1].children.append(level.builder.build(parent_call_id=level.caller, children=level.children))
