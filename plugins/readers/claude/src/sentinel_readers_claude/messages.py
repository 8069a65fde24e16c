"""Anthropic's Messages API: lists of messages, requests, request and response pairs, and batch files."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.trace import MessageDetails, canonical
from sentinel_core.traces.readers import (
    BadRecord,
    Piece,
    Record,
    TraceBuilder,
    gaps_at,
    json_records,
    refusals,
    tool_schemas,
)
from sentinel_core.traces.readers.chat import text_of
from sentinel_readers_claude.exchange import Exchange, exchange_of, role_of, single, time_of
from sentinel_readers_claude.turns import OUTCOMES, Line, add_turns, blocks_of, turns_of

__all__ = ["read"]

_MOST_OPEN = 16
_FIRST = b""


@attrs.define(kw_only=True, eq=False)
class _Conversation:
    """One or more exchanges, each of which repeats and continues the one before."""

    trace_id: str
    lines: list[Line] = attrs.field(factory=list)
    answer: Line | None = None
    request: Mapping[str, Any] = attrs.field(factory=dict)
    unusable: list[str] = attrs.field(factory=list)
    error: str | None = None
    bad: list[int] = attrs.field(factory=list)

    def go_on(self, exchange: Exchange, known: int) -> None:
        """Add the exchange's messages after its first ``known``."""
        fresh = list(enumerate(exchange.messages))[known:]
        if self.answer is not None:
            self.lines.append(self.answer)
            fresh = fresh[1:] if fresh and role_of(fresh[0][1]) == "assistant" else fresh
        self.lines += filter(None, (self._line(exchange, position, message) for position, message in fresh))
        self.request = {**self.request, **exchange.request}
        self.answer, self.error = None, None
        if exchange.response is not None:
            self._take_response(exchange, exchange.response)

    def all_lines(self) -> list[Line]:
        """Every message, with the last answer."""
        return self.lines if self.answer is None else [*self.lines, self.answer]

    def _take_response(self, exchange: Exchange, response: Mapping[str, Any]) -> None:
        problem = response.get("error")
        if isinstance(problem, dict):
            self.error = text_of(problem.get("message")) or "error"
        elif blocks_of(response) is None:
            self.unusable.append(f"{exchange.origin}: response")
        else:
            self.answer = Line(
                role="assistant",
                message=response,
                origin=exchange.origin,
                number=exchange.number,
                timestamp=exchange.timestamp,
            )

    def _line(self, exchange: Exchange, position: int, message: object) -> Line | None:
        origin = exchange.origin if exchange.within is None else f"{exchange.at}{exchange.within}[{position}]"
        role = role_of(message)
        if role is None or not isinstance(message, dict) or blocks_of(message) is None:
            self.unusable.append(origin)
            return None
        timestamp = time_of(message) or exchange.timestamp
        return Line(role=role, message=message, origin=origin, number=exchange.number, timestamp=timestamp)


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """Every conversation, and a ``ReadError`` for each record that belongs to none.

    The last sixteen conversations stay open, so that a log with a few interleaved ones is read correctly.
    """
    log = _Log(source.name, strict=source.strict)
    found = False
    for outcome in log.outcomes(json_records(source)):
        found = True
        yield outcome
    if not found:
        yield ReadError(message="contains no message")


