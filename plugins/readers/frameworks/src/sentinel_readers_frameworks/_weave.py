"""Joins model calls and tool runs to one conversation.

Every model call repeats the conversation before it. A message of its input is new only if the conversation does not have it
as often yet; its output is always new. A tool's run is the result of its call.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import attrs

from sentinel_core import MessageDetails, ToolCall
from sentinel_core.trace import canonical
from sentinel_core.traces.readers import Piece, TraceBuilder, history_in, pieces_of
from sentinel_core.traces.readers.chat import Result, text_of

__all__ = ["ToolRun", "Weaver"]

_Key = tuple[str, bytes]


@attrs.frozen(kw_only=True)
class ToolRun:
    """A tool's run, as the platform recorded it. ``call_id`` is None if unknown."""

    run_id: str
    name: str
    arguments: dict[str, Any]
    content: str
    call_id: str | None = None
    success: bool | None = None
    timestamp: str | None = None
    metadata: dict[str, Any] | None = None
    origin: str | None = None


class _Open:
    """Calls without a result, by id, by tool, and by tool with arguments; all in order."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._by_name: dict[str, dict[str, None]] = {}
        self._by_key: dict[_Key, dict[str, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, call: ToolCall) -> None:
        self._calls[call.id] = call
        self._by_name.setdefault(call.name, {})[call.id] = None
        self._by_key.setdefault(_key(call.name, call.arguments), {})[call.id] = None

    def close(self, call_id: str) -> ToolCall | None:
        call = self._calls.pop(call_id, None)
        if call is not None:
            self._by_name[call.name].pop(call_id, None)
            self._by_key[_key(call.name, call.arguments)].pop(call_id, None)
        return call

    def made_for(self, run: ToolRun) -> str | None:
        """The open call of a run: by id, else the oldest of that tool, if possible with the same arguments."""
        if run.call_id is not None:
            return run.call_id if run.call_id in self._calls else None
        waiting = self._by_key.get(_key(run.name, run.arguments)) or self._by_name.get(run.name)
        return next(iter(waiting)) if waiting else None


class Weaver:
    """Takes events in order of time, and adds what is new to a trace."""

    def __init__(self, builder: TraceBuilder) -> None:
        self.builder = builder
        self.runs: dict[str, str] = {}
        self._have: Counter[Hashable] = Counter()
        self._open = _Open()
        self._made: set[str] = set()
        self._answered: set[str] = set()
        self._answered_keys: Counter[_Key] = Counter()
        self._ran = False

    def ask(self, messages: Iterable[object], details: MessageDetails, timestamp: str | None) -> None:
        """Add the new messages of a model's input; in the first one, what the agent said in earlier turns is copied context."""
        seen: Counter[Hashable] = Counter()
        pieces = [piece for message in messages for piece in pieces_of(message)]
        copied = history_in(pieces) if not self._have else 0
        for place, piece in enumerate(pieces):
            is_copied = place < copied and piece.role == "assistant"
            self._ask(piece, seen, attrs.evolve(details, is_copied_context=True) if is_copied else details, timestamp)

    def state(self, message: object, seen: "Counter[Hashable]", details: MessageDetails, timestamp: str | None) -> None:
        """Add a message of a history, with its own details, if it is new; ``seen`` counts that history's messages."""
        for piece in pieces_of(message):
            self._ask(piece, seen, details, timestamp)

    def answer(self, messages: Iterable[object], details: MessageDetails, timestamp: str | None) -> None:
        """Add a model's output, as one message."""
        pieces = [piece for message in messages for piece in pieces_of(message, default_role="assistant")]
        whole = _joined(pieces)
        self._have[_print(whole)] += 1
        self._add(whole, details, timestamp)

    def run(self, run: ToolRun) -> None:
        """Add a tool's run as a result; without an open call, add a call, too."""
        self._ran = True
        call_id = self._open.made_for(run)
        if call_id is None:
            if self._is_known(run):
                return
            call_id = run.call_id or run.run_id
            call = ToolCall(id=call_id, name=run.name, arguments=run.arguments)
            self._add(Piece(role="assistant", calls=(call,)), MessageDetails(origin=run.origin), run.timestamp)
        self.runs[run.run_id] = call_id
        result = Result(call_id=call_id, name=run.name, content=run.content, success=run.success, metadata=run.metadata)
        self._add(Piece(role="tool", results=(result,)), MessageDetails(origin=run.origin), run.timestamp)

    def _is_known(self, run: ToolRun) -> bool:
        """Whether the conversation already has this run's result from a later model call's input."""
        if run.call_id is not None:
            return run.call_id in self._answered
        key = _key(run.name, run.arguments)
        known = self._answered_keys[key] > 0
        self._answered_keys[key] -= known
        return known

    def _ask(self, piece: Piece, seen: Counter[Hashable], details: MessageDetails, timestamp: str | None) -> None:
        new = self._new_results(piece) if piece.results else piece
        if new is None or (new.calls and all(call.id and call.id in self._made for call in new.calls)):
            return
        mark = _print(new)
        seen[mark] += 1
        if seen[mark] > self._have[mark]:
            self._have[mark] += 1
            for call in self._add(new, details, timestamp):
                self._answered_keys[_key(call.name, call.arguments)] += 1

    def _new_results(self, piece: Piece) -> Piece | None:
        """The piece without results that are already in the conversation."""
        results = tuple(result for result in piece.results if not self._has(result))
        return attrs.evolve(piece, results=results) if results or piece.text or piece.calls else None

    def _has(self, result: Result) -> bool:
        return result.call_id in self._answered if result.call_id is not None else self._ran and not self._open

    def _add(self, piece: Piece, details: MessageDetails, timestamp: str | None) -> list[ToolCall]:
        """Append a message; returns the calls that it answers."""
        self.builder.add(piece, details=details, timestamp=timestamp)
        added = self.builder.messages[-1]
        for call in added.tool_calls:
            self._open.add(call)
            self._made.add(call.id)
        self._answered.update(result.tool_call_id for result in added.tool_results)
        closed = (self._open.close(result.tool_call_id) for result in added.tool_results)
        return [call for call in closed if call is not None]


def _key(name: str, arguments: dict[str, Any]) -> _Key:
    return name, canonical(arguments)


def _joined(pieces: list[Piece]) -> Piece:
    return Piece(
        role="assistant",
        text="\n".join(filter(None, (piece.text for piece in pieces))) or None,
        reasoning="\n".join(filter(None, (piece.reasoning for piece in pieces))) or None,
        calls=tuple(call for piece in pieces for call in piece.calls),
        results=tuple(result for piece in pieces for result in piece.results),
    )


def _print(piece: Piece) -> Hashable:
    """A key that is equal for the same message in any dump."""
    calls = tuple(call.id or _key(call.name, call.arguments) for call in piece.calls)
    results = tuple((result.call_id, text_of(result.content)) for result in piece.results)
    return piece.role, (piece.text or "").strip(), calls, results
