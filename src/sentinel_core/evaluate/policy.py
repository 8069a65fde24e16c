"""Scores to a verdict, with the rules that fired and the sentence that explains it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sentinel_core.profile import CriticalRule, Profile
from sentinel_core.report import Finding, Verdict

__all__ = ["Reason", "explain", "judge"]

_RANK: Mapping[Verdict, int] = {"PASS": 0, "WARN": 1, "FAIL": 2}
_SEVERITIES = ("error", "warning", "note")
_LONGEST = 300


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
    first, *rest = reasons
    worst = min(
        (one for one in findings if first.signal_name and one.rule.startswith(f"{first.signal_name}.")),
        key=lambda finding: _SEVERITIES.index(finding.severity),
        default=None,
    )
    lead = first.text if worst is None else f"{worst.text[:_LONGEST].rstrip('.')} ({first.text})"
    return "; ".join([lead, *(reason.text for reason in rest)])


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
