"""Langfuse: a trace with its observations (API, camel case), the UI's download, or blob export rows (snake case)."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source, TokenDetails, TokenUsage
from sentinel_core.traces.readers import BadRecord, counted, pieces_of, tool_schemas, usage_of
from sentinel_readers_frameworks._exchange import decoded, reply_of
from sentinel_readers_frameworks._files import Skipped, documents, dollars, mapping, name_of, text, utc
from sentinel_readers_frameworks._runs import Run, trace_of

__all__ = ["read"]

_KINDS: Mapping[object, Literal["model", "tool"]] = {"GENERATION": "model", "TOOL": "tool", "RETRIEVER": "tool"}
# The id of the run that represents the trace's own record.
_TRACE = "trace"
_MOST_DIGITS = 15
_HEADING = 4096
_CSV = "is CSV, which is not read: download the trace as JSON, or fetch it (GET /api/public/traces/ID)"
_LIST = (
    'is the answer of "GET /api/public/traces", a list of traces that only names their observations ({told} here without '
    "them): fetch each trace (GET /api/public/traces/ID), or its observations (GET /api/public/v2/observations?traceId=ID"
    "&fields=core,basic,time,io,model,usage)"
)
_ROWS = (
    'has {told} without observations, so no call is known: read the blob export\'s "observations" files (those of "traces" '
    "alone are not enough), or fetch each trace (GET /api/public/traces/ID)"
)
_CAMEL: Mapping[str, str] = {
    "trace_id": "traceId",
    "parent_observation_id": "parentObservationId",
    "start_time": "startTime",
    "end_time": "endTime",
    "status_message": "statusMessage",
    "model_parameters": "modelParameters",
    "provided_model_name": "providedModelName",
    "usage_details": "usageDetails",
    "cost_details": "costDetails",
    "total_cost": "totalCost",
    "calculated_total_cost": "calculatedTotalCost",
}


@attrs.define
class _Traces:
    """Observations by trace, the traces' own records, and which traces only ``named`` their observations."""

    runs: dict[str, list[Run]] = attrs.field(factory=dict)
    heads: dict[str, Run] = attrs.field(factory=dict)
    named: set[str] = attrs.field(factory=set)
    failed: set[str] = attrs.field(factory=set)
    skipped: Skipped = attrs.field(factory=Skipped)


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per trace id, in the order of their first observation.

    A trace's own record without its observations is no record of what was done: one error for all of these.
    """
    traces = _Traces()
    for record in documents(source):
        if isinstance(record, BadRecord):
            traces.skipped.bad.append(record)
            continue
        value = mapping(record.value).get("data", record.value)
        place = f" (line {record.line})" if record.path is None else ""
        for entry in value if isinstance(value, list) else [value]:
            _take(traces, entry, place, name_of(source))
    if not (traces.runs or traces.heads) and traces.skipped.bad and _is_csv(source):
        yield ReadError(message=_CSV)
        return
    if refused := traces.skipped.refusals(source):
        yield from refused
        return
    yield from _complete(traces)
    if not (traces.runs or traces.heads):
        yield from traces.skipped.errors()
        if traces.skipped.others:
            yield ReadError(message="contains no Langfuse trace or observation")


def _complete(traces: _Traces) -> Iterator[ExecutionTrace | ReadError]:
    """The traces with their observations, and one error for the others."""
    bare = traces.heads.keys() - traces.runs.keys()
    for trace_id in traces.runs:
        yield _trace(trace_id, traces)
    if bare:
        told = counted(len(bare), "trace", "traces")
        yield ReadError(message=(_LIST if bare & traces.named else _ROWS).format(told=told))


def _is_csv(source: Source) -> bool:
    """Whether the first line is a table's heading, as in a download of the UI."""
    with source.open() as stream:
        heading = stream.readline(_HEADING).removeprefix(b"\xef\xbb\xbf").strip()
    return heading[:1] not in (b"{", b"[", b"") and b"," in heading


def _take(traces: _Traces, entry: object, place: str, fallback: str) -> None:
    """Take a trace with its observations inside or beside it, or a single observation."""
    fields = mapping(entry)
    head = mapping(fields.get("trace")) or fields
    if isinstance(fields.get("observations"), list):
        trace_id = text(head.get("id")) or fallback
        traces.heads[trace_id] = _head(head, place)
        observations = [decoded(observation) for observation in fields["observations"]]
        if observations and all(isinstance(observation, str) for observation in observations):
            traces.named.add(trace_id)
            return
        traces.runs.setdefault(trace_id, [])
        for observation in observations:
            _observe(traces, mapping(observation), place, trace_id)
    elif "type" in fields:
        _observe(traces, fields, place, fallback)
    elif "id" in fields and ("timestamp" in fields or "projectId" in fields or "project_id" in fields):
        traces.heads[text(fields["id"]) or fallback] = _head(fields, place)
    else:
        traces.skipped.count("entry that is not an observation", "entries that are not observations")


