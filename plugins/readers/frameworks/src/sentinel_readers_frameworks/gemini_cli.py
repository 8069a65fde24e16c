"""Gemini CLI chats: JSON Lines with a header, or the older single document; its ``stream-json`` output."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import CallDetails, ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.traces.readers import BadRecord, Piece, TraceBuilder
from sentinel_core.traces.readers.chat import Result, call_of, stray_calls, text_of
from sentinel_readers_frameworks._files import Skipped, dicts, documents, mapping, place_of, text, utc
from sentinel_readers_frameworks._gemini import gemini_usage, parts_of, result_of

__all__ = ["read"]

_SUCCESS: Mapping[str, bool] = {"success": True, "error": False}
_NOTICES = frozenset(("info", "warning", "error"))
_KINDS = _NOTICES | {"gemini", "user"}
_SUB_AGENTS = "*/*.jsonl"
# The tool's own messages when a person stopped it.
_STOPPED = ("request cancelled", "request canceled", "user cancelled", "user canceled")


@attrs.define
class _Chat:
    """A session: the newest version of each message, in the order of first appearance."""

    header: dict[str, Any] = attrs.field(factory=dict)
    messages: dict[str, tuple[Mapping[str, Any], str]] = attrs.field(factory=dict)
    skipped: Skipped = attrs.field(factory=Skipped)
    taken: int = 0

    def take(self, record: Mapping[str, Any], origin: str) -> None:
        """Take one line: a message, a change of the header, a rewind, or the header itself."""
        if isinstance(record.get("$rewindTo"), str):
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), dict):
            self._head(record["$set"], f"{origin} $.$set")
        elif isinstance(record.get("type"), str):
            self._message(record, origin)
        elif "sessionId" in record:
            self._head(record, origin)
        else:
            self.skipped.count("line of an unknown kind", "lines of an unknown kind")

    def _head(self, fields: Mapping[str, Any], origin: str) -> None:
        """Take a header; its messages replace the whole conversation."""
        self.header.update({key: value for key, value in fields.items() if key != "messages"})
        if fields.get("messages"):
            self.messages.clear()
            for position, message in enumerate(dicts(fields["messages"])):
                self._message(message, f"{origin}.messages[{position}]")

    def _message(self, message: Mapping[str, Any], origin: str) -> None:
        kind = text(message.get("type")) or "none"
        if kind not in _KINDS:
            named = f'of the unknown type "{kind[:60]}"'
            self.skipped.count(f"message {named}", f"messages {named}")
            return
        self.taken += 1
        self.messages[text(message.get("id")) or f"#{self.taken}"] = (message, origin)

    def _rewind(self, message_id: str) -> None:
        """Rewind to before a message; to the start if that message is unknown."""
        while self.messages:
            key, _ = self.messages.popitem()
            if key == message_id:
                return


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The session of a file, with the sub-agents that its tools name as children; a stream's sessions."""
    if _is_stream(source):
        from sentinel_readers_frameworks.gemini_stream import read as read_stream

        yield from read_stream(source)
        return
    chat = _load(source)
    if isinstance(chat, ReadError):
        yield chat
    elif chat is not None:
        yield _trace(chat, source, _children(chat, source))


def _is_stream(source: Source) -> bool:
    """Whether the first record is an event of a stream."""
    from sentinel_readers_frameworks.gemini_stream import is_event

    return next((is_event(one.value) for one in documents(source) if not isinstance(one, BadRecord)), False)


def _load(source: Source) -> _Chat | ReadError | None:
    chat, seen = _Chat(), False
    for record in documents(source):
        seen = True
        if isinstance(record, BadRecord):
            chat.skipped.bad.append(record)
        elif isinstance(record.value, dict):
            chat.take(record.value, place_of(record))
        else:
            chat.skipped.count("line of an unknown kind", "lines of an unknown kind")
    if refused := chat.skipped.refusals(source):
        return refused[0]
    if seen and not chat.header and not chat.messages:
        return next(chat.skipped.errors(), ReadError(message="is not a Gemini CLI chat: no header and no message"))
    return chat if seen else None


def _children(chat: _Chat, source: Source) -> dict[str, ExecutionTrace]:
    """Sub-agents' sessions in folders beside this one, by the session id that a tool call names."""
    named = {agent for agent in map(_agent_of, _tool_calls(chat)) if agent is not None}
    found: dict[str, ExecutionTrace] = {}
    for sibling in source.siblings(_SUB_AGENTS) if named else ():
        inner = _load(sibling)
        session = text(inner.header.get("sessionId")) if isinstance(inner, _Chat) else None
        if isinstance(inner, _Chat) and session is not None and session in named:
            found.setdefault(session, _trace(inner, sibling, {}))
    return found


