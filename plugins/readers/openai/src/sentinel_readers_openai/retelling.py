"""Turns one agent's spans into messages. Each model call repeats the whole history; every message is added once."""

from collections import deque
from collections.abc import Iterable

from sentinel_core import ToolCall
from sentinel_core.trace import canonical, to_json
from sentinel_core.traces.readers import Piece, pieces_of, usage_of
from sentinel_core.traces.readers.chat import Result, arguments_of, call_of, text_of
from sentinel_readers_openai.drafts import Draft
from sentinel_readers_openai.spans import Span
from sentinel_readers_openai.values import text

__all__ = ["Retelling"]

# The SDK's marks around the history that it puts into one message at a handoff.
_FOLDED = "<CONVERSATION HISTORY>"
_Key = tuple[object, ...]


class Retelling:
    """Takes the spans of one scope in order of their start and gathers ``drafts``.

    ``call_ids`` maps function spans to call ids; ``silent`` lists model calls of which only the tokens are recorded.
    """

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.call_ids: dict[str, str] = {}
        self.silent: list[str] = []
        self._recorded: dict[_Key, int] = {}
        self._answered: set[str] = set()
        self._waiting: set[str] = set()
        self._open: dict[_Key, deque[str]] = {}
        self._last: Draft | None = None

    def add(self, span: Span) -> None:
        """Add one span; spans without a message are skipped."""
        if span.kind in ("generation", "response"):
            self._model_call(span)
        elif span.kind == "function":
            self._function(span)
        elif span.kind == "handoff":
            self._handoff(span)

    def _model_call(self, span: Span) -> None:
        self._history(span)
        output = span.data.get("output")
        model = text(span.data.get("model"))
        found = []
        for raw in output if isinstance(output, list) else ():
            for piece in pieces_of(raw, default_role="assistant"):
                key = _key(piece)
                self._recorded[key] = self._recorded.get(key, 0) + 1
                found.append(self._say(piece, span, span.end))
        if not found:
            self.silent.append(span.origin)
            found.append(self._say(Piece(role="assistant"), span, span.end))
        for draft in found:
            draft.id, draft.model = text(span.data.get("response_id")) or span.id, model
        found[0].usage, found[0].duration_ms = usage_of(span.data.get("usage")), span.duration_ms

    def _history(self, span: Span) -> None:
        """Add the new messages of an input. A message that is there twice must be in the conversation twice."""
        given = span.data.get("input")
        here: dict[_Key, int] = {}
        for raw in given if isinstance(given, list) else [{"role": "user", "content": given}] if text(given) else ():
            for piece in pieces_of(raw):
                if piece.results and all(result.call_id in self._answered for result in piece.results):
                    continue
                key = _key(piece)
                here[key] = here.get(key, 0) + 1
                if here[key] > self._recorded.get(key, 0):
                    self._recorded[key] = here[key]
                    self._say(piece, span, span.start).is_copied = _FOLDED in (piece.text or "")

    def _say(self, piece: Piece, span: Span, timestamp: str | None) -> Draft:
        draft = Draft(role=piece.role, origin=span.origin, timestamp=timestamp or None)
        draft.texts = [piece.text] if piece.text else []
        draft.reasoning = [piece.reasoning] if piece.reasoning else []
        draft.results = [result for result in piece.results if result.call_id not in self._answered]
        self._answered.update(result.call_id for result in draft.results if result.call_id)
        self._waiting.difference_update(result.call_id for result in draft.results if result.call_id)
        self.drafts.append(draft)
        if piece.role == "assistant":
            self._last = draft
            for call in piece.calls:
                self._ask(call, draft)
        return draft

    def _ask(self, call: ToolCall, draft: Draft) -> None:
        draft.calls.append(call)
        if call.id:
            self._waiting.add(call.id)
            for key in ((call.name, canonical(call.arguments)), (call.name,)):
                self._open.setdefault(key, deque()).append(call.id)

    def _open_call(self, keys: Iterable[_Key]) -> str | None:
        """The oldest open call for the first key that has one."""
        for key in keys:
            waiting = self._open.get(key, deque())
            while waiting:
                call_id = waiting.popleft()
                if call_id in self._waiting:
                    self._waiting.discard(call_id)
                    return call_id
        return None

    def _function(self, span: Span) -> None:
        name = text(span.data.get("name")) or ""
        arguments, _ = arguments_of(span.data.get("input"))
        call_id = self._open_call(((name, canonical(arguments)), (name,)))
        if call_id is None:
            call_id = self._add_call(span, name)
        self.call_ids[span.id] = call_id
        output = span.data.get("output")
        content = text_of(output) if output is not None else span.problem or ""
        metadata = {"duration_ms": span.duration_ms, "error": span.problem}
        self._answer(span, call_id, content, {key: value for key, value in metadata.items() if value is not None})

    def _handoff(self, span: Span) -> None:
        """Add a handoff, which is a call; if replies have no text, only this span records it."""
        target = text(span.data.get("to_agent")) or ""
        name = "transfer_to_" + "".join(letter if letter.isalnum() else "_" for letter in target).lower()
        call_id = self._open_call(((name,),))
        if call_id is None and self.silent:
            call_id = self._add_call(span, name)
        if call_id is not None:
            self._answer(span, call_id, to_json({"assistant": target}).decode(), {})

    def _add_call(self, span: Span, name: str) -> str:
        """Add a call that no reply records, to the model call before it."""
        if self._last is None:
            self._last = self._say(Piece(role="assistant"), span, span.start)
        self._last.calls.append(call_of({"id": span.id, "name": name, "arguments": span.data.get("input")}))
        return span.id

    def _answer(self, span: Span, call_id: str, content: str, metadata: dict[str, object]) -> None:
        result = Result(
            call_id=call_id, content=content, success=False if span.error else None, metadata=metadata or None
        )
        self._say(Piece(role="tool", results=(result,)), span, span.end)


def _key(piece: Piece) -> _Key:
    """A key that is equal for the same message, even if empty fields are written differently."""
    calls = tuple((call.id, call.name) for call in piece.calls)
    return piece.role, piece.text, calls, tuple((result.call_id, result.content) for result in piece.results)