class _Log:
    """The open conversations, by a digest of all their messages."""

    def __init__(self, name: str, *, strict: bool) -> None:
        self._name = name
        self._strict = strict
        self._begun = self._keys = 0
        self._open: dict[bytes, _Conversation] = {}
        self._first: Exchange | None = None
        self._loose: _Conversation | None = None
        self._bad: list[BadRecord] = []

    def outcomes(self, records: Iterable[Record | BadRecord]) -> Iterator[ExecutionTrace | ReadError]:
        """One trace per conversation, once it is closed; lines that are not JSON come last."""
        for record in records:
            if isinstance(record, BadRecord):
                self._bad.append(record)
            elif not self._is_taken(record):
                yield ReadError(message="is neither a message nor a request nor a response", line=record.line)
            yield from self._closed(_MOST_OPEN)
        errors = [record.error() for record in self._bad]
        is_reported = self._loose is not None and not refusals(errors, strict=self._strict)
        if self._loose is not None and is_reported:
            self._loose.bad = [record.line for record in self._bad]
            yield _trace(self._loose)
        yield from self._closed(0)
        if not is_reported:
            yield from errors

    def _is_taken(self, record: Record) -> bool:
        """Add a record to its conversation; False if it has another format."""
        value = record.value
        if role_of(value) is not None and "messages" not in value:
            self._loose = self._loose or self._begin(None)
            self._loose.go_on(single(record), 0)
            return True
        exchange = exchange_of(record)
        if exchange is not None:
            self._place(exchange)
        return exchange is not None

    def _closed(self, most: int) -> Iterator[ExecutionTrace]:
        """Close conversations beyond ``most``, the least recently used first."""
        while len(self._open) > most:
            yield _trace(self._open.pop(next(iter(self._open))))

    def _place(self, exchange: Exchange) -> None:
        """Continue the conversation that the exchange repeats, or begin one; a repeated request is a retry."""
        if not self._open:
            self._first = exchange
            self._open[_FIRST] = self._begin(exchange.name)
            self._open[_FIRST].go_on(exchange, 0)
            return
        self._settle_first()
        digests = list(_digests(exchange.messages))
        shorter = range(0 if exchange.name else len(digests) - 1, 0, -1)
        known = next((length for length in shorter if digests[length - 1] in self._open), 0)
        conversation = self._open.pop(digests[known - 1]) if known else self._begin(exchange.name)
        conversation.go_on(exchange, known)
        end = self._end(exchange, digests)
        if end in self._open:
            self._open[self._closed_key()] = self._open.pop(end)
        self._open[end] = conversation

    def _settle_first(self) -> None:
        """Compute the first exchange's digest, which is delayed because a file with one exchange does not need it."""
        if self._first is not None:
            self._open[self._end(self._first, list(_digests(self._first.messages)))] = self._open.pop(_FIRST)
            self._first = None

    def _end(self, exchange: Exchange, digests: list[bytes]) -> bytes:
        return digests[-1] if digests and not exchange.name else self._closed_key()

    def _closed_key(self) -> bytes:
        """A key that no exchange has, for a conversation that only waits to be yielded."""
        self._keys += 1
        return b"%d" % self._keys

    def _begin(self, name: str | None) -> _Conversation:
        self._begun += 1
        return _Conversation(trace_id=name or f"{self._name}#{self._begun}")


def _trace(conversation: _Conversation) -> ExecutionTrace:
    builder = TraceBuilder(conversation.trace_id, "anthropic")
    lines = conversation.all_lines()
    system = text_of(conversation.request.get("system"))
    if system:
        builder.add(
            Piece(role="system", text=system), details=MessageDetails(origin=lines[0].origin if lines else None)
        )
    turns = turns_of(lines)
    add_turns(builder, turns, unmarked=None, last_lost=max(conversation.bad, default=0))
    reason = turns[-1].stop_reason if turns else None
    return builder.build(
        available_tools=tool_schemas(conversation.request.get("tools")),
        outcome="error" if conversation.error is not None else OUTCOMES.get(reason or ""),
        metadata=_metadata(conversation),
    )


def _metadata(conversation: _Conversation) -> dict[str, Any]:
    notes = gaps_at("line is not JSON", "lines are not JSON", conversation.bad)
    notes += gaps_at("message cannot be used", "messages cannot be used", conversation.unusable)
    error = {"error": conversation.error} if conversation.error is not None else {}
    return {**error, **({"reading_gaps": notes} if notes else {})}


def _digests(messages: Iterable[object]) -> Iterator[bytes]:
    """For each message, a digest of it and all before it."""
    digest = hashlib.blake2b(digest_size=16)
    for message in messages:
        digest.update(canonical(_plain(message)))
        yield digest.digest()


def _plain(message: object) -> object:
    """The message without prompt-cache marks, which move from request to request."""
    if not isinstance(message, dict):
        return message
    return [message.get("role"), [_unmarked(block) for block in blocks_of(message) or ()]]


def _unmarked(block: object) -> object:
    if not isinstance(block, dict) or "cache_control" not in block:
        return block
    return {key: block[key] for key in block if key != "cache_control"}
