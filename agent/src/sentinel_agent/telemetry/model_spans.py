"""Spans from the events around a model call: fitting the context, attempts, back-off, the reply."""

from collections.abc import Callable, Mapping
from typing import Any

from sentinel_agent import events as ev
from sentinel_agent.conversation import message_of
from sentinel_agent.telemetry.open_spans import (
    Fold,
    OpenAttributes,
    OpenSpan,
    as_json,
    clean_text,
    message_parts,
    window,
)
from sentinel_core.telemetry import names
from sentinel_core.telemetry.data import CLIENT
from sentinel_core.trace import TokenUsage

__all__ = ["ERROR_TYPES", "MODEL_HANDLERS", "usage_attributes"]

# Our error classes as values of ``error.type``, which should have low cardinality.
ERROR_TYPES = {
    "AuthenticationError": "auth",
    "ContextLengthError": "validation",
    "NetworkError": "network",
    "ProviderError": "provider",
    "RateLimitError": "rate_limit",
    "TimeoutError": "timeout",
    "ValidationError": "validation",
}
_FINISH = {
    "end_turn": "stop",
    "tool_calls": "tool_call",
    "max_tokens": "length",
    "refusal": "content_filter",
    "content_filter": "content_filter",
}


def _context_fitted(fold: Fold, event: ev.ContextFitted) -> None:
    context: OpenAttributes = {
        "sentinel.context.strategy": event.strategy or None,
        "sentinel.context.tokens_used": event.estimated_tokens,
        "sentinel.context.tokens_available": event.budget,
        "sentinel.context.window": event.window,
        "sentinel.context.messages": event.messages,
        "sentinel.context.messages_dropped": event.left_out,
    }
    limit = event.budget or event.window
    context["sentinel.context.utilization"] = min(1.0, event.estimated_tokens / limit) if limit else None
    fold.context = context
    fold.compacted = fold.compacted or event.left_out > 0
    fold.instant(event.sequence, "sentinel.context.manage", fold.parent, {**context, "sentinel.turn": event.turn})


def _context_summarized(fold: Fold, event: ev.ContextSummarized) -> None:
    fold.compacted = True
    span = fold.instant(
        event.sequence,
        "sentinel.context.summarize",
        fold.parent,
        {
            "sentinel.turn": event.turn,
            "sentinel.context.messages_covered": event.covers,
            "sentinel.context.summary": clean_text(event.summary),
            "sentinel.context.summary_tokens": event.usage.completion_tokens if event.usage else None,
            "operation.cost": event.cost_usd,
            **usage_attributes(event.usage),
        },
    )
    span.start -= int(event.duration_ms * 1e6)


def _attempt_started(fold: Fold, event: ev.AttemptStarted) -> None:
    fold.interrupt("attempt")
    chat = fold.open.get("chat")
    if chat is None or event.attempt == 1:
        chat = fold.hold("chat", _chat(fold, event))
    chat.attributes["sentinel.retry.count"] = event.attempt - 1
    backoff = fold.close("backoff")
    attempt = fold.start(event.sequence, "sentinel.attempt", chat)
    attempt.attributes |= {"sentinel.turn": event.turn, "sentinel.attempt.number": event.attempt}
    if event.attempt > 1:
        attempt.attributes["http.request.resend_count"] = event.attempt - 1
    if backoff is not None:
        attempt.attributes |= {
            name: backoff.attributes[name] for name in ("sentinel.retry.backoff_s", "sentinel.retry.reason")
        }
    fold.hold("attempt", attempt)


def _chat(fold: Fold, event: ev.AttemptStarted) -> OpenSpan:
    run = fold.run
    messages, older = window(fold.inputs)
    chat = fold.start(f"chat {event.sequence}", f"chat {run.model}" if run.model else "chat", fold.parent, kind=CLIENT)
    chat.attributes |= {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": run.provider or "unknown",
        "gen_ai.request.model": run.model,
        "gen_ai.request.temperature": run.settings.get("temperature"),
        "gen_ai.request.max_tokens": run.settings.get("max_tokens"),
        "gen_ai.input.messages": messages,
        "gen_ai.conversation.compacted": True if fold.compacted else None,
        "sentinel.input.messages_left_out": older or None,
        "sentinel.conversation.message_count": len(fold.inputs),
        "sentinel.turn": event.turn,
        **fold.context,
    }
    return chat


