"""Pydantic AI message history: requests and responses made of typed parts."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core import CallDetails, ExecutionTrace, MessageDetails, ReadError, Source, TokenUsage, ToolCall
from sentinel_core.traces.readers import Piece, Record, TraceBuilder, usage_of
from sentinel_core.traces.readers.chat import Result, arguments_of, stray_calls, text_of
from sentinel_readers_frameworks._files import (
    Placed,
    Skipped,
    dicts,
    dollars,
    inner_place,
    mapping,
    name_of,
    read_each,
    text,
    utc,
)

if TYPE_CHECKING:
    from sentinel_core.trace import Role

__all__ = ["read"]

_LISTS = ("messages", "all_messages", "message_history", "new_messages")
_TOOL_OUTCOMES: Mapping[object, bool] = {"success": True, "failed": False, "denied": False, "retried": False}
_FINISHED: Mapping[object, str] = {"stop": "completed", "length": "max_tokens", "error": "error"}
_CALLS = frozenset(("tool-call", "builtin-tool-call"))
# In a request: what is for the model's eyes as the user's words. Other parts are the operator's.
_RETRIES = frozenset(("retry-prompt", "retry-feedback"))
_OF_USER = frozenset(("user-prompt", "speech", None)) | _RETRIES
_SAID = frozenset(("compaction", "file", "text"))
_RETURNS = frozenset(("tool-return", "builtin-tool-return", "retry-prompt"))
_OLD_USAGE: Mapping[str, str] = {"request_tokens": "input_tokens", "response_tokens": "output_tokens"}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per history; single messages, in a list or one per line, together make one history."""
    return read_each(source, is_alone=lambda value: "kind" in mapping(value), whole=_history, together=_trace)


def _history(source: Source, record: Record) -> ExecutionTrace | ReadError:
    fields = mapping(record.value)
    key = next((name for name in _LISTS if isinstance(fields.get(name), list)), None)
    found = record.value if key is None else fields[key]
    if not isinstance(found, list):
        return ReadError(message=f"contains no message history at {record.path or '$'}", line=record.line)
    path = f".{key}" if key else ""
    placed = [(message, inner_place(record, f"{path}[{at}]")) for at, message in enumerate(found)]
    return _trace(name_of(source, record), placed, Skipped())


def _trace(fallback: str, messages: list[Placed], skipped: Skipped) -> ExecutionTrace:
    builder = TraceBuilder(_id_of(messages) or fallback, "pydantic-ai")
    instructions: str | None = None
    outcome: str | None = None
    for raw, origin in messages:
        message = mapping(raw)
        if message.get("kind") == "response":
            outcome = _outcome(message)
            _add_response(builder, message, origin)
        elif message.get("kind") == "request":
            current = text(message.get("instructions"))
            if current is not None and current != instructions:
                instructions = current
                builder.add(Piece(role="system", text=current), details=MessageDetails(origin=origin))
            _add_request(builder, message, origin)
        else:
            skipped.count("entry that is neither request nor response", "entries that are neither request nor response")
    return builder.build(outcome=outcome, metadata=skipped.metadata())


def _id_of(messages: list[Placed]) -> str | None:
    for key in ("conversation_id", "run_id"):
        for raw, _ in messages:
            if trace_id := text(mapping(raw).get(key)):
                return trace_id
    return None


def _outcome(message: Mapping[str, Any]) -> str | None:
    if message.get("state") in ("interrupted", "suspended"):
        return "interrupted"
    reason = message.get("finish_reason")
    return _FINISHED.get(reason) if isinstance(reason, str) else None


def _add_request(builder: TraceBuilder, message: Mapping[str, Any], origin: str) -> None:
    """Add each part as a message; adjacent results stay in one message."""
    results: list[Result] = []
    stamp: str | None = None
    place = MessageDetails(origin=origin)
    for part in dicts(message.get("parts")):
        when = utc(part.get("timestamp") or message.get("timestamp"))
        kind = text(part.get("part_kind"))
        if kind in _RETURNS and part.get("tool_name"):
            stamp = stamp or when
            results.append(_result(part))
            continue
        role: Role = "user" if kind in _OF_USER else "system"
        content = _problem(part) if kind in _RETRIES else _content(part.get("content"))
        if role == "system" and not content:  # what the framework notes for itself, such as which tools came later
            continue
        _flush(builder, results, stamp, origin)
        builder.add(Piece(role=role, text=content or None), timestamp=when, details=place)
    _flush(builder, results, stamp, origin)


