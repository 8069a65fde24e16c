"""Builds a trace from pieces: gives calls ids, pairs results with calls, counts each usage once."""

from collections.abc import Iterable
from typing import Any

from sentinel_core._fast import evolve
from sentinel_core.trace import (
    GAPS,
    ExecutionTrace,
    Message,
    MessageDetails,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
)
from sentinel_core.traces.readers.chat import Piece, Result
from sentinel_core.traces.readers.roles import role_gaps
from sentinel_core.traces.readers.usage import add_usage

__all__ = ["TraceBuilder"]


class TraceBuilder:
    """Takes pieces in order and builds a trace of version 2.

    A call without an id gets one (``call-1``, ...). A result without an id belongs to the oldest open call of its tool's
    name, else to the oldest open call; if no call is open, it gets the id ``unasked-1``, ..., and is an orphan.
    """

    def __init__(self, trace_id: str, source: str) -> None:
        self.trace_id = trace_id
        self.source = source
        self.messages: list[Message] = []
        self._open: dict[str, str] = {}
        self._open_by_name: dict[str, dict[str, None]] = {}
        self._counts = {"call": 0, "unasked": 0}
        self._usages: dict[str, TokenUsage] = {}
        self._unknown_roles: dict[str, int] = {}

    def add(
        self,
        piece: Piece,
        *,
        timestamp: str | None = None,
        details: MessageDetails | None = None,
        usage_key: str | None = None,
    ) -> None:
        """Append one message. Usages with one ``usage_key`` (by default the message's id) count once, the last of them."""
        calls = self._register(piece.calls) if piece.calls else ()
        if piece.unknown_role is not None:
            self._unknown_roles[piece.unknown_role] = self._unknown_roles.get(piece.unknown_role, 0) + 1
        results = tuple([self._pair(result) for result in piece.results]) if piece.results else ()
        if details is not None and details.usage is not None and not details.is_copied_context:
            key = usage_key or details.id or f"#{len(self.messages)}"
            counted = key in self._usages
            self._usages[key] = details.usage
            details = evolve(details, usage=None) if counted else details
        if piece.reasoning is not None:
            details = evolve(details or MessageDetails(), reasoning=piece.reasoning)
        self.messages.append(
            Message(
                role=piece.role,
                content=piece.text,
                tool_calls=calls,
                tool_results=results,
                timestamp=timestamp,
                metadata=piece.metadata,
                details=details,
            )
        )

    def build(
        self,
        *,
        token_usage: TokenUsage | None = None,
        available_tools: tuple[ToolSchema, ...] | None = None,
        outcome: str | None = None,
        parent_call_id: str | None = None,
        children: Iterable[ExecutionTrace] = (),
        metadata: dict[str, Any] | None = None,
    ) -> ExecutionTrace:
        """The trace. Without ``token_usage`` the usages of the messages are added up. Unknown roles become reading gaps."""
        return ExecutionTrace(
            trace_id=self.trace_id,
            messages=self.messages,
            token_usage=token_usage or add_usage(list(self._usages.values())),
            metadata=self._with_unknown_roles(metadata or {}),
            details=TraceDetails(
                available_tools=available_tools,
                outcome=outcome,
                source=self.source,
                parent_call_id=parent_call_id,
                children=tuple(children),
            ),
            schema=2,
        )

    def _with_unknown_roles(self, metadata: dict[str, Any]) -> dict[str, Any]:
        if not self._unknown_roles:
            return metadata
        return {**metadata, GAPS: [*(metadata.get(GAPS) or ()), *role_gaps(self._unknown_roles)]}

    def _register(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """The calls, each with an id; registers them as open."""
        if not all(call.id for call in calls):
            calls = tuple([call if call.id else evolve(call, id=self._new_id("call")) for call in calls])
        for call in calls:
            self._open[call.id] = call.name
            self._open_by_name.setdefault(call.name, {})[call.id] = None
        return calls

    def _pair(self, result: Result) -> ToolResult:
        call_id = result.call_id or self._open_call_id(result.name)
        name = self._open.pop(call_id, None)
        if name is not None:
            self._open_by_name[name].pop(call_id, None)
        return ToolResult(
            tool_call_id=call_id, content=result.content, success=result.success, metadata=result.metadata
        )

    def _open_call_id(self, name: str | None) -> str:
        waiting = self._open_by_name.get(name or "") or self._open
        return next(iter(waiting)) if waiting else self._new_id("unasked")

    def _new_id(self, kind: str) -> str:
        self._counts[kind] += 1
        return f"{kind}-{self._counts[kind]}"
