"""Builds one conversation from model calls and tool runs in time order: each message once, each call with its result.

The input of a model call repeats the whole history. New content is found by counting: a text, call or result is new if an
input has it more often than the conversation does.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

import attrs

from sentinel_core.trace import MessageDetails, ToolCall, canonical
from sentinel_core.traces.readers import Piece, TraceBuilder, history_in, iso_time, pieces_of
from sentinel_core.traces.readers.chat import Result
from sentinel_readers_telemetry.model_call import ModelCall
from sentinel_readers_telemetry.payload import Raw
from sentinel_readers_telemetry.span import Span
from sentinel_readers_telemetry.tool_run import ToolRun

__all__ = ["Conversation"]

# System prompts change with the date and other details, so only their start is compared.
_SYSTEM_START = 200


class Conversation:
    """Takes model calls and tool runs in order; ``builder`` then holds the messages."""

    def __init__(self, builder: TraceBuilder) -> None:
        self.builder = builder
        self._recorded: Counter[Hashable] = Counter()
        self._open: dict[str, ToolCall] = {}
        self._open_by_name: dict[str, dict[str, None]] = {}
        self._answers: dict[str, str] = {}
        self._created: dict[tuple[str, bytes], list[str]] = {}
        self._pending: list[tuple[str, ToolRun]] = []
        self._calls = 0
        self._last_inputs: list[Raw] = []
        self._seen: Counter[Hashable] = Counter()

    def add_inputs(self, messages: list[Raw], span: Span) -> None:
        """Add what is new in the messages sent to a model."""
        known = len(self._last_inputs)
        if messages[:known] != self._last_inputs:
            known, self._seen = 0, Counter()
        self._last_inputs, seen = messages, self._seen
        pieces = list(_pieces(messages[known:], "user"))
        copied = (
            0 if self._recorded else history_in(pieces)
        )  # what was said in earlier turns, whose calls are elsewhere
        for place, piece in enumerate(pieces):
            new = self._new_part(piece, seen)
            if new is not None:
                is_copied = place < copied and piece.role == "assistant"
                details = MessageDetails(origin=span.origin, is_copied_context=is_copied)
                self._add(new, iso_time(span.start, "ns"), details)
        self.settle()

    def add_outputs(self, call: ModelCall) -> None:
        """Add a model's answer, which is always new. Without a recorded answer, add a message with the usage only."""
        span = call.span
        pieces = [
            piece if piece.role == "assistant" else attrs.evolve(piece, role="assistant")
            for piece in _pieces(call.outputs, "assistant")
        ]
        if not pieces:
            if span.failed and call.usage is None:
                return
            pieces = [Piece(role="assistant")]
        when = iso_time(span.end or span.start, "ns")
        first = MessageDetails(
            id=call.response_id,
            model=call.model,
            usage=call.usage,
            cost_usd=call.cost,
            duration_ms=_duration(span),
            origin=span.origin,
        )
        self._add(pieces[0], when, first)
        for piece in pieces[1:]:
            self._add(piece, when, MessageDetails(model=call.model, origin=span.origin))

    def add_run(self, run: ToolRun) -> str:
        """Add a tool's run: the result of a model's call, or call and result if no model call is recorded.

        Returns the call's id.
        """
        call_id = self._answered_call(run)
        if call_id is None:
            call_id = run.call_id if run.call_id and run.call_id not in self._answers else f"run-{run.span.id}"
            call = ToolCall(id=call_id, name=run.name, arguments=run.arguments or {})
            self._created.setdefault((call.name, canonical(call.arguments)), []).append(call_id)
            when = iso_time(run.span.start, "ns")
            self._add(Piece(role="assistant", calls=(call,)), when, MessageDetails(origin=run.span.origin))
        if run.content is None:
            self._pending.append((call_id, run))
        elif self._answers.get(call_id) != run.content:
            self._answer(call_id, run)
        return call_id

    def settle(self) -> None:
        """Give calls whose tool ran without a recorded result an empty result."""
        pending, self._pending = self._pending, []
        for call_id, run in pending:
            if call_id in self._open:
                self._answer(call_id, run)

    @property
    def has_open_calls(self) -> bool:
        """Whether a call waits for its result."""
        return bool(self._open)

    def _answer(self, call_id: str, run: ToolRun) -> None:
        result = Result(
            content=run.content or "", call_id=call_id, name=run.name, success=run.success, metadata=run.metadata
        )
        when = iso_time(run.span.end or run.span.start, "ns")
        self._add(Piece(role="tool", results=(result,)), when, MessageDetails(origin=run.span.origin))

    def _answered_call(self, run: ToolRun) -> str | None:
        """The call that a run answers: by id, else the oldest open call of that tool, if possible with the same arguments."""
        if run.call_id and (run.call_id in self._open or run.call_id in self._answers):
            return run.call_id
        waiting = self._open_by_name.get(run.name)
        if not waiting:
            return None
        oldest = next(iter(waiting))
        if run.arguments is None or self._open[oldest].arguments == run.arguments:
            return oldest
        return next((call_id for call_id in waiting if self._open[call_id].arguments == run.arguments), oldest)

    def _add(self, piece: Piece, timestamp: str | None, details: MessageDetails) -> None:
        if piece.calls or piece.results:
            calls = tuple([self._opened(call) for call in piece.calls])
            results = tuple([self._closed(result) for result in piece.results])
            piece = attrs.evolve(piece, calls=calls, results=results)
        elif piece.text is not None:
            self._recorded[_text_atom(piece.role, piece.text)] += 1
        self.builder.add(piece, timestamp=timestamp, details=details)

    def _opened(self, call: ToolCall) -> ToolCall:
        self._recorded[_call_atom(call)] += 1
        if not call.id:
            self._calls += 1
            call = attrs.evolve(call, id=f"call-{self._calls}")
        if call.details is None or call.details.result_expected:
            self._open[call.id] = call
            self._open_by_name.setdefault(call.name, {})[call.id] = None
        return call

    def _closed(self, result: Result) -> Result:
        call_id = result.call_id
        self._recorded[_result_atom(result)] += 1
        if call_id is None:
            waiting = self._open_by_name.get(result.name or "") or self._open
            call_id = next(iter(waiting), None)
        if call_id is not None:
            call = self._open.pop(call_id, None)
            if call is not None:
                self._open_by_name[call.name].pop(call_id, None)
            self._answers[call_id] = result.content
        return result if call_id == result.call_id else attrs.evolve(result, call_id=call_id)

    def _new_part(self, piece: Piece, seen: Counter[Hashable]) -> Piece | None:
        """The part of an input message that is new; None if nothing is."""
        if piece.calls:
            calls = tuple([call for call in piece.calls if not self._is_old(_call_atom(call), seen)])
            calls = tuple([call for call in calls if not self._is_known_run(call)])
            return attrs.evolve(piece, calls=calls) if calls else None
        if piece.results:
            results = tuple([result for result in piece.results if not self._is_old_result(result, seen)])
            return attrs.evolve(piece, results=results) if results else None
        if not piece.text or self._is_old(_text_atom(piece.role, piece.text), seen):
            return None
        return piece

    def _is_old(self, atom: Hashable, seen: Counter[Hashable]) -> bool:
        seen[atom] += 1
        return seen[atom] <= self._recorded[atom]

    def _is_old_result(self, result: Result, seen: Counter[Hashable]) -> bool:
        # A result without a call id can only answer an open call.
        return self._is_old(_result_atom(result), seen) or (result.call_id is None and not self._open)

    def _is_known_run(self, call: ToolCall) -> bool:
        """Whether this model call is the one that ``add_run`` already created for a tool's run."""
        made = self._created.get((call.name, canonical(call.arguments))) if self._created else None
        if not made:
            return False
        self._recorded[_call_atom(call)] += 1
        self._recorded["result", call.id] += 1
        self._answers.setdefault(call.id, self._answers.get(made.pop(0), ""))
        return True


def _pieces(messages: list[Raw], role: Any) -> Iterator[Piece]:
    for message in messages:
        for piece in pieces_of(message, default_role=role):
            if piece.text or piece.calls or piece.results or piece.reasoning or piece.metadata:
                yield piece


def _text_atom(role: str, text: str) -> Hashable:
    if role == "system":
        text = text[:_SYSTEM_START]
    return "text", role, " ".join(text.split())


def _call_atom(call: ToolCall) -> Hashable:
    return ("call", call.id) if call.id else ("call", call.name, canonical(call.arguments))


def _result_atom(result: Result) -> Hashable:
    return ("result", result.call_id) if result.call_id else ("result", result.name, result.content)


def _duration(span: Span) -> float | None:
    if span.start is None or span.end is None or span.end < span.start:
        return None
    return (span.end - span.start) / 1_000_000
