"""Sentinel guardrail: stops a running attempt that has gone wrong."""

from collections.abc import Iterable

import attrs

from sentinel_core import Guardrail, History, Ruling, hookimpl

__all__ = ["LiveStopSettings", "check", "sentinel_guardrails"]


@attrs.frozen(kw_only=True)
class LiveStopSettings:
    """The scores of ``signals`` are monitored during an attempt; a score of at least ``stop_at`` (a number in [0, 1]) stops the attempt."""

    signals: tuple[str, ...] = ("loop",)
    """Signals to monitor while an attempt runs."""
    stop_at: float = attrs.field(default=0.8, validator=[attrs.validators.ge(0.0), attrs.validators.le(1.0)])
    """Score in [0, 1] at or above which the attempt is stopped."""


def check(history: History, settings: LiveStopSettings) -> Ruling:
    """Stop a running attempt if a watched signal is at or above ``stop_at``; between attempts, allow."""
    if history.live is None:
        return Ruling(action="allow")
    found = {row.signal_name: row.score for row in history.live.signal_scores if row.signal_name in settings.signals}
    high = {name: score for name, score in found.items() if score is not None and score >= settings.stop_at}
    facts = {"live_scores": found, "stop_at": settings.stop_at}
    if not high:
        return Ruling(action="allow", facts=facts)
    reached = ", ".join(f'"{name}" is at {score:g}' for name, score in high.items())
    detail = f"During the attempt {reached}; the limit is {settings.stop_at:g}."
    return Ruling(action="stop_attempt", reason="live_risk", detail=detail, facts=facts)


@hookimpl
def sentinel_guardrails() -> Iterable[Guardrail]:
    """The guardrail of this package."""
    return [
        Guardrail(
            name="live_stop",
            summary="stops a running attempt that goes in circles",
            check=check,
            settings=LiveStopSettings,
        )
    ]
