"""Turns a platform's tree of runs into a trace: model calls and tool runs in order of time, sub-agents as children.

Of nested model calls (a wrapper around a client) the innermost counts. A tool run with model calls below it is a sub-agent.
If no model call has messages, the inputs and outputs of the outermost runs are used.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Literal

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, TokenUsage, ToolSchema
from sentinel_core.traces.readers import TraceBuilder, add_usage, pieces_of
from sentinel_core.traces.readers.chat import arguments_of, text_of
from sentinel_readers_frameworks._exchange import Exchange, decoded, reply_of, request_of
from sentinel_readers_frameworks._files import Skipped, mapping, milliseconds, text
from sentinel_readers_frameworks._langchain import details_of, fields_of
from sentinel_readers_frameworks._tree import levels, nearest, without_cycles
from sentinel_readers_frameworks._weave import ToolRun, Weaver

__all__ = ["Run", "trace_of"]

# Nesting of sub-agents; deeper runs belong to the innermost one.
_DEEPEST = 8


@attrs.define(kw_only=True, eq=False)
class Run:
    """One run or observation. Times are ISO 8601; ``failure`` is its error's text."""

    id: str
    parent: str | None
    kind: Literal["model", "tool", "step"]
    origin: str
    name: str = ""
    input: object = None
    output: object = None
    failure: str | None = None
    start: str | None = None
    end: str | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    cost_usd: float | None = None
    tools: tuple[ToolSchema, ...] | None = None
    is_span: bool = False

    @property
    def order(self) -> tuple[str, bool]:
        """The sort key; equal times in different time-zone notations are equal, and a tool ran before the model that begins as soon."""
        return (self.start or "").removesuffix("Z"), self.kind != "tool"


def trace_of(
    trace_id: str, source: str, runs: Iterable[Run], *, skipped: Skipped, outcome: str | None = None
) -> ExecutionTrace:
    """The trace of one tree (or forest) of runs. Of runs with one id, the last counts."""
    by_id = {run.id: run for run in runs}
    parents = without_cycles({run.id: run.parent for run in by_id.values()})
    groups = _groups(by_id, parents)
    outer = sorted((run for run in by_id.values() if parents[run.id] is None), key=attrgetter("order"))
    children: dict[str | None, dict[str, ExecutionTrace]] = {}
    for owner, (inside, parent) in reversed(groups.items()):
        if owner is not None:
            trace = _woven(f"{trace_id}/{owner}", source, inside, [by_id[owner]], children.pop(owner, {}), None, {})
            children.setdefault(parent, {})[owner] = trace
    return _woven(trace_id, source, groups[None][0], outer, children.get(None, {}), outcome, skipped.metadata())


def _groups(
    by_id: Mapping[str, Run], parents: Mapping[str, str | None]
) -> dict[str | None, tuple[list[Run], str | None]]:
    """Model calls and tool runs by the sub-agent (the id of a tool's run) that they are part of, with its own parent.

    Outer sub-agents come before inner ones.
    """
    owners = nearest(parents, lambda run: by_id[run].kind == "tool")
    enclosing = nearest(parents, lambda run: by_id[run].kind != "step")
    around = {outer for run, outer in enclosing.items() if outer is not None and by_id[run].kind == "model"}
    models = [run for run in by_id if by_id[run].kind == "model" and run not in around]
    alive: set[str] = set()
    for run in models:
        owner = owners[run]
        while owner is not None and owner not in alive:
            alive.add(owner)
            owner = owners[owner]
    depth = levels({run: owners[run] for run in alive})
    groups: dict[str | None, tuple[list[Run], str | None]] = {None: ([], None)}
    home: dict[str | None, str | None] = {None: None}
    for run in sorted(alive, key=lambda run: (depth[run], by_id[run].order, run)):
        home[run] = run if depth[run] < _DEEPEST else home[owners[run]]
        if home[run] == run:
            groups[run] = ([], home[owners[run]])
    counted = frozenset(models)
    for run_id, member in by_id.items():
        owner = owners[run_id]
        if run_id in counted or (member.kind == "tool" and (owner is None or owner in alive)):
            groups[home[owner]][0].append(member)
    return groups


