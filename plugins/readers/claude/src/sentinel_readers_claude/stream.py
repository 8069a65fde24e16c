"""Reads the output of ``claude --output-format stream-json``: one event per line, sub-agents included."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.traces.readers import (
    BadRecord,
    Record,
    TraceBuilder,
    gaps_at,
    json_records,
    refusals,
    tool_schemas,
    usage_of,
)
from sentinel_readers_claude.turns import Line, add_turns, blocks_of, merged_turns_of, outcome_of

__all__ = ["read"]

_OUTCOMES: Mapping[str, str] = {
    "error_during_execution": "error",
    "error_max_budget_usd": "max_budget",
    "error_max_structured_output_retries": "error",
    "error_max_turns": "max_turns",
    "success": "completed",
}
# Events about the program, and parts of what comes whole in other events.
_SILENT = frozenset({
    "active_goal", "auth_status", "control_cancel_request", "control_request", "control_response", "conversation_reset",
    "keep_alive", "prompt_suggestion", "rate_limit_event", "stream_event", "tool_progress", "tool_use_summary",
})  # fmt: skip
_KEPT_METADATA = ("duration_api_ms", "duration_ms", "num_turns", "permission_denials", "total_cost_usd")
_MOST_LEVELS = 8


@attrs.define(kw_only=True)
class _Run:
    """The events of one session: lines by the call that started their agent, None for the main one."""

    lines: dict[str | None, list[Line]] = attrs.field(factory=dict)
    tools: Any = None
    results: list[Mapping[str, Any]] = attrs.field(factory=list)
    seen: set[str] = attrs.field(factory=set)
    is_compacted: bool = False
    unknown: dict[str, list[int]] = attrs.field(factory=dict)


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session, in the order in which they begin; a ``ReadError`` if the stream holds no message."""
    runs: dict[str, _Run] = {}
    bad: list[BadRecord] = []
    strange: list[int] = []
    for record in json_records(source):
        if isinstance(record, BadRecord):
            bad.append(record)
        elif not _is_event(record.value) or not _take(record, runs):
            strange.append(record.line)
    notes = gaps_at("line is not JSON", "lines are not JSON", [record.line for record in bad])
    notes += gaps_at("line is not a usable event", "lines are not usable events", strange)
    last_lost = max((*(record.line for record in bad), *strange), default=0)
    if refused := refusals([record.error() for record in bad], strict=source.strict):
        yield from refused
        return
    spoken = {name: run for name, run in runs.items() if run.lines}
    for name, run in spoken.items():
        yield _trace(name or source.name, run, notes, last_lost)
    if not spoken:
        yield bad[0].error() if bad and not runs else ReadError(message=_nothing(runs))


def _nothing(runs: Mapping[str, _Run]) -> str:
    if any(run.results for run in runs.values()):
        return "contains a result without its messages; use --output-format stream-json --verbose"
    return "no event is a message"


def _is_event(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _take(record: Record, runs: dict[str, _Run]) -> bool:
    """Add an event to its session; False for an empty message, and for what may be one of an unknown kind."""
    event = record.value
    session = event.get("session_id")
    name = session if isinstance(session, str) else ""
    run = runs[name] if name in runs else runs.setdefault(name, _Run())
    kind = event["type"]
    if kind == "system":
        run.is_compacted = run.is_compacted or event.get("subtype") == "compact_boundary"
        run.tools = event.get("tools") or run.tools
    elif kind == "result":
        run.results.append(event)
    elif kind in ("assistant", "user"):
        return _take_message(record, run)
    elif kind not in _SILENT:
        run.unknown.setdefault(kind[:60], []).append(record.line)
    return True


def _take_message(record: Record, run: _Run) -> bool:
    event = record.value
    message, uuid = event.get("message"), event.get("uuid")
    if not isinstance(message, dict) or blocks_of(message) is None:
        return False
    if isinstance(uuid, str):
        if uuid in run.seen:
            return True
        run.seen.add(uuid)
    parent = event.get("parent_tool_use_id")
    line = Line(
        role="assistant" if event["type"] == "assistant" else "user",
        message=message,
        origin=record.path or f"line {record.line}",
        number=record.line,
        uuid=uuid if isinstance(uuid, str) else None,
        timestamp=event["timestamp"] if isinstance(event.get("timestamp"), str) else None,
        is_copied=run.is_compacted and event.get("isSynthetic") is True and isinstance(message.get("content"), str),
        is_error=isinstance(event.get("error"), str),
    )
    run.lines.setdefault(parent.strip() if isinstance(parent, str) and parent else None, []).append(line)
    return True


def _trace(name: str, run: _Run, notes: list[str], last_lost: int) -> ExecutionTrace:
    turns = merged_turns_of(run.lines.get(None, ()))
    builder = TraceBuilder(name, "claude-stream")
    # Claude Code marks every failed result, but few successful ones.
    add_turns(builder, turns, unmarked=True, last_lost=last_lost)
    result = run.results[-1] if run.results else {}
    # Versions differ in whether the last of several results counts one turn or all, so the messages are counted instead.
    usage = usage_of(result.get("usage")) if len(run.results) == 1 else None
    metadata = {key: result[key] for key in _KEPT_METADATA if result.get(key) is not None}
    gaps = [*notes]
    for kind, lines in run.unknown.items():
        gaps += gaps_at(f'event of the unknown type "{kind}"', f'events of the unknown type "{kind}"', lines)
    return builder.build(
        token_usage=usage,
        available_tools=tool_schemas(run.tools),
        outcome=_outcome(result) or outcome_of(turns),
        children=_children(name, run),
        metadata={**metadata, **({"reading_gaps": gaps} if gaps else {})},
    )


def _outcome(result: Mapping[str, Any]) -> str | None:
    outcome = _OUTCOMES.get(str(result.get("subtype")))
    return "error" if outcome == "completed" and result.get("is_error") is True else outcome


def _children(name: str, run: _Run) -> list[ExecutionTrace]:
    """One trace per agent that a call started, nested in the agent that made the call; agents of unknown calls come last."""
    below = _below(run.lines)
    waiting = [call for call in run.lines if call is not None]
    open_ = dict.fromkeys(waiting)
    direct = [call for call in below.get(None, ()) if call in open_]
    return [
        _child(f"{name}/{call}", call, run.lines, below, open_, _MOST_LEVELS)
        for call in (*direct, *waiting)
        if call in open_
    ]


def _child(
    name: str,
    call: str,
    lines: Mapping[str | None, list[Line]],
    below: Mapping[str | None, list[str]],
    open_: dict[str, None],
    levels: int,
) -> ExecutionTrace:
    """One agent's trace with those of its own agents, to eight levels; deeper ones stay in ``open_``."""
    open_.pop(call)
    turns = merged_turns_of(lines[call])
    builder = TraceBuilder(name, "claude-stream")
    add_turns(builder, turns, unmarked=True)
    inner = below.get(call, ()) if levels > 1 else ()
    children = [
        _child(f"{name}/{started}", started, lines, below, open_, levels - 1) for started in inner if started in open_
    ]
    return builder.build(outcome=outcome_of(turns), parent_call_id=call, children=children)


def _below(lines: Mapping[str | None, Iterable[Line]]) -> dict[str | None, list[str]]:
    """For each agent, its calls that started another agent."""
    found: dict[str | None, list[str]] = {}
    for agent, spoken in lines.items():
        for line in spoken:
            for block in blocks_of(line.message) or ():
                call = block.get("id") if isinstance(block, dict) and block.get("type") == "tool_use" else None
                if isinstance(call, str) and call.strip() in lines:
                    found.setdefault(agent, []).append(call.strip())
    return found
