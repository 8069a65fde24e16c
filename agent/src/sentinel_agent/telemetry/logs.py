"""Log records from spans: failures with their context, retries with their reasons, pruning, tool calls."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import attrs

from sentinel_core.runtime.printable import counted
from sentinel_core.telemetry.data import LogData, SpanData

__all__ = ["logs_of"]

_INFO: Literal[9] = 9
_WARN: Literal[13] = 13
_ERROR: Literal[17] = 17


@attrs.frozen
class _Row:
    """Which spans get a record, its severity and text, and which attributes of the span it repeats."""

    select: Callable[[SpanData], bool]
    severity: Literal[9, 13, 17]
    body: Callable[[SpanData], str]
    keys: tuple[str, ...]


def _is_tool(span: SpanData) -> bool:
    return span.attributes.get("gen_ai.operation.name") == "execute_tool"


def _dropped(span: SpanData) -> bool:
    return span.name == "sentinel.context.manage" and bool(span.attributes.get("sentinel.context.messages_dropped"))


def _number_dropped(span: SpanData) -> int:
    number = span.attributes["sentinel.context.messages_dropped"]
    assert isinstance(number, int), "set by the fold of the events"
    return number


def _failed(span: SpanData) -> bool:
    """Model calls that failed for good, runs, deliveries; single attempts and tools have rows of their own."""
    return span.failed and span.name != "sentinel.attempt" and not _is_tool(span)


_TOOL_KEYS = ("gen_ai.tool.name", "gen_ai.tool.call.id", "error.type")
_CONTEXT_KEYS = (
    "sentinel.context.strategy",
    "sentinel.context.messages_dropped",
    "sentinel.context.tokens_used",
    "sentinel.context.window",
)
_CALL_KEYS = ("gen_ai.provider.name", "gen_ai.request.model", "error.type", "http.response.status_code")
_RETRY_KEYS = ("sentinel.attempt.number", "sentinel.retry.reason", "sentinel.retry.backoff_s")
_ATTEMPT_KEYS = ("sentinel.attempt.number", "error.type", "http.response.status_code")
_ROWS = (
    _Row(
        lambda span: span.name == "sentinel.attempt" and span.failed,
        _WARN,
        lambda span: (
            f"attempt {span.attributes['sentinel.attempt.number']} failed: {span.problem or span.attributes['error.type']}"
        ),
        _ATTEMPT_KEYS,
    ),
    _Row(
        lambda span: span.name == "sentinel.backoff",
        _WARN,
        lambda span: (
            f"waiting {span.attributes['sentinel.retry.backoff_s']:g} s before another attempt: {span.attributes['sentinel.retry.reason']}"
        ),
        _RETRY_KEYS,
    ),
    _Row(
        _dropped,
        _INFO,
        lambda span: f"{counted(_number_dropped(span), 'message')} left out to fit the context",
        _CONTEXT_KEYS,
    ),
    _Row(
        lambda span: _is_tool(span) and not span.failed,
        _INFO,
        lambda span: f"tool {span.attributes['gen_ai.tool.name']} worked",
        _TOOL_KEYS,
    ),
    _Row(
        lambda span: _is_tool(span) and span.failed,
        _ERROR,
        lambda span: f"tool {span.attributes['gen_ai.tool.name']} failed: {span.problem}",
        _TOOL_KEYS,
    ),
    _Row(
        _failed, _ERROR, lambda span: f"{span.name} failed: {span.problem or span.attributes['error.type']}", _CALL_KEYS
    ),
)


def logs_of(spans: Iterable[SpanData]) -> list[LogData]:
    """The records of one run in order of time, each tied to its span."""
    return sorted((log for span in spans for log in _of(span)), key=lambda log: log.time)


def _of(span: SpanData) -> Iterator[LogData]:
    for row in _ROWS:
        if row.select(span):
            keys = ("gen_ai.conversation.id", *row.keys)
            yield LogData(
                time=span.start if span.name == "sentinel.backoff" else span.end,
                severity=row.severity,
                body=row.body(span),
                attributes={key: span.attributes[key] for key in keys if key in span.attributes},
                trace_id=span.trace_id,
                span_id=span.span_id,
            )
