"""What guardrails, verdicts, reflection and delivery mean for the spans."""

from collections.abc import Callable, Mapping
from typing import Any

from sentinel_core.agent import events as ev
from sentinel_core.telemetry.content import as_json, clean_text
from sentinel_core.telemetry.data import CLIENT
from sentinel_core.telemetry.model_spans import usage_told
from sentinel_core.telemetry.open_span import Fold

__all__ = ["AFTER_HANDLERS"]


def _guardrail_checked(fold: Fold, event: ev.GuardrailChecked) -> None:
    fold.instant(
        event.sequence,
        f"sentinel.guardrail {clean_text(event.guardrail)}",
        fold.parent,
        {
            "openinference.span.kind": "GUARDRAIL",
            "sentinel.guardrail.name": clean_text(event.guardrail),
            "sentinel.decision": event.action,
            "sentinel.reason": event.reason or None,
            "sentinel.detail": clean_text(event.detail) or None,
            "sentinel.guardrail.live": event.live,
        },
    )


def _attempt_judged(fold: Fold, event: ev.AttemptJudged) -> None:
    fold.instant(
        event.sequence,
        "sentinel.judgement",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.verdict": event.verdict,
            "sentinel.score": event.overall_score,
            "sentinel.rules": event.rules or None,
        },
    )


def _reflector_asked(fold: Fold, event: ev.ReflectorAsked) -> None:
    """A model call like the agent's own, so that metrics count its tokens, cost and time; it is no message of the run."""
    model = event.model or fold.run.model
    chat = fold.start(event.sequence, f"chat {model}" if model else "chat", fold.parent, kind=CLIENT)
    chat.start -= int(event.duration_ms * 1e6)
    chat.end = fold.now
    chat.attributes |= {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": fold.run.provider or "unknown",
        "gen_ai.request.model": fold.run.model,
        "gen_ai.response.model": event.model,
        "operation.cost": event.cost_usd,
        "sentinel.loop.id": event.loop_id,
        "sentinel.reflection.persona": event.persona,
        **usage_told(event.usage),
    }


def _attempt_reflected(fold: Fold, event: ev.AttemptReflected) -> None:
    fold.instant(
        event.sequence,
        "sentinel.reflection",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.reflection.alignment": event.alignment_score,
            "sentinel.reflection.drift": event.drift_score,
            "sentinel.reflection.summary_valid": event.summary_valid,
            "sentinel.reflection.bias_tags": event.bias_tags or None,
            "sentinel.reflection.persona": event.persona or None,
        },
    )


def _loop_decided(fold: Fold, event: ev.LoopDecided) -> None:
    fold.instant(
        event.sequence,
        "sentinel.loop",
        fold.parent,
        {
            "sentinel.loop.id": event.loop_id,
            "sentinel.decision": event.decision,
            "sentinel.reason": event.reason,
            "sentinel.detail": clean_text(event.detail) or None,
            "sentinel.loop.new_id": event.new_loop_id,
        },
    )


def _delivery_started(fold: Fold, event: ev.DeliveryStarted) -> None:
    draft = fold.start(event.sequence, "sentinel.delivery", fold.parent)
    draft.attributes |= {
        "sentinel.tool.idempotency_key": event.idempotency_key,
        "sentinel.delivery.below_evidence": event.below_evidence,
        "gen_ai.tool.call.arguments": as_json(event.arguments),
    }
    fold.hold("delivery", draft)


def _delivery_finished(fold: Fold, event: ev.DeliveryFinished) -> None:
    draft = fold.close("delivery") or fold.instant(event.sequence, "sentinel.delivery", fold.parent, {})
    draft.attributes |= {
        "sentinel.delivery.status": event.status,
        "sentinel.delivery.report_id": event.report_id,
        "gen_ai.tool.call.result": clean_text(event.content),
    }
    if event.status != "delivered":
        draft.fail(event.status, event.content)


AFTER_HANDLERS: Mapping[type, Callable[[Fold, Any], None]] = {
    ev.GuardrailChecked: _guardrail_checked,
    ev.AttemptJudged: _attempt_judged,
    ev.AttemptReflected: _attempt_reflected,
    ev.ReflectorAsked: _reflector_asked,
    ev.LoopDecided: _loop_decided,
    ev.DeliveryStarted: _delivery_started,
    ev.DeliveryFinished: _delivery_finished,
}