def _flush(builder: TraceBuilder, results: list[Result], stamp: str | None, origin: str) -> None:
    if results:
        piece = Piece(role="tool", results=tuple(results))
        builder.add(piece, timestamp=stamp, details=MessageDetails(origin=origin))
        results.clear()


def _add_response(builder: TraceBuilder, message: Mapping[str, Any], origin: str) -> None:
    texts, thoughts = list[str](), list[str]()
    calls, results, unknown = list[ToolCall](), list[Result](), list[str]()
    for part in dicts(message.get("parts")):
        kind = text(part.get("part_kind"))
        if kind in _CALLS:
            calls.append(_call(part, server_side=kind == "builtin-tool-call"))
        elif kind in _RETURNS:
            results.append(_result(part))
        elif kind == "thinking":
            thoughts.append(text_of(part.get("content")))
        else:
            texts.append(_content(part.get("content")) if "content" in part else f"[{kind}]")
            if kind not in _SAID:
                unknown.append(f'part of the unknown kind "{(kind or "")[:40]}"')
    usage = mapping(message.get("usage"))
    details = MessageDetails(
        id=text(message.get("provider_response_id")) or text(message.get("vendor_id")),
        model=text(message.get("model_name")),
        usage=_usage(usage),
        cost_usd=dollars(usage.get("cost")),
        origin=origin,
    )
    piece = Piece(
        role="assistant",
        text="\n".join(filter(None, texts)) or None,
        reasoning="\n".join(filter(None, thoughts)) or None,
        calls=tuple(calls),
        results=tuple(results),
        lost=tuple(unknown) if calls or unknown else stray_calls(message, "usage"),
    )
    builder.add(piece, timestamp=utc(message.get("timestamp")), details=details)


def _call(part: Mapping[str, Any], *, server_side: bool) -> ToolCall:
    arguments, not_json = arguments_of(part.get("args"))
    details = CallDetails(raw_arguments=not_json, result_expected=not server_side)
    return ToolCall(
        id=text(part.get("tool_call_id")) or "",
        name=str(part.get("tool_name") or ""),
        arguments=arguments,
        details=None if details == CallDetails() else details,
    )


def _result(part: Mapping[str, Any]) -> Result:
    """A tool's result; a retry prompt is the failed result of its call."""
    is_retry = part.get("part_kind") == "retry-prompt"
    outcome = part.get("outcome")
    return Result(
        content=_problem(part) if is_retry else text_of(part.get("content")),
        call_id=text(part.get("tool_call_id")),
        name=text(part.get("tool_name")),
        success=False if is_retry else _TOOL_OUTCOMES.get(outcome) if isinstance(outcome, str) else None,
        metadata={"outcome": outcome} if outcome in ("denied", "interrupted") else None,
    )


def _problem(part: Mapping[str, Any]) -> str:
    """The reason for a retry: text, or a list of schema errors."""
    content = part.get("content")
    if not isinstance(content, list):
        return text_of(content)
    lines = []
    for error in dicts(content):
        where = error.get("loc")
        place = ".".join(map(str, where)) if isinstance(where, list) else ""
        lines.append(": ".join(filter(None, (place, text(error.get("msg")) or text_of(dict(error))))))
    return "\n".join(lines)


def _content(content: object) -> str:
    """A prompt's text; pictures and files as their kind in brackets."""
    if not isinstance(content, list):
        return text_of(content)
    texts = (f"[{part.get('kind')}]" if isinstance(part, dict) and part.get("kind") else part for part in content)
    return text_of(list(texts))


def _usage(usage: Mapping[str, Any]) -> TokenUsage | None:
    """The counts. Cached tokens are part of the input. Before version 1 the counts had other names."""
    renamed = {_OLD_USAGE.get(key, key): value for key, value in usage.items() if value is not None}
    found = usage_of(renamed)
    return None if found is None or found == TokenUsage() else attrs.evolve(found, total_tokens=None)
