"""Writes traces as ATIF 1.8, the trajectory format of Harbor and Terminal-Bench.

An agent's message and the results that follow it become one step. Values without a field in ATIF go into ``extra``; times of
results and metadata of calls are left out.
"""

from collections.abc import Iterable
from typing import Any

from sentinel_core.trace import (
    ExecutionTrace,
    Message,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
    to_json,
)
from sentinel_core.traces.readers import add_usage
from sentinel_readers_benchmarks.atif import OWN

__all__ = ["write_atif"]

_SOURCES = {"system": "system", "user": "user", "assistant": "agent", "tool": "system"}
_READING = ("reading_gaps", "reading_notes")
_KNOWN = frozenset({"agent", "session_id", "notes", "continued_trajectory_ref", "extra", *_READING})
_STEP_FIELDS = frozenset({"llm_call_count", "reasoning_effort"})
_NONE: dict[str, Any] = {}


def write_atif(trace: ExecutionTrace) -> bytes:
    """One JSON document without a newline; the reader ``atif`` restores the same trace if it came from ATIF."""
    return to_json(_trajectory(trace))


def _trajectory(trace: ExecutionTrace) -> dict[str, Any]:
    details = trace.details or TraceDetails()
    children, ids = _embedded(details.children)
    steps = _Steps(_callers(details.children, ids))
    for message in trace.messages:
        steps.add(message)
    placed = steps.placed
    for child, child_id, raw in zip(details.children, ids, children, strict=True):
        if child.details is not None and child.details.parent_call_id and child_id not in placed:
            _own(raw)["parent_call_id"] = child.details.parent_call_id
    raw = {
        "schema_version": "ATIF-v1.8",
        "session_id": trace.metadata.get("session_id") or trace.trace_id,
        "trajectory_id": trace.trace_id if trace.metadata.get("session_id") else None,
        "agent": _agent(trace, details),
        "steps": steps.steps,
        "notes": trace.metadata.get("notes"),
        "final_metrics": _final(trace),
        "continued_trajectory_ref": trace.metadata.get("continued_trajectory_ref"),
        "extra": _extra(trace, details) or None,
        "subagent_trajectories": children or None,
    }
    return _without_none(raw)


def _embedded(children: Iterable[ExecutionTrace]) -> tuple[list[dict[str, Any]], list[str]]:
    """The children's trajectories and their ids, which must be unique in ATIF."""
    embedded, ids, taken = [], [], dict[str, int]()
    for child in children:
        count = taken[child.trace_id] = taken.get(child.trace_id, 0) + 1
        child_id = child.trace_id if count == 1 else f"{child.trace_id}#{count}"
        raw = _trajectory(child)
        if raw["session_id"] == child.trace_id:
            del raw["session_id"]
        embedded.append({**raw, "trajectory_id": child_id})
        ids.append(child_id)
    return embedded, ids


def _callers(children: Iterable[ExecutionTrace], ids: list[str]) -> dict[str, list[str]]:
    """Which children a call started."""
    callers: dict[str, list[str]] = {}
    for child, child_id in zip(children, ids, strict=True):
        if child.details is not None and child.details.parent_call_id:
            callers.setdefault(child.details.parent_call_id, []).append(child_id)
    return callers


class _Steps:
    """Converts messages to steps."""

    def __init__(self, callers: dict[str, list[str]]) -> None:
        self.steps: list[dict[str, Any]] = []
        self.placed: set[str] = set()
        self._callers = callers

    def add(self, message: Message) -> None:
        """Add one message: a new step, or results for the previous step."""
        metadata = message.metadata or _NONE
        feedback = metadata.get("feedback") is True and message.role == "user"
        if not (feedback or message.role == "tool") or not self.steps:
            self.steps.append(_step(message, len(self.steps) + 1))
        if feedback:
            self._observe({"content": message.content or "", "extra": metadata.get("extra")})
        elif message.role == "tool" and message.content:
            self._observe({"content": message.content})
        for result in message.tool_results:
            self._add_result(result)

    def _add_result(self, result: ToolResult) -> None:
        calls = self.steps[-1].get("tool_calls")
        if calls and all(call["tool_call_id"] != result.tool_call_id for call in calls):
            # A step may only hold results of its own calls.
            self.steps.append({"step_id": len(self.steps) + 1, "source": "system", "message": ""})
        extra = dict(result.metadata or _NONE)
        if result.success is not None:
            extra["is_error"] = not result.success
        started = self._callers.pop(result.tool_call_id, [])
        self.placed.update(started)
        refs = [{"trajectory_id": child_id} for child_id in started]
        self._observe(
            {
                "source_call_id": result.tool_call_id,
                "content": result.content,
                "subagent_trajectory_ref": refs or None,
                "extra": extra or None,
            }
        )

    def _observe(self, entry: dict[str, Any]) -> None:
        observation = self.steps[-1].setdefault("observation", {"results": []})
        observation["results"].append(_without_none(entry))