def _attempt_finished(fold: Fold, event: ev.AttemptFinished) -> None:
    attempt, chat = fold.close("attempt"), fold.open.get("chat")
    if attempt is None:
        return
    attempt.attributes[names.DURATION_MS] = event.duration_ms
    attempt.attributes["http.response.status_code"] = event.status
    attempt.attributes["sentinel.retry.after_s"] = event.retry_after
    if event.error_type is None:
        return
    kind = ERROR_TYPES.get(event.error_type, event.error_type)
    for span in (attempt, chat, fold.open.get("agent")):
        if span is not None:  # _reply_received clears the call's error if a later attempt succeeds
            span.attributes["error.type"] = kind
    attempt.fail(kind, event.error)
    if chat is not None:
        chat.fail(kind, event.error)


def _backed_off(fold: Fold, event: ev.BackedOff) -> None:
    span = fold.start(event.sequence, "sentinel.backoff", fold.open.get("chat") or fold.parent)
    span.attributes |= {
        "sentinel.turn": event.turn,
        "sentinel.attempt.number": event.attempt,
        "sentinel.retry.backoff_s": event.seconds,
        "sentinel.retry.reason": ERROR_TYPES.get(event.reason, event.reason),
    }
    fold.hold("backoff", span)


def _reply_received(fold: Fold, event: ev.ReplyReceived) -> None:
    reply, message = event.reply, message_of(event)
    assert message is not None
    chat = fold.close("chat") or fold.instant(f"reply {event.sequence}", "chat", fold.parent, {})
    parts = message_parts(message)
    fold.inputs.append(as_json(parts))
    if chat.name == "chat" and reply.model:
        chat.name = f"chat {reply.model}"
    chat.attributes |= {
        "gen_ai.operation.name": "chat",
        names.ROLE: "assistant",
        "gen_ai.response.model": reply.model,
        "gen_ai.response.finish_reasons": (_FINISH[reply.stop_reason],),
        "gen_ai.output.messages": as_json([{**parts, "finish_reason": _FINISH[reply.stop_reason]}]),
        "operation.cost": reply.cost_usd,
        names.DURATION_MS: event.duration_ms,
        names.SEQUENCE: event.sequence,
        names.AT: event.at,
        **usage_attributes(reply.usage),
    }
    chat.failed, chat.problem = False, ""
    _clear_error(chat, fold.open.get("agent"))
    fold.compacted = False
    _add_cost(fold, reply.cost_usd)


def _clear_error(*spans: OpenSpan | None) -> None:
    """Clear the error type after a later attempt succeeded; the failed attempts keep theirs."""
    for span in spans:
        if span is not None:
            span.attributes.pop("error.type", None)


def _add_cost(fold: Fold, cost: float | None) -> None:
    agent = fold.open.get("agent")
    if agent is not None and cost is not None:
        agent.attributes["operation.cost"] = float(agent.attributes.get("operation.cost") or 0) + cost  # type: ignore[arg-type]


def usage_attributes(usage: TokenUsage | None) -> OpenAttributes:
    """Token counts as attributes; unknown counts are None."""
    if usage is None:
        return {}
    counts = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    if usage.details is not None:
        counts["cached_tokens"] = usage.details.cached_tokens
        counts["cache_write_tokens"] = usage.details.cache_write_tokens
        counts["reasoning_tokens"] = usage.details.reasoning_tokens
    return {names.USAGE[name]: count for name, count in counts.items()}


MODEL_HANDLERS: Mapping[type, Callable[[Fold, Any], None]] = {
    ev.ContextFitted: _context_fitted,
    ev.ContextSummarized: _context_summarized,
    ev.AttemptStarted: _attempt_started,
    ev.AttemptFinished: _attempt_finished,
    ev.BackedOff: _backed_off,
    ev.ReplyReceived: _reply_received,
}