def _woven(
    trace_id: str,
    source: str,
    inside: list[Run],
    outer: list[Run],
    children: Mapping[str, ExecutionTrace],
    outcome: str | None,
    metadata: dict[str, Any],
) -> ExecutionTrace:
    builder = TraceBuilder(trace_id, source)
    weaver = Weaver(builder)
    inside.sort(key=attrgetter("order"))
    tools: dict[str, ToolSchema] = {}
    spoken = any(run.kind == "model" and (run.input or run.output) for run in inside)
    if spoken:
        for run in inside:
            for tool in _take(weaver, run):
                tools.setdefault(tool.name, tool)
    else:
        _from_outside(weaver, inside, outer)
    hidden = None if spoken else add_usage([run.usage for run in inside])
    return builder.build(
        token_usage=hidden,
        available_tools=tuple(tools.values()) or None,
        outcome=outcome,
        children=list(_adopted(children, weaver.runs)),
        metadata=metadata,
    )


def _take(weaver: Weaver, run: Run) -> tuple[ToolSchema, ...]:
    """Add a model call or a tool's run; returns the available tools."""
    if run.kind == "tool":
        weaver.run(_tool_run(run))
        return ()
    question, answer = request_of(run.input), reply_of(run.output)
    weaver.ask(question.messages, MessageDetails(origin=run.origin), run.start)
    details = MessageDetails(
        id=run.id,
        model=run.model or answer.model or question.model,
        usage=_fuller(run.usage, answer.usage),
        cost_usd=run.cost_usd,
        duration_ms=milliseconds(run.start, run.end),
        origin=run.origin,
    )
    if answer.messages or details.usage is not None:
        weaver.answer(answer.messages, details, run.end or run.start)
    return run.tools or question.tools or ()


def _fuller(own: TokenUsage | None, reported: TokenUsage | None) -> TokenUsage | None:
    """The platform's own count, or the client's if it is the same with more detail, or the only one."""
    if own is None or reported is None:
        return own or reported
    same = (own.prompt_tokens, own.completion_tokens) == (reported.prompt_tokens, reported.completion_tokens)
    return reported if same and own.details is None else own


def _from_outside(weaver: Weaver, inside: list[Run], outer: list[Run]) -> None:
    """Add the messages of the outermost runs. A history in their outputs has the tools' runs, too."""
    exchanges = [(run, request_of(run.input), reply_of(run.output)) for run in outer if run.kind != "tool"]
    for run, question, _ in exchanges:
        _ask_each(weaver, run, question, run.start)
    if not any(_has_calls(answer) for _, _, answer in exchanges):
        for run in inside:
            if run.kind == "tool":
                weaver.run(_tool_run(run))
    for run, _, answer in exchanges:
        _ask_each(weaver, run, answer, run.end)


def _ask_each(weaver: Weaver, run: Run, exchange: Exchange, timestamp: str | None) -> None:
    seen: Counter[Hashable] = Counter()
    for message in exchange.messages:
        weaver.state(message, seen, details_of(fields_of(message), run.origin), timestamp)


def _has_calls(answer: Exchange) -> bool:
    return any(piece.calls or piece.results for message in answer.messages for piece in pieces_of(message))


def _tool_run(run: Run) -> ToolRun:
    """The run of a tool. LangChain has the call's id in the input (a tool call) or in the output (a tool message)."""
    given, output = mapping(decoded(run.input)), decoded(run.output)
    inner = mapping(output).get("output", output)
    fields = fields_of(decoded(inner))
    is_message = fields.get("tool_call_id") is not None
    arguments, _ = arguments_of(_arguments(given) if given else run.input)
    failed = run.failure is not None or fields.get("status") == "error"
    duration = milliseconds(run.start, run.end)
    return ToolRun(
        run_id=run.id,
        name=run.name,
        arguments=arguments,
        content=run.failure or text_of(fields.get("content") if is_message else inner),
        call_id=text(fields.get("tool_call_id"))
        or (text(given.get("id")) if given.get("type") == "tool_call" else None),
        success=not failed,
        timestamp=run.end or run.start,
        metadata=None if duration is None else {"duration_ms": duration},
        origin=run.origin,
    )


def _arguments(given: Mapping[str, Any]) -> object:
    """A tool's arguments, from a wrapping tool call or LangChain's single ``input``."""
    if given.get("type") == "tool_call" and isinstance(given.get("args"), dict):
        return given["args"]
    lone = decoded(given.get("input")) if len(given) == 1 else None
    return lone if isinstance(lone, dict) else dict(given)


def _adopted(children: Mapping[str, ExecutionTrace], calls: Mapping[str, str]) -> Iterator[ExecutionTrace]:
    for owner in sorted(children):
        child = children[owner]
        if child.details is not None:
            yield attrs.evolve(child, details=attrs.evolve(child.details, parent_call_id=calls.get(owner)))
