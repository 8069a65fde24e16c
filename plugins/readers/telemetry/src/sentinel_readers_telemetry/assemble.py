"""Assembles the spans of one trace id to one trace, with sub-agents as children."""

from collections.abc import Callable, Iterable, Mapping

import attrs

from sentinel_core.telemetry.names import ROOT_SPAN
from sentinel_core.trace import ExecutionTrace, ToolSchema
from sentinel_core.traces.readers import TraceBuilder
from sentinel_readers_telemetry.aliases import SESSION, Kind
from sentinel_readers_telemetry.attributes import first
from sentinel_readers_telemetry.conversation import Conversation
from sentinel_readers_telemetry.model_call import ModelCall, model_call_of
from sentinel_readers_telemetry.span import Span
from sentinel_readers_telemetry.tool_run import tool_run_of
from sentinel_readers_telemetry.tree import Node, tree_of

__all__ = ["trace_of"]

_OUTCOMES = {"length": "max_tokens", "max_tokens": "max_tokens", "content_filter": "refused", "refusal": "refused"}
_Event = tuple[int, int, Callable[[], None]]


def trace_of(spans: list[Span], trace_id: str, source: str, notes: Mapping[str, list[str]]) -> ExecutionTrace | None:
    """One trace, with ``notes`` in its metadata; None if no span records a message, a call or a result."""
    nodes = tree_of(spans)
    calls = _model_calls(nodes)
    scopes: dict[int | None, _Scope] = {}
    for node in nodes:
        key = None if node.scope is None else node.scope.position
        if key not in scopes:
            name = trace_id if node.scope is None else f"{trace_id}/{node.scope.span.id or node.scope.position}"
            scopes[key] = _Scope(node.scope, Conversation(TraceBuilder(name, source)))
        scopes[key].nodes.append(node)
    for scope in scopes.values():
        scope.replay(calls)
    return _assembled(scopes, nodes, notes)


def _assembled(
    scopes: "dict[int | None, _Scope]", nodes: list[Node], notes: Mapping[str, list[str]]
) -> ExecutionTrace | None:
    """Build the innermost conversations first, because they are the children of the outer ones."""
    for key, scope in reversed(scopes.items()):
        owner = scope.owner
        if key is None or owner is None or not scope.conversation.builder.messages:
            continue
        home = scopes.get(None if owner.home is None else owner.home.position)
        if home is not None:
            home.children.append(scope.build(parent_call_id=home.call_ids.get(owner.position)))
    main = scopes.get(None)
    if main is None or not (main.conversation.builder.messages or main.children):
        return None
    session = next((value for node in nodes if isinstance(value := first(node.span.attributes, SESSION), str)), None)
    unrecorded = sum(scope.unrecorded for scope in scopes.values())
    missing = [f"model calls without recorded messages: {unrecorded}"] if unrecorded else []
    root = next((node.span.id for node in nodes if node.parent is None and node.span.id), None)
    gaps = [*notes.get("reading_gaps", ()), *missing]
    known = {"conversation_id": session, ROOT_SPAN: root, **notes, "reading_gaps": gaps}
    return main.build(metadata={key: value for key, value in known.items() if value})


