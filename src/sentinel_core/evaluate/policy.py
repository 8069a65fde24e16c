"""Findings and scores to a verdict, with the reasons that decided it and the sentence that explains it.

Beside them the triage score, which sorts runs by how likely they failed; it decides no verdict.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import NamedTuple

from sentinel_core.profile import CriticalRule, Profile
from sentinel_core.report import Finding, Severity, Verdict

__all__ = ["TRIAGE_WEIGHTS", "Reason", "combine", "explain", "judge", "share", "triage_score", "worst_severity"]

_RANK: Mapping[Verdict, int] = {"PASS": 0, "WARN": 1, "FAIL": 2}
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_VERDICTS: Mapping[Severity, Verdict] = {"error": "FAIL", "warning": "WARN", "note": "PASS"}
_NOTHING_FOUND = "no error or warning was found"
_NOTHING_COUNTS = "no error or warning is from a signal that has a weight"
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
"""How a run ends tells most, effort is a prior, and RS-1's four share 0.3 in their proportions.

``ending`` scores an order that no call carried out with 0.125, so that alone it counts 0.4 * 0.125 = 0.05.
"""


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
    """Why a verdict is what it is: the verdict that this gives alone, the signal behind it, and the arithmetic of a score.

    Where the signal's findings decide, there is no arithmetic: ``text`` is empty.
    """

    verdict: Verdict
    signal_name: str | None
    text: str


def worst_severity(findings: Iterable[Finding]) -> Severity:
    """The worst severity among findings, of which there is at least one."""
    return min((finding.severity for finding in findings), key=_SEVERITIES.index)


def judge(
    overall: float,
    scores: Mapping[str, float],
    profile: Profile,
    worst: Mapping[str, Severity] | None = None,
    lowered: Collection[str] = (),
) -> tuple[Verdict, tuple[Reason, ...]]:
    """The verdict, and what gives it: findings first, then critical rules, then the overall score.

    ``scores`` are those of signals that were measured; ``worst`` is the worst severity among each signal's findings;
    ``lowered`` names the signals with rules that the user switched off or made milder.
    """
    worst = worst or {}
    reasons = _found(profile, worst)
    decided = {reason.signal_name: reason.verdict for reason in reasons}
    limits = {name: _limit(name, profile, worst, lowered) for name in scores}
    for rule in _critical(scores, profile, limits):
        if _RANK[rule.verdict] > _RANK[decided.get(rule.signal_name, "PASS")]:
            reasons.append(rule)
    reached = profile.verdict_at(overall)
    if {limits[name] for name in profile.weights if scores.get(name)} == {"PASS"}:
        reached = "PASS"  # it rests on notes alone
    verdict = max([reached, *(reason.verdict for reason in reasons)], key=_RANK.__getitem__)
    if reached == verdict:
        reasons.append(_overall(overall, reached, scores, profile, worst))
    return verdict, tuple(reason for reason in reasons if reason.verdict == verdict)


def explain(reasons: Sequence[Reason], findings: Sequence[Finding]) -> str:
    """What decided, in words: the worst finding of each signal whose findings or score did, then any arithmetic."""
    texts: list[str] = []
    for reason in reasons:
        own = [one for one in findings if one.rule.startswith(f"{reason.signal_name}.")]
        if not own or (texts and reason.text):
            texts.append(reason.text)
            continue
        worst = min(own, key=_first)
        texts.append(f"{worst.text[:_LONGEST].rstrip('.')} ({reason.text or worst.rule})")
    return "; ".join(texts)


def _first(finding: Finding) -> tuple[int, bool]:
    """The worst first; of equals, one with a quote."""
    return _SEVERITIES.index(finding.severity), finding.quote is None


def _found(profile: Profile, worst: Mapping[str, Severity]) -> list[Reason]:
    """What the findings of signals that have a weight say."""
    if not profile.findings_decide:
        return []
    heaviest_first = sorted(profile.weights, key=profile.weights.__getitem__, reverse=True)
    found = [Reason(_VERDICTS[worst[name]], name, "") for name in heaviest_first if name in worst]
    return [reason for reason in found if reason.verdict != "PASS"]


def _limit(name: str, profile: Profile, worst: Mapping[str, Severity], lowered: Collection[str]) -> Verdict:
    """The worst verdict that the signal's score may give.

    Where findings decide, a score that rests on notes gives none, and one whose rules the user lowered no more than its findings do.
    """
    if not profile.findings_decide or name not in worst:
        return "FAIL"
    return _VERDICTS[worst[name]] if worst[name] == "note" or name in lowered else "FAIL"


def _critical(scores: Mapping[str, float], profile: Profile, limits: Mapping[str, Verdict]) -> Iterable[Reason]:
    """The severest critical rule that fires for each signal, the severest first."""
    fired: dict[str, Reason] = {}
    for rule in sorted(profile.critical, key=_severest):
        name, score = rule.signal_name, scores.get(rule.signal_name)
        if score is not None and score >= rule.threshold and name not in fired:
            verdict = min(rule.verdict, limits[name], key=_RANK.__getitem__)
            text = f"{name} {_number(score)}, critical at {_number(rule.threshold)}"
            fired[name] = Reason(verdict, name, text)
    return fired.values()


def _severest(rule: CriticalRule) -> int:
    return -_RANK[rule.verdict]


def _overall(
    overall: float, reached: Verdict, scores: Mapping[str, float], profile: Profile, worst: Mapping[str, Severity]
) -> Reason:
    """What the overall score says, for the signal that has the largest share in it; of a PASS, why there is one."""
    text = f"overall risk {_number(overall)}"
    if reached == "PASS":
        if not profile.findings_decide:
            return Reason(reached, None, f"{text} is below {_number(profile.warn_at)}")
        is_clean = all(severity == "note" for severity in worst.values())
        return Reason(reached, None, _NOTHING_FOUND if is_clean else _NOTHING_COUNTS)
    bound = profile.fail_at if reached == "FAIL" else profile.warn_at
    largest = max(sorted(profile.weights), key=lambda name: profile.weights[name] * scores.get(name, 0.0))
    return Reason(reached, largest, f"{text}, {reached} from {_number(bound)}")


@lru_cache(maxsize=1024)
def _number(value: float) -> str:
    """All nine places that count, without an exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".")
