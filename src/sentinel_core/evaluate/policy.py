"""Scores to one and to a verdict, with the rules that fired and the sentence that explains it.

Beside them the triage score, which sorts runs by how likely they failed; it decides no verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import NamedTuple

from sentinel_core.profile import CriticalRule, Profile
from sentinel_core.report import Finding, Verdict

__all__ = ["TRIAGE_WEIGHTS", "Reason", "combine", "explain", "judge", "share", "triage_score"]

_RANK: Mapping[Verdict, int] = {"PASS": 0, "WARN": 1, "FAIL": 2}
_SEVERITIES = ("error", "warning", "note")
_LONGEST = 300

# Decimal weights and scores are not exact in binary: a plain sum lands on the wrong side of a threshold for some inputs
# and depends on the order of addition. An exact sum, rounded once to nine places, does neither.
_PLACES = 9

TRIAGE_WEIGHTS: Mapping[str, float] = {
    "ending": 0.4,
    "effort": 0.3,
    "hallucination": 0.105,
    "loop": 0.075,
    "tool_misuse": 0.075,
    "cost": 0.045,
}
"""How a run ends tells most, effort is a prior, and RS-1's four share 0.3 in their proportions."""


def combine(scores: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted mean, ``round(fsum(w * s) / fsum(w), 9)``; a weighted signal without a score counts 0.

    Raises ``ZeroDivisionError`` where all weights are 0.
    """
    return share([weights[name] * score for name, score in scores.items()], weights)


def share(parts: Iterable[float], weights: Mapping[str, float]) -> float:
    """What ``parts`` (weight times score each) add to the overall score."""
    return round(fsum(parts) / fsum(weights.values()), _PLACES)


def triage_score(parts: Iterable[float], weights: Iterable[float]) -> float | None:
    """The weighted mean, in [0, 1] and rounded once, of ``parts`` (weight times score each); None where all weights are 0."""
    whole = fsum(weights)
    return round(fsum(parts) / whole, _PLACES) if whole else None


class Reason(NamedTuple):
    """One rule of the profile that fired: the verdict it gives alone, the signal behind it, and its arithmetic."""

    verdict: Verdict
    signal_name: str | None
    text: str


def judge(overall: float, scores: Mapping[str, float], profile: Profile) -> tuple[Verdict, tuple[Reason, ...]]:
    """The verdict and its reasons, those that decided it first.

    ``scores`` are those of signals that were measured. Of a signal's critical rules only the severest that fires is a reason.
    """
    critical: dict[str, Reason] = {}
    for rule in sorted(profile.critical, key=_severest):
        score = scores.get(rule.signal_name)
        if score is not None and score >= rule.threshold and rule.signal_name not in critical:
            text = f"{rule.signal_name} {_number(score)}, critical at {_number(rule.threshold)}"
            critical[rule.signal_name] = Reason(rule.verdict, rule.signal_name, text)
    reached = profile.verdict_at(overall)
    verdict = max([reached, *(reason.verdict for reason in critical.values())], key=_RANK.__getitem__)
    reasons = [*critical.values(), _overall(overall, reached, verdict, scores, profile)]
    return verdict, tuple(sorted(reasons, key=_rank, reverse=True))


def explain(reasons: Sequence[Reason], findings: Sequence[Finding]) -> str:
    """What is wrong, by the worst finding of the signal that decided, then the arithmetic; of a PASS the arithmetic alone."""
    first, texts = reasons[0].signal_name, [reason.text for reason in reasons]
    own = [one for one in findings if one.rule.startswith(f"{first}.")] if first else []
    if own:
        worst = min(own, key=lambda finding: _SEVERITIES.index(finding.severity))
        texts[0] = f"{worst.text[:_LONGEST].rstrip('.')} ({texts[0]})"
    return "; ".join(texts)


def _severest(rule: CriticalRule) -> int:
    return -_RANK[rule.verdict]


def _rank(reason: Reason) -> int:
    return _RANK[reason.verdict]


def _overall(
    overall: float, reached: Verdict, verdict: Verdict, scores: Mapping[str, float], profile: Profile
) -> Reason:
    """What the overall score says; where it decides, for the signal that has the largest share in it."""
    text = f"overall risk {_number(overall)}"
    if reached != verdict:
        return Reason(reached, None, text)
    if reached == "PASS":
        return Reason(reached, None, f"{text} is below {_number(profile.warn_at)}")
    bound = profile.fail_at if reached == "FAIL" else profile.warn_at
    largest = max(sorted(profile.weights), key=lambda name: profile.weights[name] * scores.get(name, 0.0))
    return Reason(reached, largest, f"{text}, {reached} from {_number(bound)}")


@lru_cache(maxsize=1024)
def _number(value: float) -> str:
    """All nine places that count, without an exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".")