def _tool_calls(chat: _Chat) -> Iterator[Mapping[str, Any]]:
    for message, _ in chat.messages.values():
        yield from dicts(message.get("toolCalls"))


def _agent_of(call: Mapping[str, Any]) -> str | None:
    return text(call.get("agentId"))


def _trace(chat: _Chat, source: Source, children: Mapping[str, ExecutionTrace]) -> ExecutionTrace:
    builder = TraceBuilder(text(chat.header.get("sessionId")) or source.name, "gemini-cli")
    answered: set[str] = set()
    outcome: str | None = None
    for message, origin in chat.messages.values():
        is_notice = text(message.get("type")) in _NOTICES
        outcome = _notice(message) if is_notice else None
        if not is_notice:
            _add(builder, message, origin, answered)
    return builder.build(outcome=outcome, children=list(_placed(chat, children)), metadata=chat.skipped.metadata())


def _placed(chat: _Chat, children: Mapping[str, ExecutionTrace]) -> Iterator[ExecutionTrace]:
    left = dict(children)
    for call in _tool_calls(chat):
        child = left.pop(_agent_of(call) or "", None)
        if child is not None and child.details is not None:
            yield attrs.evolve(child, details=attrs.evolve(child.details, parent_call_id=text(call.get("id"))))


def _notice(message: Mapping[str, Any]) -> str | None:
    """The outcome by a closing notice."""
    if text_of(message.get("content")).strip().rstrip(".").lower() in _STOPPED:
        return "interrupted"
    return "error" if message.get("type") == "error" else None


def _add(builder: TraceBuilder, message: Mapping[str, Any], origin: str, answered: set[str]) -> None:
    """Add a message, then the results of its calls, which the file has in the same entry."""
    parts = parts_of(message.get("content"))
    timestamp = utc(message.get("timestamp"))
    is_model = message.get("type") == "gemini"
    listed = [entry for entry in dicts(message.get("toolCalls")) if is_model]
    calls = {call.id or f"#{number}": call for number, call in enumerate(map(_call, listed))}
    if is_model:
        calls.update({call.id: call for call in parts.calls if call.id not in calls})
    results = [result for result in (*map(_result, listed), *parts.results) if result is not None]
    fresh = [result for result in results if result.call_id is None or result.call_id not in answered]
    answered.update(result.call_id for result in fresh if result.call_id is not None)
    if parts.text or calls or (is_model and not parts.results) or not (results or is_model):
        reasoning = "\n".join(filter(None, [*map(_thought, dicts(message.get("thoughts"))), *parts.thoughts])) or None
        builder.add(
            Piece(
                role="assistant" if is_model else "user",
                text=parts.text,
                reasoning=reasoning,
                calls=tuple(calls.values()),
                lost=parts.lost or (stray_calls(message) if is_model and not calls else ()),
            ),
            timestamp=timestamp,
            details=MessageDetails(
                id=text(message.get("id")),
                model=text(message.get("model")),
                usage=gemini_usage(message.get("tokens")),
                origin=origin,
            ),
        )
    if fresh:
        details = MessageDetails(origin=origin)
        builder.add(Piece(role="tool", results=tuple(fresh)), timestamp=timestamp, details=details)


def _thought(thought: Mapping[str, Any]) -> str:
    return ": ".join(filter(None, (text(thought.get("subject")), text(thought.get("description")))))


def _call(entry: Mapping[str, Any]) -> ToolCall:
    """A call; if its tool never ran (cancelled, or the session ended first), no result is expected."""
    call = attrs.evolve(call_of(entry), timestamp=utc(entry.get("timestamp")))
    if text(entry.get("status")) in _SUCCESS or _result(entry) is not None:
        return call
    return attrs.evolve(call, details=CallDetails(result_expected=False))


def _result(entry: Mapping[str, Any]) -> Result | None:
    """A tool's result: responses of functions, plain parts, or only the text shown on the screen."""
    given, status = entry.get("result"), text(entry.get("status"))
    if given is None and status not in _SUCCESS:
        return None
    inner = [result_of(mapping(part["functionResponse"])) for part in dicts(given) if part.get("functionResponse")]
    shown = list(filter(None, [text(entry.get("resultDisplay"))]))
    failed = False if any(result.success is False for result in inner) else None
    return Result(
        content="\n".join([result.content for result in inner] or parts_of(given).texts or shown),
        call_id=text(entry.get("id")),
        name=text(entry.get("name")),
        success=_SUCCESS.get(status or "", failed),
        metadata=None if status is None or status in _SUCCESS else {"status": status},
    )
