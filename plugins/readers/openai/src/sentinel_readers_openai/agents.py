"""Rebuilds conversations from OpenAI Agents SDK spans, which are written when they end.

An agent inside a tool is a sub-agent of that call; agents that hand over to each other share one trace.
"""

from collections.abc import Iterator, Mapping

from sentinel_core import ExecutionTrace, ReadError, Source, ToolSchema
from sentinel_core.traces.readers import TraceBuilder, gaps_at
from sentinel_readers_openai.drafts import fill
from sentinel_readers_openai.retelling import Retelling
from sentinel_readers_openai.spans import Run, Span, runs_in, scopes_of
from sentinel_readers_openai.values import gaps_metadata, text

__all__ = ["read"]

SOURCE = "openai-agents"

# Spans without messages: containers, and the user's own.
_SILENT = frozenset({"agent", "custom", "guardrail", "mcp_tools", "speech_group", "task", "turn"})
_TELLING = frozenset({"function", "generation", "handoff", "response"})
_OUTCOMES: tuple[tuple[str, str], ...] = (
    ("max turns", "max_turns"),
    ("guardrail", "guardrail"),
    ("cancel", "cancelled"),
    ("timed out", "timeout"),
)
_Scopes = Mapping[str | None, list[Span]]


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for each trace id of the file, in the order of their first line.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    runs, gaps, problems = runs_in(source)
    yield from problems
    for trace_id, run in runs.items():
        yield _run(trace_id, run, gaps)


def _run(trace_id: str, run: Run, gaps: list[str]) -> ExecutionTrace:
    other: dict[str, list[str]] = {}
    for span in run.spans.values():
        if span.kind not in _SILENT | _TELLING:
            other.setdefault(span.kind[:60], []).append(span.id)
    gaps = gaps + [
        line
        for kind, ids in other.items()
        for line in gaps_at(
            f'span of the type "{kind}" contains no message', f'spans of the type "{kind}" contain no message', ids
        )
    ]
    known = {name: text(run.header.get(name)) for name in ("workflow_name", "group_id")}
    return _scope(trace_id, None, None, scopes_of(run.spans), gaps_metadata(gaps, **known))


def _scope(
    trace_id: str, scope: str | None, parent_call_id: str | None, scopes: _Scopes, metadata: dict[str, object]
) -> ExecutionTrace:
    """One agent's conversation, with the conversations inside its tools as children, at most 16 levels deep."""
    spans = scopes.get(scope, [])
    replay = Retelling()
    for span in spans:
        replay.add(span)
    children = [
        _scope(span.id, span.id, replay.call_ids.get(span.id), scopes, {})
        for span in spans
        if span.kind == "function" and any(inner.kind in _TELLING for inner in scopes.get(span.id, ()))
    ]
    if replay.silent:
        all_gaps = [
            *metadata.get("reading_gaps", []),
            *gaps_at("model reply is recorded without text", "model replies are recorded without text", replay.silent),
        ]  # type: ignore[misc]  # the gaps are a list
        metadata = {**metadata, "reading_gaps": all_gaps}
    builder = TraceBuilder(trace_id, SOURCE)
    fill(builder, replay.drafts)
    return builder.build(
        available_tools=_tools(spans),
        outcome=_outcome(spans),
        parent_call_id=parent_call_id,
        children=children,
        metadata=metadata,
    )


def _tools(spans: list[Span]) -> tuple[ToolSchema, ...] | None:
    """The agents' tools by name; None if one may hand over, because the name of that tool is not recorded."""
    agents = [span.data for span in spans if span.kind == "agent"]
    if not agents or any(agent.get("handoffs") or not isinstance(agent.get("tools"), list) for agent in agents):
        return None
    names = dict.fromkeys(name for agent in agents for name in agent["tools"] if isinstance(name, str))
    return tuple(ToolSchema(name=name) for name in names)


def _outcome(spans: list[Span]) -> str | None:
    """How the last agent ended; a tripped guardrail always ends the run."""
    agents = [span for span in spans if span.kind == "agent"]
    problem = next((span.problem for span in reversed(agents) if span.error), None)
    if problem is not None:
        return next((outcome for words, outcome in _OUTCOMES if words in problem.lower()), "error")
    if any(span.kind == "guardrail" and span.data.get("triggered") is True for span in spans):
        return "guardrail"
    return "completed" if agents and agents[-1].end is not None else None
