"""LangSmith runs: a list, one per line, or one run with its ``child_runs``."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source, TokenUsage, ToolSchema
from sentinel_core.traces.readers import BadRecord, tool_schemas, usage_of
from sentinel_readers_frameworks._files import Skipped, dicts, documents, dollars, mapping, name_of, text, utc
from sentinel_readers_frameworks._runs import Run, trace_of

__all__ = ["read"]

_KINDS: Mapping[object, Literal["model", "tool"]] = {"llm": "model", "tool": "tool"}
_INTERRUPTED = ("GraphInterrupt", "NodeInterrupt", "CancelledError", "KeyboardInterrupt")
_HIDDEN_STEPS = frozenset(("prompt", "parser", "embedding", "retriever"))
_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


@attrs.define
class _Trees:
    """Runs by trace, with the outcome of each trace's outermost run."""

    runs: dict[str, list[Run]] = attrs.field(factory=dict)
    outcomes: dict[str, str | None] = attrs.field(factory=dict)
    skipped: Skipped = attrs.field(factory=Skipped)


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per ``trace_id``, in the order of their first run."""
    trees = _Trees()
    for record in documents(source):
        if isinstance(record, BadRecord):
            trees.skipped.bad.append(record)
            continue
        value = mapping(record.value).get("runs", record.value)
        place = f" (line {record.line})" if record.path is None else ""
        for entry in value if isinstance(value, list) else [value]:
            _take(trees, entry, place, name_of(source))
    if refused := trees.skipped.refusals(source):
        yield from refused
        return
    for trace_id, runs in trees.runs.items():
        yield trace_of(trace_id, "langsmith", runs, skipped=trees.skipped, outcome=trees.outcomes.get(trace_id))
    if not trees.runs:
        yield from trees.skipped.errors()
        if trees.skipped.others:
            yield ReadError(message="contains no LangSmith run")


def _take(trees: _Trees, entry: object, place: str, fallback: str) -> None:
    """Take a run and the runs inside it, without recursion."""
    waiting: list[tuple[object, str | None, str | None]] = [(entry, None, None)]
    while waiting:
        raw, parent, trace_id = waiting.pop()
        fields = mapping(raw)
        run_id = text(fields.get("id")) or text(fields.get("run_id"))
        if run_id is None or "run_type" not in fields:
            trees.skipped.count("entry that is not a run, or has no id", "entries that are not runs, or have no id")
            continue
        parent = text(fields.get("parent_run_id")) or parent
        trace_id = text(fields.get("trace_id")) or trace_id or _root_of(fields) or (fallback if parent else run_id)
        trees.runs.setdefault(trace_id, []).append(_run(fields, run_id, parent, f"run {run_id}{place}"))
        if parent is None:
            trees.outcomes[trace_id] = _outcome(fields)
        waiting.extend((child, run_id, trace_id) for child in reversed(list(dicts(fields.get("child_runs")))))


def _root_of(fields: Mapping[str, Any]) -> str | None:
    """``dotted_order`` is a path of times and ids, the outermost run's first; an id follows its time's ``Z``."""
    first, _, _ = (text(fields.get("dotted_order")) or "").partition(".")
    _, _, root = first.partition("Z")
    return root or None


def _run(fields: Mapping[str, Any], run_id: str, parent: str | None, origin: str) -> Run:
    extra = mapping(fields.get("extra"))
    metadata, parameters = mapping(extra.get("metadata")), mapping(extra.get("invocation_params"))
    run_type = text(fields.get("run_type"))
    kind = _KINDS.get(run_type)
    hidden = run_type in _HIDDEN_STEPS
    return Run(
        id=run_id,
        parent=parent,
        kind=kind or "step",
        origin=origin,
        name=text(fields.get("name")) or "",
        input=None if hidden else fields.get("inputs"),
        output=None if hidden else fields.get("outputs"),
        failure=text(fields.get("error")),
        start=utc(fields.get("start_time"), "ms"),
        end=utc(fields.get("end_time"), "ms"),
        model=text(metadata.get("ls_model_name"))
        or text(parameters.get("model"))
        or text(parameters.get("model_name")),
        usage=_usage(fields, metadata) if kind == "model" else None,
        cost_usd=dollars(fields.get("total_cost")) if kind == "model" else None,
        tools=_tools(parameters),
    )


def _usage(fields: Mapping[str, Any], metadata: Mapping[str, Any]) -> TokenUsage | None:
    """The run's count, preferably the detailed one in its metadata."""
    return usage_of(metadata.get("usage_metadata")) or usage_of({key: fields.get(key) for key in _COUNTS})


def _tools(parameters: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    return tool_schemas(parameters.get("tools") or parameters.get("functions"))


def _outcome(fields: Mapping[str, Any]) -> str | None:
    error, status = text(fields.get("error")), fields.get("status")
    if error is not None:
        return "interrupted" if any(word in error for word in _INTERRUPTED) else "error"
    if status == "success":
        return "completed"
    return "running" if status == "pending" else "error" if status == "error" else None
