"""Reads the output of ``gemini --output-format stream-json``: one event per line."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.traces.readers import BadRecord, Piece, Record, TraceBuilder, counted, usage_of
from sentinel_core.traces.readers.chat import Result, arguments_of, text_of
from sentinel_readers_frameworks._files import Skipped, documents, mapping, place_of, text, utc

__all__ = ["is_event", "read"]

_EVENTS = frozenset({"init", "message", "result", "tool_result", "tool_use"})
_SUCCESS: Mapping[object, bool] = {"success": True, "error": False}
_OUTCOMES: Mapping[object, str] = {"success": "completed", "error": "error"}
_KEPT_STATS = ("duration_ms", "tool_calls")


@attrs.define(kw_only=True)
class _Turn:
    """A message of the agent that is not complete yet."""

    origin: str
    timestamp: str | None
    texts: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)


class _Run:
    """The events of one session."""

    def __init__(self, name: str) -> None:
        self._builder = TraceBuilder(name, "gemini-cli")
        self._model: str | None = None
        self._turn: _Turn | None = None
        self._result: Mapping[str, Any] = {}
        self._notices: list[str] = []
        self._lost: list[str] = []

    def take(self, record: Record) -> None:
        """Add an event."""
        event, kind = record.value, record.value.get("type")
        if kind == "init":
            self._model = text(event.get("model"))
        elif kind == "message":
            self._message(record)
        elif kind == "tool_use":
            self._call(record)
        elif kind == "tool_result":
            self._close()
            self._add(Piece(role="tool", results=(_result(event),)), record)
        elif kind == "error":
            self._notices.append(text_of(event.get("message")))
        elif kind == "result":
            self._result = event
        else:
            self._lost.append(f'event of the unknown kind "{str(kind)[:60]}"')

    def trace(self, skipped: Skipped) -> ExecutionTrace:
        """The whole session. A stream without its result broke off."""
        self._close()
        metadata = skipped.metadata()
        gaps = [
            *metadata.get("reading_gaps", ()),
            *(counted(n, what, what.replace("event", "events", 1)) for what, n in Counter(self._lost).items()),
        ]
        stats = mapping(self._result.get("stats"))
        known = {key: stats[key] for key in _KEPT_STATS if stats.get(key) is not None}
        notices = [*self._notices, *filter(None, [text_of(mapping(self._result.get("error")).get("message"))])]
        return self._builder.build(
            token_usage=usage_of(stats),
            outcome=_OUTCOMES.get(text(self._result.get("status"))) if self._result else "interrupted",
            metadata={**known, **({"notices": notices} if notices else {}), **({"reading_gaps": gaps} if gaps else {})},
        )

    def _message(self, record: Record) -> None:
        """Add a text. An answer comes in parts, which are written without anything between them."""
        event, said = record.value, text_of(record.value.get("content"))
        if event.get("role") != "assistant":
            self._close()
            is_user = event.get("role") == "user"
            self._add(Piece(role="user", text=said, unknown_role=None if is_user else str(event.get("role"))), record)
            return
        if self._turn is not None and (self._turn.calls or event.get("delta") is not True):
            self._close()
        self._open(record).texts.append(said)

    def _call(self, record: Record) -> None:
        event = record.value
        arguments, not_json = arguments_of(event.get("parameters"))
        name = text(event.get("tool_name"))
        if name is None or not_json is not None:
            self._lost.append("event of a call without a name or parameters")
        call_id = text(event.get("tool_id")) or ""
        call = ToolCall(id=call_id, name=name or "", arguments=arguments, timestamp=utc(event.get("timestamp")))
        self._open(record).calls.append(call)

    def _open(self, record: Record) -> _Turn:
        if self._turn is None:
            self._turn = _Turn(origin=place_of(record), timestamp=utc(record.value.get("timestamp")))
        return self._turn

    def _close(self) -> None:
        """Add the message in the making, with what could not be read before it."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        lost, self._lost = tuple(self._lost), []
        self._builder.add(
            Piece(role="assistant", text="".join(turn.texts) or None, calls=tuple(turn.calls), lost=lost),
            timestamp=turn.timestamp,
            details=MessageDetails(model=self._model, origin=turn.origin),
        )

    def _add(self, piece: Piece, record: Record) -> None:
        time = utc(record.value.get("timestamp"))
        self._builder.add(piece, timestamp=time, details=MessageDetails(origin=place_of(record)))


def is_event(value: object) -> bool:
    """Whether a record is an event of the stream, not a line of a chat."""
    fields = mapping(value)
    kind = fields.get("type")
    return isinstance(kind, str) and (kind in _EVENTS or (kind == "error" and "severity" in fields))


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session; a ``ReadError`` if the stream holds no message."""
    runs: dict[str, _Run] = {}
    skipped = Skipped()
    name = source.name
    for record in documents(source):
        if isinstance(record, BadRecord):
            skipped.bad.append(record)
        elif not isinstance(record.value, dict):
            skipped.count("line is not an event", "lines are not events")
        else:
            if record.value.get("type") == "init":
                name = text(record.value.get("session_id")) or source.name
            runs.setdefault(name, _Run(name)).take(record)
    if refused := skipped.refusals(source):
        yield from refused
        return
    traces = [trace for run in runs.values() if (trace := run.trace(skipped)).messages]
    yield from traces
    if not traces:
        yield next(skipped.errors(), ReadError(message="no event is a message"))


def _result(event: Mapping[str, Any]) -> Result:
    """A tool's result; what it shows on the screen, else its error."""
    shown = text_of(event.get("output")) or text_of(mapping(event.get("error")).get("message"))
    return Result(call_id=text(event.get("tool_id")), content=shown, success=_SUCCESS.get(text(event.get("status"))))