def _observe(traces: _Traces, fields: Mapping[str, Any], place: str, fallback: str) -> None:
    run_id, kind = text(fields.get("id")), fields.get("type")
    if run_id is None or not isinstance(kind, str):
        traces.skipped.count("observation without an id or a type", "observations without an id or a type")
        return
    trace_id = text(_get(fields, "trace_id")) or fallback
    run = _run(fields, run_id, kind.upper(), place)
    traces.runs.setdefault(trace_id, []).append(run)
    if run.parent is None and run.failure is not None:
        traces.failed.add(trace_id)


def _trace(trace_id: str, traces: _Traces) -> ExecutionTrace:
    runs = _with_tools(traces.runs.get(trace_id, []))
    head = traces.heads.get(trace_id)
    if head is not None:
        runs = [head, *runs]
    outcome = "error" if trace_id in traces.failed else None
    return trace_of(trace_id, "langfuse", runs, skipped=traces.skipped, outcome=outcome)


def _with_tools(runs: list[Run]) -> list[Run]:
    """The runs, in which what a decorator recorded as a mere span is a tool: what a model called by its name.

    Where neither calls nor tools are on record, every innermost span with a result is one.
    """
    known = {run.name for run in runs if run.kind == "tool"}
    answers = (message for run in runs if run.kind == "model" for message in reply_of(run.output).messages)
    called = {call.name for message in answers for piece in pieces_of(message) for call in piece.calls}
    outer = {run.parent for run in runs}
    if not (known or called) and any(run.kind == "model" for run in runs):
        called = {run.name for run in runs if run.is_span and run.id not in outer and run.output is not None}
    return [attrs.evolve(run, kind="tool") if run.is_span and run.name in called - known else run for run in runs]


def _head(fields: Mapping[str, Any], place: str) -> Run:
    return Run(
        id=_TRACE,
        parent=None,
        kind="step",
        origin=f"trace{place}",
        name=text(fields.get("name")) or "",
        input=decoded(fields.get("input")),
        output=decoded(fields.get("output")),
        start=utc(fields.get("timestamp")),
    )


def _run(fields: Mapping[str, Any], run_id: str, kind: str, place: str) -> Run:
    parameters = mapping(decoded(_get(fields, "model_parameters")))
    failed = fields.get("level") == "ERROR"
    is_model = kind == "GENERATION"
    model = fields.get("model") or _get(fields, "provided_model_name")
    return Run(
        id=run_id,
        parent=text(_get(fields, "parent_observation_id")),
        kind=_KINDS.get(kind, "step"),
        is_span=kind == "SPAN",
        origin=f"observation {run_id}{place}",
        name=text(fields.get("name")) or "",
        input=decoded(fields.get("input")),
        output=decoded(fields.get("output")),
        failure=(text(_get(fields, "status_message")) or "failed without a message") if failed else None,
        start=utc(_get(fields, "start_time")),
        end=utc(_get(fields, "end_time")),
        model=text(model),
        usage=_usage(fields) if is_model else None,
        cost_usd=_cost(fields) if is_model else None,
        tools=tool_schemas(decoded(parameters.get("tools"))),
    )


def _get(fields: Mapping[str, Any], snake: str) -> Any:
    """A field by its snake-case or camel-case name."""
    value = fields.get(snake)
    return fields.get(_CAMEL[snake]) if value is None else value


def _cost(fields: Mapping[str, Any]) -> float | None:
    details = mapping(decoded(_get(fields, "cost_details")))
    places = (_get(fields, "total_cost"), details.get("total"), _get(fields, "calculated_total_cost"))
    return next((cost for cost in map(dollars, places) if cost is not None), None)


def _usage(fields: Mapping[str, Any]) -> TokenUsage | None:
    """Langfuse's counts are disjoint buckets (``input`` excludes ``input_cached_tokens``).

    If ``input`` and ``output`` alone add up to the stated total, the other counts are parts of these.
    """
    usage_details = mapping(decoded(_get(fields, "usage_details")))
    counts = {key: int(value) for key, value in usage_details.items() if _is_count(value)}
    if "input" not in counts or "output" not in counts:
        return usage_of(usage_details) or usage_of(decoded(fields.get("usage")))
    total = counts.get("total")
    prompt = sum(count for key, count in counts.items() if "input" in key)
    completion = sum(count for key, count in counts.items() if "output" in key)
    if total is not None and prompt + completion != total and counts["input"] + counts["output"] == total:
        prompt, completion = counts["input"], counts["output"]
    details = TokenDetails(
        cached_tokens=sum(count for key, count in counts.items() if "cache" in key and not _is_write(key)),
        cache_write_tokens=sum(count for key, count in counts.items() if "cache" in key and _is_write(key)),
        reasoning_tokens=sum(count for key, count in counts.items() if "reasoning" in key or "thought" in key),
    )
    return TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        details=details if details != TokenDetails() else None,
    )


def _is_write(key: str) -> bool:
    return "creation" in key or "write" in key


def _is_count(value: object) -> bool:
    if isinstance(value, str):
        return value.isdecimal() and len(value) <= _MOST_DIGITS
    return type(value) is int and value >= 0
