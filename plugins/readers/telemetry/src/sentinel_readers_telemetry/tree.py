"""Builds the tree of spans: parents, the conversation of each span, and spans that record the same model call.

All walks are loops, not recursion: parents may be missing, form cycles, or be twenty thousand deep.
"""

import attrs

from sentinel_readers_telemetry.aliases import TOOL_NAME, Kind
from sentinel_readers_telemetry.attributes import first
from sentinel_readers_telemetry.span import Span

__all__ = ["Node", "tree_of"]

# Sub-agents nest no deeper than this; deeper spans belong to the innermost one.
_MOST_NESTED = 16


@attrs.define(eq=False)
class Node:
    """A span in the tree.

    ``scope`` is the node that owns the sub-agent's conversation of this span, None for the main one; ``opens`` marks such an
    owner, and ``home`` is the scope around the owner. ``outer_model`` is the model span around this one that records the same
    call. ``inside_tool`` marks a span of a tool's internals.
    """

    span: Span
    position: int
    parent: "Node | None" = None
    children: "list[Node]" = attrs.field(factory=list)
    agent: "Node | None" = None
    scope: "Node | None" = None
    home: "Node | None" = None
    opens: bool = False
    nesting: int = 0
    outer_model: "Node | None" = None
    has_inner_model: bool = False
    inside_tool: bool = False
    nearest: "Node | None" = None
    models_below: bool = False

    @property
    def kind(self) -> Kind:
        """The span's kind."""
        return self.span.kind

    @property
    def when(self) -> tuple[int, int]:
        """For sorting: start time, then place in the file."""
        return self.span.start or 0, self.position


def tree_of(spans: list[Span]) -> list[Node]:
    """Every span as a node, each after its parent, siblings by time."""
    nodes = [Node(span, position) for position, span in enumerate(spans)]
    ordered = _top_down(nodes)
    for node in reversed(ordered):
        parent = node.parent
        if parent is not None and (node.models_below or node.kind is Kind.MODEL):
            parent.models_below = True
    for node in ordered:
        node.agent = _nearest_agent(node)
    _mark_parallel(ordered)
    for node in ordered:
        _place(node)
    return ordered


def _top_down(nodes: list[Node]) -> list[Node]:
    by_id = {node.span.id: node for node in nodes if node.span.id}
    roots = []
    for node in nodes:
        parent = by_id.get(node.span.parent_id) if node.span.parent_id else None
        if parent is None or parent is node:
            roots.append(node)
        else:
            node.parent = parent
            parent.children.append(node)
    for node in nodes:
        node.children.sort(key=lambda child: child.when)
    seen: set[int] = set()
    ordered: list[Node] = []
    # Spans that no root reaches form a cycle, which is cut at its earliest span.
    for root in (*sorted(roots, key=lambda node: node.when), *sorted(nodes, key=lambda node: node.when)):
        if root.position not in seen:
            _cut(root)
            _walk(root, seen, ordered)
    return ordered


def _cut(root: Node) -> None:
    if root.parent is not None:
        root.parent.children.remove(root)
        root.parent = None


def _walk(root: Node, seen: set[int], ordered: list[Node]) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.position not in seen:
            seen.add(node.position)
            ordered.append(node)
            waiting.extend(reversed(node.children))


def _nearest_agent(node: Node) -> Node | None:
    parent = node.parent
    if parent is None:
        return None
    return parent if parent.kind is Kind.AGENT else parent.agent


def _mark_parallel(ordered: list[Node]) -> None:
    """Give agents that ran in parallel under one agent, all but the first, their own conversation."""
    groups: dict[int, list[Node]] = {}
    for node in ordered:
        if node.kind is Kind.AGENT and node.models_below:
            groups.setdefault(-1 if node.agent is None else node.agent.position, []).append(node)
    for group in groups.values():
        latest_end = 0
        for node in sorted(group, key=lambda each: each.when):
            start, end = node.span.start, node.span.end
            if start is None or end is None:
                continue
            if start < latest_end:
                node.opens = True
            else:
                latest_end = max(latest_end, end)


def _place(node: Node) -> None:
    """Set scope and nesting of a node. Its parent must be done."""
    parent = node.parent
    if parent is not None:
        node.scope = node.home = parent if parent.opens else parent.scope
        node.nesting = parent.nesting + parent.opens
        node.nearest = parent if parent.kind is not Kind.OTHER else parent.nearest
        node.inside_tool = not parent.opens and (parent.kind is Kind.TOOL or parent.inside_tool)
    if node.nearest is not None and node.kind is Kind.TOOL and _same_tool(node, node.nearest):
        node.inside_tool = True
    elif node.nearest is not None and node.kind is node.nearest.kind is Kind.MODEL:
        node.outer_model = node.nearest
        node.nearest.has_inner_model = True
    is_owner = node.opens or (node.kind is Kind.TOOL and node.models_below)
    node.opens = is_owner and not node.inside_tool and node.nesting < _MOST_NESTED
    if node.opens and node.kind is Kind.AGENT:
        node.scope = node


def _same_tool(node: Node, outer: Node) -> bool:
    """Whether both spans record the same run, by two instrumentations."""
    if outer.kind is not Kind.TOOL:
        return False
    names = (first(each.span.attributes, TOOL_NAME) or each.span.name for each in (node, outer))
    return next(names) == next(names)
