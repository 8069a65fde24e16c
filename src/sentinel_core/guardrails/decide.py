"""The rerun decision: a pure function of the facts about a family. No I/O, clock or randomness."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import attrs

from sentinel_core.guardrails.facts import FAILED, Attempt, Decision, History, Override, Ruling

__all__ = ["MOST_RERUNS", "Quality", "decide", "wants"]

MOST_RERUNS = 100
"""No family has more reruns than this, whatever guardrails are installed and whatever people override."""

_TRIGGERS = {
    "max_reruns_reached": "rerun_limit",
    "bias_echo": "pessimist",
    "reflection_fatigue": "fatigue",
}
_WORST_FIRST = (FAILED, "bias_echo", "max_reruns_reached", "reflection_fatigue")
_share = [attrs.validators.ge(0.0), attrs.validators.le(1.0)]


@attrs.frozen(kw_only=True)
class Quality:
    """How good an attempt must be: alignment at least, drift at most, both in [0, 1]."""

    alignment_threshold: float = attrs.field(default=0.75, validator=_share)
    drift_threshold: float = attrs.field(default=0.25, validator=_share)


def decide(
    history: History, rulings: Mapping[str, Ruling], quality: Quality, overrides: Sequence[Override] = ()
) -> Decision:
    """Rerun or finalize, after the newest attempt.

    ``rulings`` are by guardrail; ``overrides`` are those that may be used now, oldest first. A rerun is granted only if the
    attempt misses a threshold and each guardrail allows it or is overridden. Raises ``ValueError`` for a family without
    attempts.
    """
    if not history.attempts:
        raise ValueError("there is nothing to decide, because the family has no attempts")
    wanted = wants(history.attempts[-1], quality)
    if not wanted:
        return Decision(
            decision="finalize", rerun_reason="thresholds_met", rerun_reason_detail="The attempt is good enough."
        )
    stops, used = _stops(rulings, overrides)
    reruns = len({attempt.loop_id for attempt in history.attempts}) - 1
    if reruns >= MOST_RERUNS:
        detail = f"The family has had {reruns} reruns; no family gets more than {MOST_RERUNS}."
        stops = [("host", Ruling(action="finalize", reason="max_reruns_reached", detail=detail)), *stops]
    return _finalized(stops) if stops else _granted(wanted, reruns + 1, used)


def wants(attempt: Attempt, quality: Quality) -> dict[str, tuple[str, str]]:
    """Why this attempt should be repeated: trigger to reason and detail; empty if it meets the thresholds.

    An unknown score meets no threshold. Scores are compared as decimals, so that 0.30 is exactly 0.05 above 0.25.
    """
    found = {}
    alignment, drift = attempt.alignment_score, attempt.drift_score
    if alignment is None or _exact(alignment) < _exact(quality.alignment_threshold):
        detail = f"Alignment is {_score_text(alignment)}; at least {quality.alignment_threshold:g} is needed."
        found["alignment"] = ("alignment_threshold_not_met", detail)
    if drift is None or _exact(drift) > _exact(quality.drift_threshold):
        detail = f"Drift is {_score_text(drift)}; at most {quality.drift_threshold:g} is allowed."
        found["drift"] = ("drift_threshold_exceeded", detail)
    if not attempt.summary_valid:
        found["summary"] = ("summary_invalid", "The attempt has no valid summary.")
    return found


def _stops(
    rulings: Mapping[str, Ruling], overrides: Sequence[Override]
) -> tuple[list[tuple[str, Ruling]], dict[str, Override]]:
    """Guardrails that stop a rerun, and the overrides, by id, that lifted others."""
    stops, used = [], {}
    for name, ruling in sorted(rulings.items()):
        if ruling.action == "allow":
            continue
        lifting = next((override for override in overrides if override.lifts(ruling.reason)), None)
        if lifting is None:
            stops.append((name, ruling))
        else:
            used[lifting.override_id] = lifting
    return sorted(stops, key=_severity), used


def _severity(stop: tuple[str, Ruling]) -> int:
    reason = stop[1].reason
    return _WORST_FIRST.index(reason) if reason in _WORST_FIRST else len(_WORST_FIRST)


def _finalized(stops: Sequence[tuple[str, Ruling]]) -> Decision:
    triggers = [_TRIGGERS.get(ruling.reason, name) for name, ruling in stops]
    return Decision(
        decision="finalize",
        rerun_reason=stops[0][1].reason,
        rerun_reason_detail=" ".join(ruling.detail for _, ruling in stops),
        rerun_trigger=tuple(dict.fromkeys(triggers)),
        force_finalize=True,
    )


def _granted(wanted: Mapping[str, tuple[str, str]], number: int, used: Mapping[str, Override]) -> Decision:
    reasons = list(wanted.values())
    return Decision(
        decision="rerun",
        rerun_reason=reasons[0][0],
        rerun_reason_detail=" ".join(detail for _, detail in reasons),
        rerun_trigger=tuple(wanted),
        rerun_number=number,
        overridden_by=", ".join(dict.fromkeys(override.actor for override in used.values())) or None,
        used=tuple(used),
    )


def _exact(score: float) -> Decimal:
    return Decimal(repr(float(score)))


def _score_text(score: float | None) -> str:
    return "not known" if score is None else f"{score:g}"
