"""Google ADK sessions: events with an author, in camel or snake case."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core import CallDetails, ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.traces.readers import Piece, Record, TraceBuilder
from sentinel_core.traces.readers.chat import stray_calls
from sentinel_readers_frameworks._files import Placed, Skipped, inner_place, mapping, name_of, read_each, text, utc
from sentinel_readers_frameworks._gemini import Parts, either, gemini_usage, parts_of

if TYPE_CHECKING:
    from sentinel_core.trace import Role

__all__ = ["read"]

_LENGTH = "MAX_TOKENS"


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session; single events, in a list or one per line, together make one session."""
    return read_each(source, is_alone=_is_event, whole=_session, together=_trace)


def _is_event(value: object) -> bool:
    return not isinstance(mapping(value).get("events"), list)


def _session(source: Source, record: Record) -> ExecutionTrace:
    fields = mapping(record.value)
    events = [(event, inner_place(record, f".events[{at}]")) for at, event in enumerate(fields["events"])]
    return _trace(text(fields.get("id")) or name_of(source, record), events, Skipped())


def _trace(trace_id: str, events: list[Placed], skipped: Skipped) -> ExecutionTrace:
    builder = TraceBuilder(trace_id, "adk")
    outcome: str | None = None
    for raw, origin in events:
        event = mapping(raw)
        if not event or not ("author" in event or "content" in event):
            skipped.count("entry that is not an event", "entries that are not events")
        elif event.get("partial") is not True:
            outcome = _outcome(event, outcome)
            _add(builder, event, origin)
    return builder.build(outcome=outcome, metadata=skipped.metadata())


def _add(builder: TraceBuilder, event: Mapping[str, Any], origin: str) -> None:
    """Add an event: calls and text as one message, responses of functions as another."""
    parts = parts_of(mapping(event.get("content")).get("parts"))
    author, timestamp = text(event.get("author")), utc(event.get("timestamp"))
    role: Role = "user" if author == "user" else "assistant"
    calls = _calls(event, parts) if parts.calls and role == "assistant" else ()
    lost = parts.lost if parts.calls or parts.results or role == "user" else parts.lost or stray_calls(event)
    details = MessageDetails(
        id=text(event.get("id")),
        model=text(either(event, "model_version", "modelVersion")),
        usage=gemini_usage(either(event, "usage_metadata", "usageMetadata")),
        origin=origin,
    )
    if parts.texts or parts.thoughts or calls or lost:
        metadata = {"author": author} if author is not None and role == "assistant" else None
        piece = Piece(role=role, text=parts.text, reasoning=parts.reasoning, calls=calls, metadata=metadata, lost=lost)
        builder.add(piece, timestamp=timestamp, details=details)
        details = MessageDetails(origin=origin)
    if parts.results:
        builder.add(Piece(role="tool", results=tuple(parts.results)), timestamp=timestamp, details=details)


def _calls(event: Mapping[str, Any], parts: Parts) -> tuple[ToolCall, ...]:
    """The calls. A long-running tool, such as a person's approval, may answer after the session or never."""
    ids = either(event, "long_running_tool_ids", "longRunningToolIds")
    late = frozenset(filter(None, map(text, ids))) if isinstance(ids, list) else frozenset[str]()
    return tuple(
        attrs.evolve(call, details=CallDetails(result_expected=False)) if call.id in late else call
        for call in parts.calls
    )


def _outcome(event: Mapping[str, Any], before: str | None) -> str | None:
    """The outcome after this event; a later event replaces it."""
    code = either(event, "error_code", "errorCode")
    reason = either(event, "finish_reason", "finishReason")
    if event.get("interrupted") is True:
        return "interrupted"
    if code and code != "STOP":
        return "max_tokens" if code == _LENGTH else "error"
    if reason is not None:
        return "max_tokens" if reason == _LENGTH else "completed" if reason == "STOP" else "error"
    return None if before in ("error", "interrupted") else before
