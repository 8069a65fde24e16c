"""Converts one sample of an Inspect log to a trace: messages with details from the events, sub-agents as children."""

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from sentinel_core.trace import CallDetails, ExecutionTrace, MessageDetails, TokenUsage, ToolCall
from sentinel_core.traces.readers import Piece, TraceBuilder, add_usage, gaps_at, iso_time, pieces_of, tool_schemas
from sentinel_core.traces.readers.chat import text_of
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text
from sentinel_readers_benchmarks.inspect_events import Speaker, ToolRun, Transcript, inspect_usage
from sentinel_readers_benchmarks.inspect_pool import Attachments

__all__ = ["sample_trace"]

_LIMITS = {
    "time": "timeout",
    "working": "timeout",
    "message": "max_turns",
    "turn": "max_turns",
    "operator": "interrupted",
}


def sample_trace(sample: dict[str, Any], log: dict[str, Any], *, origin: str, fallback_id: str) -> ExecutionTrace:
    """The trace of a sample; ``log`` is the log's header, ``origin`` is the sample's place."""
    attachments = Attachments(sample.get("attachments"))
    messages = [attachments.resolved(message) for message in as_list(sample.get("messages"))]
    transcript = Transcript(sample, attachments)
    transcript.settle({message["id"] for message in messages if as_text(as_dict(message).get("id"))})
    main = transcript.main
    if not messages:
        messages = transcript.messages_of(main)
    writer = _Writer(TraceBuilder(as_text(sample.get("uuid")) or fallback_id, "inspect"), transcript, main)
    bad = writer.add_all(messages, f"{origin} $.messages" if origin.endswith(".json") else f"{origin}.messages")
    children = list(_children(writer, main, origin))
    gaps = (
        gaps_at("message could not be read", "messages could not be read", bad) + attachments.gaps() + transcript.gaps()
    )
    return writer.builder.build(
        token_usage=add_usage(main.usages) or _stated_usage(sample),
        available_tools=tool_schemas(list(main.tools.values())) if main.tools else None,
        outcome=_outcome(sample, log),
        children=children,
        metadata=_metadata(sample, as_dict(log.get("eval")), gaps),
    )


def _children(writer: "_Writer", parent: Speaker, origin: str) -> Iterator[ExecutionTrace]:
    transcript = writer.transcript
    for position, child in enumerate(parent.children, 1):
        inner = _Writer(TraceBuilder(f"{writer.builder.trace_id}/{position}", "inspect"), transcript, child)
        inner.add_all(transcript.messages_of(child), f"{origin} span {child.span_id}")
        yield inner.builder.build(
            token_usage=add_usage(child.usages),
            available_tools=tool_schemas(list(child.tools.values())) if child.tools else None,
            parent_call_id=transcript.caller_of(child),
            children=list(_children(inner, child, origin)),
            metadata={"agent": child.name} if child.name else None,
        )


def _stated_usage(sample: dict[str, Any]) -> TokenUsage | None:
    """For a sample without events: the tokens by model (they include the graders'), else the last output's."""
    by_model = as_dict(sample.get("model_usage")).values()
    return add_usage(map(inspect_usage, by_model)) or inspect_usage(as_dict(sample.get("output")).get("usage"))


def _outcome(sample: dict[str, Any], log: dict[str, Any]) -> str | None:
    error = sample.get("error")
    if error:
        return "cancelled" if "CancelledError" in str(as_dict(error).get("message")) else "error"
    limit = as_text(as_dict(sample.get("limit")).get("type"))
    if limit is not None:
        return _LIMITS.get(limit, f"{limit}_limit")
    return "completed" if log.get("status") in ("success", None) or sample.get("scores") else None


def _metadata(sample: dict[str, Any], evaluation: dict[str, Any], gaps: list[str]) -> dict[str, Any]:
    scores = {name: as_dict(score).get("value") for name, score in as_dict(sample.get("scores")).items()}
    found = {
        "task": as_text(evaluation.get("task")),
        "run_id": as_text(evaluation.get("run_id")),
        "model": as_text(evaluation.get("model")),
        "sample_id": sample.get("id"),
        "epoch": sample.get("epoch"),
        "scores": scores or None,
        "error": as_text(as_dict(sample.get("error")).get("message")),
        "reading_gaps": gaps or None,
    }
    return {key: value for key, value in found.items() if value is not None}


class _Writer:
    """Adds messages to a builder, with details from the transcript."""

    def __init__(self, builder: TraceBuilder, transcript: Transcript, speaker: Speaker) -> None:
        self.builder = builder
        self.transcript = transcript
        self._said = speaker.said

    def add_all(self, messages: Iterable[object], origin: str) -> list[int]:
        """Append messages; returns the positions of entries that are not messages."""
        bad = []
        for position, message in enumerate(messages):
            if not isinstance(message, dict) or not self._add(message, f"{origin}[{position}]"):
                bad.append(position)
        return bad

    def _add(self, message: dict[str, Any], origin: str) -> bool:
        pieces = pieces_of(_prepared(message))
        said = self._said.get(as_text(message.get("id")) or "")
        for piece in pieces:
            details = MessageDetails(id=as_text(message.get("id")), model=as_text(message.get("model")), origin=origin)
            timestamp = None
            if piece.role == "assistant" and said is not None:
                timestamp = said.completed
                details = attrs.evolve(
                    details,
                    model=details.model or said.model,
                    usage=said.usage,
                    cost_usd=said.cost_usd,
                    duration_ms=said.duration_ms,
                )
            elif piece.role == "tool":
                run = self._run_of(message)
                timestamp = iso_time(run.completed) if run is not None else None
                details = details if run is None else attrs.evolve(details, duration_ms=run.duration_ms)
            self.builder.add(self._enriched(piece, message), timestamp=timestamp, details=details)
        return bool(pieces)

    def _run_of(self, message: dict[str, Any]) -> ToolRun | None:
        return self.transcript.runs.get(as_text(message.get("tool_call_id")) or "")

    def _enriched(self, piece: Piece, message: dict[str, Any]) -> Piece:
        """Calls with their start and with arguments that did not parse, results with the type of their error."""
        failed = {
            as_text(as_dict(call).get("id")): as_text(as_dict(call).get("parse_error"))
            for call in as_list(message.get("tool_calls"))
        }
        calls = tuple(self._call(call, failed.get(call.id)) for call in piece.calls)
        error = as_text(as_dict(message.get("error")).get("type"))
        if error is None or piece.role != "tool":
            return attrs.evolve(piece, calls=calls)
        results = tuple(attrs.evolve(result, metadata={"error_type": error}) for result in piece.results)
        return attrs.evolve(piece, calls=calls, results=results)

    def _call(self, call: ToolCall, parse_error: str | None) -> ToolCall:
        run = self.transcript.runs.get(call.id)
        if run is not None and run.started is not None:
            call = attrs.evolve(call, timestamp=run.started)
        return call if parse_error is None else attrs.evolve(call, details=CallDetails(raw_arguments=parse_error))


def _prepared(message: dict[str, Any]) -> dict[str, Any]:
    """A message with each server-side tool use as a call and its result."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, list):
        return message
    if not any(as_dict(part).get("type") == "tool_use" for part in content):
        return message
    parts: list[Any] = []
    for part in content:
        parts.append(part)
        if as_dict(part).get("type") == "tool_use" and "result" in part:
            answer = {"type": "tool_result", "tool_use_id": part.get("id"), "is_error": bool(part.get("error"))}
            parts.append(answer | {"content": text_of(part.get("error") or part.get("result"))})
    return {**message, "content": parts}
