"""Sentinel guardrail: stops reruns that no longer improve."""

from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise
from typing import Literal

import attrs

from sentinel_core import Attempt, Guardrail, History, Ruling, hookimpl

__all__ = ["Fatigue", "ReflectionFatigueSettings", "check", "fatigue_of", "sentinel_guardrails"]

_share = [attrs.validators.ge(0.0), attrs.validators.le(1.0)]
_NONE = Decimal(0)


@attrs.frozen(kw_only=True)
class ReflectionFatigueSettings:
    """How fast the fatigue of a family grows, and when it ends the family; all values are in [0, 1].

    A rerun that improves neither score by ``improvement_threshold`` adds ``base_increment`` to the fatigue; any other
    rerun subtracts ``decay_rate``. Fatigue stays between 0 and ``max_fatigue``. The family is finalized when its fatigue
    reaches ``critical_threshold`` or ``fatigue_threshold``, whichever is lower. With ``paired_improvement``, a better
    score is an improvement only if the other score did not get worse by the same amount or more.
    """

    fatigue_threshold: float = attrs.field(default=0.5, validator=_share)
    """Fatigue at which the family ends."""
    base_increment: float = attrs.field(default=0.15, validator=_share)
    """Increase in fatigue after a rerun that improves neither score."""
    improvement_threshold: float = attrs.field(default=0.05, validator=_share)
    """Minimum amount by which a score must improve."""
    decay_rate: float = attrs.field(default=0.05, validator=_share)
    """Decrease in fatigue after a rerun that improves a score."""
    critical_threshold: float = attrs.field(default=0.5, validator=_share)
    """Fatigue at which the family also ends; the lower of this value and ``fatigue_threshold`` applies."""
    max_fatigue: float = attrs.field(default=1.0, validator=_share)
    """Upper limit of fatigue."""
    unknown_scores: Literal["no_improvement", "worst"] = attrs.field(
        default="no_improvement", validator=attrs.validators.in_(("no_improvement", "worst"))
    )
    """What a score that the earlier attempt lacks counts as: no improvement, or the worst score (0 for alignment, 1 for drift)."""
    paired_improvement: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    """Whether a better score is an improvement only if the other score did not get worse by the same amount or more."""


@attrs.frozen(kw_only=True)
class Fatigue:
    """Fatigue after an attempt and before it, the step between them before it is clamped, and whether it improved."""

    fatigue: Decimal = _NONE
    previous: Decimal = _NONE
    step: Decimal = _NONE
    improved: bool = False


def fatigue_of(attempts: Iterable[Attempt], settings: ReflectionFatigueSettings) -> Fatigue:
    """The family's fatigue: 0 at its first attempt, then up or down with each further one."""
    once = list({attempt.loop_id: attempt for attempt in attempts}.values())
    now = Fatigue()
    for earlier, later in pairwise(once):
        improved = _improved(earlier, later, settings)
        step = -_exact(settings.decay_rate) if improved else _exact(settings.base_increment)
        fatigue = max(_NONE, min(_exact(settings.max_fatigue), now.fatigue + step))
        now = Fatigue(fatigue=fatigue, previous=now.fatigue, step=step, improved=improved)
    return now


def check(history: History, settings: ReflectionFatigueSettings) -> Ruling:
    """Finalize a family whose fatigue reaches the limit. A running attempt is not stopped."""
    found = fatigue_of(history.attempts, settings)
    limit = min(settings.critical_threshold, settings.fatigue_threshold)
    exceeded = bool(history.attempts) and found.fatigue >= _exact(limit)
    facts = {
        "reflection_fatigue": float(found.fatigue),
        "previous_fatigue": float(found.previous),
        "fatigue_increment": float(found.step),
        "fatigue_increased": found.step > 0,
        "improvement_detected": found.improved,
        "threshold_exceeded": exceeded,
        "critical_threshold": limit,
        "max_fatigue": settings.max_fatigue,
        "force_finalize": exceeded,
    }
    if history.live is not None or not exceeded:
        return Ruling(action="allow", facts=facts)
    detail = f"The attempts no longer improve: fatigue is {found.fatigue:f}; the limit is {limit:g}."
    return Ruling(action="finalize", reason="reflection_fatigue", detail=detail, facts=facts)


def _improved(earlier: Attempt, later: Attempt, settings: ReflectionFatigueSettings) -> bool:
    alignment = _gain(_known(earlier.alignment_score, 0.0, settings), later.alignment_score)
    drift = _gain(later.drift_score, _known(earlier.drift_score, 1.0, settings))
    return _counts(alignment, drift, settings) or _counts(drift, alignment, settings)


def _known(score: float | None, worst: float, settings: ReflectionFatigueSettings) -> float | None:
    return worst if score is None and settings.unknown_scores == "worst" else score


def _counts(gain: Decimal, other: Decimal, settings: ReflectionFatigueSettings) -> bool:
    enough = gain >= _exact(settings.improvement_threshold)
    return enough and (not settings.paired_improvement or gain + other > 0)


def _gain(low: float | None, high: float | None) -> Decimal:
    """How much one score is above another; 0 if either is unknown."""
    return _NONE if low is None or high is None else _exact(high) - _exact(low)


def _exact(number: float) -> Decimal:
    """The number as the decimal that is written, so that 0.30 - 0.25 is exactly 0.05."""
    return Decimal(repr(float(number)))


@hookimpl
def sentinel_guardrails() -> Iterable[Guardrail]:
    """The guardrail of this package."""
    return [
        Guardrail(
            name="reflection_fatigue",
            summary="no rerun once attempts no longer improve",
            check=check,
            settings=ReflectionFatigueSettings,
        )
    ]