@attrs.define(eq=False)
class _Scope:
    """One conversation: the main one, or that of the sub-agent ``owner``."""

    owner: Node | None
    conversation: Conversation
    nodes: list[Node] = attrs.field(factory=list)
    children: list[ExecutionTrace] = attrs.field(factory=list)
    call_ids: dict[int, str] = attrs.field(factory=dict)
    tools: dict[str, ToolSchema] = attrs.field(factory=dict)
    unrecorded: int = 0
    last_call: ModelCall | None = None

    def replay(self, calls: dict[int, ModelCall]) -> None:
        """Add every event of the scope's spans to the conversation, in order of time."""
        own = [calls[node.position] for node in self.nodes if node.position in calls]
        self.unrecorded = sum(not call.inputs and not call.outputs for call in own)
        events = list(self._substitute_events(own))
        for node in self.nodes:
            if node.position in calls:
                events.append((*node.when, self._model_event(calls[node.position])))
            elif node.kind is Kind.TOOL and not node.inside_tool:
                events.append((*node.when, self._tool_event(node)))
        for _, _, happen in sorted(events, key=lambda event: event[:2]):
            happen()
        self.conversation.settle()

    def build(self, *, parent_call_id: str | None = None, metadata: dict[str, object] | None = None) -> ExecutionTrace:
        return self.conversation.builder.build(
            available_tools=tuple(self.tools.values()) or None,
            outcome=self._outcome(),
            parent_call_id=parent_call_id,
            children=reversed(self.children),
            metadata=metadata,
        )

    def _model_event(self, call: ModelCall) -> Callable[[], None]:
        def happen() -> None:
            self._offer(call)
            self.conversation.add_inputs(call.inputs, call.span)
            self.conversation.add_outputs(call)
            self.last_call = call

        return happen

    def _tool_event(self, node: Node) -> Callable[[], None]:
        def happen() -> None:
            run = tool_run_of(node.span)
            self.call_ids[node.position] = self.conversation.add_run(run)
            if self.tools:
                # A tool that ran was available, even if no request lists it.
                self.tools.setdefault(run.name, ToolSchema(name=run.name))

        return happen

    def _offer(self, call: ModelCall) -> None:
        for tool in call.tools or ():
            known = self.tools.get(tool.name)
            if known is None or known.parameters is None:
                self.tools[tool.name] = tool

    def _substitute_events(self, own: list[ModelCall]) -> Iterable[_Event]:
        """If no model call has messages, use those of the outermost agent span, or else of another span."""
        if any(call.inputs or call.outputs for call in own):
            return
        outer = sorted(
            (node for node in self.nodes if node.kind in (Kind.AGENT, Kind.OTHER) and not node.inside_tool),
            key=lambda node: node.kind is not Kind.AGENT,
        )
        for node in outer:
            recorded = model_call_of(node.span)
            if recorded.inputs or recorded.outputs:
                recorded.usage = None if any(call.usage for call in own) else recorded.usage
                yield from self._events_of(node, recorded)
                return

    def _events_of(self, node: Node, recorded: ModelCall) -> Iterable[_Event]:
        self.unrecorded = 0
        yield (node.span.start or 0, -1, lambda: self.conversation.add_inputs(recorded.inputs, recorded.span))
        if recorded.outputs or recorded.usage:
            last = max(each.span.end or each.span.start or 0 for each in self.nodes)
            yield (last, len(self.nodes) + max(each.position for each in self.nodes), lambda: self._conclude(recorded))

    def _conclude(self, recorded: ModelCall) -> None:
        """Settle open results first, so that the final answer comes last."""
        self.conversation.settle()
        self.conversation.add_outputs(recorded)

    def _outcome(self) -> str | None:
        call = self.last_call
        if call is None:
            return None
        if call.span.failed:
            return "error"
        return _OUTCOMES.get(call.finish or "", "interrupted" if self.conversation.has_open_calls else "completed")


def _model_calls(nodes: list[Node]) -> dict[int, ModelCall]:
    """The innermost model spans by position, completed from those around them; each response counts once."""
    calls = {
        node.position: model_call_of(node.span)
        for node in nodes
        if node.kind is Kind.MODEL and not node.has_inner_model
    }
    _complete_from_outer(nodes, calls)
    known: dict[str, ModelCall] = {}
    for position, call in list(calls.items()):
        if call.response_id is None:
            continue
        if call.response_id in known:
            known[call.response_id].fill(call)
            del calls[position]
        else:
            known[call.response_id] = call
    return calls


def _complete_from_outer(nodes: list[Node], calls: dict[int, ModelCall]) -> None:
    """Copy an outer span's request to its first inner call, and its reply and usage to the last, if those have none."""
    first_in: dict[int, ModelCall] = {}
    last_in: dict[int, ModelCall] = {}
    counted: set[int] = set()
    for node in reversed(nodes):
        if node.kind is not Kind.MODEL:
            continue
        here = node.position
        if here in calls:
            first_in[here] = last_in[here] = calls[here]
            if calls[here].usage is not None:
                counted.add(here)
        else:
            _complete(node, first_in[here], last_in[here], uses_counted=here in counted)
            if last_in[here].usage is not None:
                counted.add(here)
        if (outer := node.outer_model) is not None:
            # Walking backwards: the last of the inner calls is met first.
            last_in.setdefault(outer.position, last_in[here])
            first_in[outer.position] = first_in[here]
            if here in counted:
                counted.add(outer.position)


def _complete(node: Node, earliest: ModelCall, latest: ModelCall, *, uses_counted: bool) -> None:
    if earliest.inputs and earliest.tools and latest.outputs and latest.response_id and uses_counted:
        return
    recorded = model_call_of(node.span)
    earliest.fill_inputs(recorded)
    latest.fill_outputs(recorded)
    if not uses_counted:
        latest.usage = recorded.usage
