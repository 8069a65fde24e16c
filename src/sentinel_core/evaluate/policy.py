"""Scores to a verdict, with the rules that fired."""

from collections.abc import Mapping
from functools import lru_cache

from sentinel_core.profile import Profile
from sentinel_core.report import Verdict

__all__ = ["judge"]

_RANK: Mapping[Verdict, int] = {"PASS": 0, "WARN": 1, "FAIL": 2}


def judge(overall: float, scores: Mapping[str, float], profile: Profile) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and its reasons, those that decided it first; a reason for less says what it would have given alone.

    ``scores`` are those of weighted signals that were measured.
    """
    gravest: dict[str, tuple[Verdict, str]] = {}
    for rule in profile.critical:
        score = scores.get(rule.signal_name)
        if score is not None and score >= rule.threshold:
            text = f"{rule.signal_name} {_number(score)} is at or above its critical {_number(rule.threshold)}"
            if rule.signal_name not in gravest or _rank((rule.verdict, text)) > _rank(gravest[rule.signal_name]):
                gravest[rule.signal_name] = (rule.verdict, text)
    reasons = [*gravest.values(), _overall(overall, profile)]
    if len(reasons) > 1:
        reasons.sort(key=_rank, reverse=True)
    verdict = reasons[0][0]
    return verdict, tuple([text if alone == verdict else f"{text} ({alone})" for alone, text in reasons])


def _rank(reason: tuple[Verdict, str]) -> int:
    return _RANK[reason[0]]


def _overall(overall: float, profile: Profile) -> tuple[Verdict, str]:
    verdict = profile.verdict_at(overall)
    if verdict == "PASS":
        return verdict, f"overall risk {_number(overall)} is below {_number(profile.warn_at)}"
    bound = profile.fail_at if verdict == "FAIL" else profile.warn_at
    return verdict, f"overall risk {_number(overall)} is at or above {_number(bound)}"


@lru_cache(maxsize=1024)
def _number(value: float) -> str:
    """All nine places that count, without an exponent."""
    return f"{value:.9f}".rstrip("0").rstrip(".")
