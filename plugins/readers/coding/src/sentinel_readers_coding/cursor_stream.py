"""Reads the output of ``cursor-agent -p --output-format stream-json``: one event per line.

Each tool call is a pair of events, ``started`` and ``completed``, and not a block of a message as in Claude Code's stream.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source
from sentinel_core.traces.readers import (
    BadRecord,
    Piece,
    Record,
    TraceBuilder,
    counted,
    gaps_at,
    iso_time,
    json_records,
    pieces_of,
    refusals,
    usage_of,
)
from sentinel_readers_coding.cursor_tools import Tool, tool_of

__all__ = ["read"]

_OUTCOMES: Mapping[object, str] = {"success": "completed", "error": "error"}
_KEPT_METADATA = ("duration_api_ms", "duration_ms", "request_id")
_KEPT_OF_INIT = ("cwd", "permissionMode")
_USAGE = {
    "cacheReadTokens": "cache_read_input_tokens",
    "cacheWriteTokens": "cache_creation_input_tokens",
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
}


@attrs.define(kw_only=True)
class _Turn:
    """A message of the agent that is not complete yet: its text may go on, and more calls may start beside its own."""

    origin: str
    timestamp: str | None
    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    pieces: list[Piece] = attrs.field(factory=list)

    @property
    def text(self) -> str:
        """What was said so far. Parts of a text are written without anything between them."""
        return "".join(self.texts)


class _Run:
    """The events of one session."""

    def __init__(self, name: str) -> None:
        self.builder = TraceBuilder(name, "cursor-stream")
        self.known: dict[str, Any] = {}
        self.results: list[Mapping[str, Any]] = []
        self._model: str | None = None
        self._turn: _Turn | None = None
        self._in_parts = ""  # the last text that came in parts
        self._started: set[str] = set()
        self._lost: list[str] = []

    def take(self, record: Record) -> None:
        """Add an event, whose ``type`` is text."""
        event, kind = record.value, record.value["type"]
        if kind == "system":
            self.known.update({key: event[key] for key in _KEPT_OF_INIT if isinstance(event.get(key), str)})
            self._model = event["model"] if isinstance(event.get("model"), str) else self._model
        elif kind == "thinking":
            if isinstance(event.get("text"), str):
                self._open(
                    record, is_fresh=bool(self._turn and (self._turn.texts or self._turn.pieces))
                ).reasoning.append(event["text"])
        elif kind in ("assistant", "user"):
            self._message(record)
        elif kind == "tool_call":
            self._tool(record)
        elif kind == "result":
            self.results.append(event)
        else:
            self._lost.append(f'event of the unknown kind "{kind[:60]}"')

    def trace(self, lost: list[str]) -> ExecutionTrace:
        """The whole session."""
        self._close()
        result = self.results[-1] if self.results else {}
        outcome = "error" if result.get("is_error") is True else _OUTCOMES.get(str(result.get("subtype")))
        rest = Counter(self._lost)
        gaps = [counted(number, what, what.replace("event", "events", 1)) for what, number in rest.items()]
        metadata = {**self.known, **{key: result[key] for key in _KEPT_METADATA if result.get(key) is not None}}
        return self.builder.build(
            token_usage=usage_of(_usage(result)) if len(self.results) == 1 else None,
            outcome=outcome if self.results else "interrupted",
            metadata={**metadata, **({"reading_gaps": [*lost, *gaps]} if lost or gaps else {})},
        )

    def _message(self, record: Record) -> None:
        event = record.value
        pieces = pieces_of(event.get("message"), default_role=event["type"])
        if not pieces or pieces[0].role != event["type"]:
            self._lost.append(f"event without a message of the {event['type']}")
        elif event["type"] == "user":
            self._close()
            for piece in pieces:
                self.builder.add(piece, timestamp=_time(event), details=MessageDetails(origin=_place(record)))
        else:
            self._agent(record, pieces[0])

    def _agent(self, record: Record, piece: Piece) -> None:
        """Add what the agent says. With ``--stream-partial-output`` the parts of a text come first, and then the whole of it."""
        event, text = record.value, piece.text or ""
        is_part = "timestamp_ms" in event and "model_call_id" not in event
        if not is_part and text and text == self._in_parts and not (piece.calls or piece.lost):
            return
        is_fresh = self._turn is not None and bool(self._turn.pieces or (self._turn.texts and not is_part))
        turn = self._open(record, is_fresh=is_fresh)
        turn.texts.append(text)
        if piece.calls or piece.lost:
            turn.pieces.append(piece)
        self._in_parts = turn.text if is_part else ""

    def _tool(self, record: Record) -> None:
        event = record.value
        tool = tool_of(event)
        if tool is None:
            self._lost.append("event of a call to an unknown tool")
            call_id = event.get("call_id")
            tool = Tool(name="", arguments={}, call_id=call_id if isinstance(call_id, str) else "")
        key = tool.call_id or tool.name
        if key not in self._started:
            self._started.add(key)
            self._open(record, is_fresh=False).pieces.append(Piece(role="assistant", calls=(tool.call(_time(event)),)))
        if event.get("subtype") != "completed":
            return
        self._started.discard(key)
        self._close()
        result, unknown = tool.result()
        if unknown is not None:
            self._lost.append(f'event with the unknown outcome "{unknown[:60]}"')
        self.builder.add(
            Piece(role="tool", results=(result,)), timestamp=_time(event), details=MessageDetails(origin=_place(record))
        )

    def _open(self, record: Record, *, is_fresh: bool) -> _Turn:
        """The message in the making; a fresh one where the last is complete."""
        if is_fresh:
            self._close()
        if self._turn is None:
            self._turn = _Turn(origin=_place(record), timestamp=_time(record.value))
        return self._turn

    def _close(self) -> None:
        """Add the message in the making, with what could not be read before it."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        lost, self._lost = self._lost, []
        self.builder.add(
            Piece(
                role="assistant",
                text=turn.text or None,
                reasoning="".join(turn.reasoning) or None,
                calls=tuple(call for piece in turn.pieces for call in piece.calls),
                lost=(*(part for piece in turn.pieces for part in piece.lost), *lost),
            ),
            timestamp=turn.timestamp,
            details=MessageDetails(model=self._model, origin=turn.origin),
        )


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session, in the order in which they begin; a ``ReadError`` if the stream holds no message.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    runs: dict[str, _Run] = {}
    bad: list[BadRecord] = []
    strange: list[int] = []
    for record in json_records(source):
        if isinstance(record, BadRecord):
            bad.append(record)
        elif not isinstance(record.value, dict) or not isinstance(record.value.get("type"), str):
            strange.append(record.line)
        else:
            session = record.value.get("session_id")
            name = session if isinstance(session, str) and session else source.name
            runs.setdefault(name, _Run(name)).take(record)
    if refused := refusals([record.error() for record in bad], strict=source.strict):
        yield from refused
        return
    lost = gaps_at("line is not JSON", "lines are not JSON", [record.line for record in bad])
    lost += gaps_at("line is not an event", "lines are not events", strange)
    traces = [run.trace(lost) for run in runs.values()]
    spoken = [trace for trace in traces if trace.messages]
    yield from spoken
    if not spoken:
        yield bad[0].error() if bad and not runs else ReadError(message=_nothing(runs))


def _nothing(runs: Mapping[str, _Run]) -> str:
    if any(run.results for run in runs.values()):
        return "contains a result without its messages; use --output-format stream-json"
    return "no event is a message"


def _usage(result: Mapping[str, Any]) -> dict[str, Any]:
    usage = result.get("usage")
    return {name: usage[key] for key, name in _USAGE.items() if key in usage} if isinstance(usage, dict) else {}


def _time(event: Mapping[str, Any]) -> str | None:
    return iso_time(event.get("timestamp_ms"), "ms")


def _place(record: Record) -> str:
    return record.path or f"line {record.line}"
