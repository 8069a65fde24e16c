"""Builds a trace from pieces: gives calls ids, pairs results with calls, counts each usage once."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sentinel_core._fast import evolve
from sentinel_core.runtime.printable import counted
from sentinel_core.trace import (
    GAPS,
    GAPS_AT,
    ExecutionTrace,
    Message,
    MessageDetails,
    TokenUsage,
    ToolCall,
    ToolResult,
    ToolSchema,
    TraceDetails,
)
from sentinel_core.traces.readers.chat import LOST_CALLS, NAMELESS, Piece, Result
from sentinel_core.traces.readers.roles import role_gaps
from sentinel_core.traces.readers.usage import add_usage

__all__ = ["TraceBuilder"]

_MOST_NAMED = 10


class TraceBuilder:
    """Takes pieces in order and builds a trace of version 2.

    A call without an id gets one (``call-1``, ...). A result without an id belongs to the oldest open call of its tool's
    name, else to the oldest open call; if no call is open, it gets the id ``unasked-1``, ..., and is an orphan. Where a message
    lost its calls, each later result with an id of no known call makes one without a name there.
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
        self._lost = Counter[str]()
        self._lost_at: list[int] = []
        self._lost_calls: tuple[int, str] | None = None
        self._known_calls = set[str]()

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
        if calls and not (piece.lost or all(call.name for call in calls)):
            piece = evolve(piece, lost=(NAMELESS,) * sum(not call.name for call in calls))
        if piece.lost:
            for what in piece.lost:
                self.lose(what, by_agent=piece.role == "assistant")
            if calls and LOST_CALLS in piece.lost:  # a result's message has no calls, whatever it lists
                self._lost_calls = (len(self.messages), calls[-1].id)
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

    def lose(self, what: str, *, by_agent: bool = True) -> None:
        """Count something here that cannot be read, such as ``event of an unknown kind``: a reading gap.

        What may be the agent's own may be a call: from here on, no signal concludes anything from a call that is absent.
        """
        self._lost[what] += 1
        if by_agent and self._lost_at[-1:] != [len(self.messages)]:
            self._lost_at.append(len(self.messages))

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
            metadata=self._with_losses(metadata or {}),
            details=TraceDetails(
                available_tools=available_tools,
                outcome=outcome,
                source=self.source,
                parent_call_id=parent_call_id,
                children=tuple(children),
            ),
            schema=2,
        )

    def _with_losses(self, metadata: dict[str, Any]) -> dict[str, Any]:
        lost = [counted(number, what, what.replace(" ", "s ", 1)) for what, number in self._lost.items()]
        more = len(lost) - _MOST_NAMED
        lost[_MOST_NAMED:] = [f"and {counted(more, 'more kind', 'more kinds')}"] if more > 0 else []
        gaps = [*lost, *role_gaps(self._unknown_roles)]
        if not gaps:
            return metadata
        places = {GAPS_AT: self._lost_at} if self._lost_at else {}
        return {**metadata, GAPS: [*(metadata.get(GAPS) or ()), *gaps], **places}

    def _register(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """The calls, each with an id; registers them as open."""
        if not all(call.id for call in calls):
            calls = tuple([call if call.id else evolve(call, id=self._new_id("call")) for call in calls])
        for call in calls:
            self._known_calls.add(call.id)
            self._open[call.id] = call.name
            self._open_by_name.setdefault(call.name, {})[call.id] = None
        return calls

    def _pair(self, result: Result) -> ToolResult:
        call_id = result.call_id or self._open_call_id(result.name)
        if self._lost_calls is not None and call_id not in self._known_calls:
            self._find_lost_call(call_id, *self._lost_calls)
        name = self._open.pop(call_id, None)
        if name is not None:
            self._open_by_name[name].pop(call_id, None)
        return ToolResult(
            tool_call_id=call_id, content=result.content, success=result.success, metadata=result.metadata
        )

    def _find_lost_call(self, call_id: str, position: int, stand_in: str) -> None:
        """Give the call that stands for the lost ones this id; if it has got one already, add another."""
        message = self.messages[position]
        calls = tuple([evolve(call, id=call_id) if call.id == stand_in else call for call in message.tool_calls])
        if calls == message.tool_calls:
            calls = (*calls, ToolCall(id=call_id, name="", arguments={}))
        self._known_calls.add(call_id)
        self.messages[position] = evolve(message, tool_calls=calls)

    def _open_call_id(self, name: str | None) -> str:
        waiting = self._open_by_name.get(name or "") or self._open
        return next(iter(waiting)) if waiting else self._new_id("unasked")

    def _new_id(self, kind: str) -> str:
        self._counts[kind] += 1
        return f"{kind}-{self._counts[kind]}"