def _step(message: Message, step_id: int) -> dict[str, Any]:
    details = message.details
    metadata = message.metadata or _NONE
    is_tool = message.role == "tool"
    step = {
        "step_id": step_id,
        "timestamp": message.timestamp,
        "source": _SOURCES[message.role],
        "message": "" if is_tool or metadata.get("feedback") is True else message.content or "",
        "extra": _step_extra(message) or None,
        "is_copied_context": True if details is not None and details.is_copied_context else None,
        **{key: metadata.get(key) for key in sorted(_STEP_FIELDS)},
    }
    if message.role == "assistant":
        step["tool_calls"] = [_call(call) for call in message.tool_calls] or None
        if details is not None:
            step["model_name"] = details.model
            step["reasoning_content"] = details.reasoning
            step["metrics"] = _metrics(details.usage, details.cost_usd)
    return _without_none(step)


def _step_extra(message: Message) -> dict[str, Any]:
    metadata = message.metadata or _NONE
    extra = dict(metadata["extra"]) if isinstance(metadata.get("extra"), dict) else {}
    extra.update({key: value for key, value in metadata.items() if key not in _STEP_FIELDS | {"extra", "feedback"}})
    if message.details is not None:
        own = _without_none({"id": message.details.id, "duration_ms": message.details.duration_ms})
        extra.update({OWN: own} if own else {})
    return extra


def _call(call: ToolCall) -> dict[str, Any]:
    extra: dict[str, Any] = {"timestamp": call.timestamp} if call.timestamp else {}
    if call.details is not None:
        extra.update(_without_none({"raw_arguments": call.details.raw_arguments}))
        extra.update({} if call.details.result_expected else {"result_expected": False})
    raw = {"tool_call_id": call.id, "function_name": call.name, "arguments": call.arguments, "extra": extra or None}
    return _without_none(raw)


def _metrics(usage: TokenUsage | None, cost_usd: float | None) -> dict[str, Any] | None:
    raw: dict[str, Any] = {"cost_usd": cost_usd}
    if usage is not None:
        raw["prompt_tokens"], raw["completion_tokens"] = usage.prompt_tokens, usage.completion_tokens
        raw["cached_tokens"] = usage.details.cached_tokens or None if usage.details is not None else None
        raw["extra"] = _more_tokens(usage) or None
    return _without_none(raw) or None


def _more_tokens(usage: TokenUsage) -> dict[str, int]:
    """Counts that ATIF has no field for."""
    more = {} if usage.total_tokens is None else {"total_tokens": usage.total_tokens}
    if usage.details is not None:
        parts = {
            "reasoning_tokens": usage.details.reasoning_tokens,
            "cache_write_tokens": usage.details.cache_write_tokens,
        }
        more.update({key: count for key, count in parts.items() if count})
    return more


def _final(trace: ExecutionTrace) -> dict[str, Any] | None:
    spoken = [message.details for message in trace.messages if message.role == "assistant" and message.details]
    costs = [details.cost_usd for details in spoken if details.cost_usd is not None]
    raw: dict[str, Any] = {"total_cost_usd": sum(costs) if costs else None}
    usage = trace.token_usage
    if usage is not None:
        raw["total_prompt_tokens"], raw["total_completion_tokens"] = usage.prompt_tokens, usage.completion_tokens
        raw["total_cached_tokens"] = usage.details.cached_tokens if usage.details is not None else None
        extra: dict[str, Any] = {**_more_tokens(usage)}
        if add_usage(details.usage for details in spoken if not details.is_copied_context) != usage:
            extra["counted_in_steps"] = False
        raw["extra"] = extra or None
    return _without_none(raw) or None


def _agent(trace: ExecutionTrace, details: TraceDetails) -> dict[str, Any]:
    given = trace.metadata.get("agent")
    agent = dict(given) if isinstance(given, dict) else {}
    agent.setdefault("name", given if isinstance(given, str) else details.source or "unknown")
    agent.setdefault("version", "unknown")
    if details.available_tools is not None:
        agent["tool_definitions"] = [_tool(schema) for schema in details.available_tools]
    return agent


def _tool(schema: ToolSchema) -> dict[str, Any]:
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": _without_none(function)}


def _extra(trace: ExecutionTrace, details: TraceDetails) -> dict[str, Any]:
    given = trace.metadata.get("extra")
    extra = dict(given) if isinstance(given, dict) else {}
    extra.update({key: value for key, value in trace.metadata.items() if key not in _KNOWN})
    own = _without_none({"outcome": details.outcome, **{key: trace.metadata.get(key) for key in _READING}})
    extra.update({OWN: own} if own else {})
    return extra


def _own(raw: dict[str, Any]) -> dict[str, Any]:
    """The ``sentinel`` object of a trajectory's ``extra``, created if missing."""
    own: dict[str, Any] = raw.setdefault("extra", {}).setdefault(OWN, {})
    return own


def _without_none(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value is not None}
