"""Sentinel guardrail: limits the reruns of a task."""

from collections.abc import Iterable

import attrs

from sentinel_core import Guardrail, History, Ruling, hookimpl

__all__ = ["RerunLimitSettings", "check", "sentinel_guardrails"]


@attrs.frozen(kw_only=True)
class RerunLimitSettings:
    """``max_reruns`` is the number of times that a task may be rerun after its first attempt; 0 allows no reruns."""

    max_reruns: int = attrs.field(default=3, validator=[attrs.validators.instance_of(int), attrs.validators.ge(0)])
    """Number of attempts that are allowed after the first one."""


def check(history: History, settings: RerunLimitSettings) -> Ruling:
    """Finalize once the family has had ``max_reruns`` reruns.

    A family has one root; every other attempt counts as a rerun, even if it claims otherwise. An attempt that was recorded
    twice counts once. A running attempt was allowed before, and is not stopped.
    """
    attempts = len({attempt.loop_id for attempt in history.attempts})
    reruns = max(0, attempts - 1)
    reached = attempts > 0 and reruns >= settings.max_reruns
    facts = {"rerun_count": reruns, "max_reruns": settings.max_reruns, "limit_reached": reached}
    if history.live is not None or not reached:
        return Ruling(action="allow", facts=facts)
    detail = f"The task has had {reruns} reruns; the limit is {settings.max_reruns}."
    return Ruling(action="finalize", reason="max_reruns_reached", detail=detail, facts=facts)


@hookimpl
def sentinel_guardrails() -> Iterable[Guardrail]:
    """The guardrail of this package."""
    return [
        Guardrail(
            name="rerun_limit",
            summary="no more than max_reruns reruns of a task",
            check=check,
            settings=RerunLimitSettings,
        )
    ]
