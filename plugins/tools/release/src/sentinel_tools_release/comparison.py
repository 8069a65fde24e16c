"""Compares the numbers of a release with those of a baseline."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["compare", "numbers_of"]

_HIGHER_IS_WORSE = ("error_rate", "failure_rate", "response_time", "latency", "tests_failed", "tests_skipped")
_HIGHER_IS_BETTER = ("tests_passed", "throughput", "uptime", "availability")
_NOTABLE = 0.05  # a change of 5% or more counts as better or worse


def numbers_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a summary: tests by outcome with their failure rate, and every deployment metric that is a number."""
    tests, metrics = summary.get("tests"), summary.get("deployment_metrics")
    found = {f"tests_{name}": value for name, value in _usable(tests, ("passed", "failed", "skipped"))}
    if "tests_passed" in found and "tests_failed" in found and (ran := found["tests_passed"] + found["tests_failed"]):
        found["test_failure_rate"] = round(found["tests_failed"] / ran, 6)
    return {**found, **dict(_usable(metrics, None))}


def compare(current: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    """One row for each number that both sides have: now, the baseline's median, the change, and what it means.

    ``change_percent`` is None if the baseline is 0. ``trend`` is ``same`` below 5%, else ``better`` or ``worse``, or
    ``changed`` if it is not known which direction is better.
    """
    rows = []
    for name, now in current.items():
        known = [numbers[name] for numbers in earlier if name in numbers]
        if known:
            rows.append(_row(name, now, statistics.median(known), len(known)))
    return rows


def _row(name: str, now: float, before: float, known: int) -> dict[str, Any]:
    change = now - before
    share = change / abs(before) if before else None
    return {
        "number": name,
        "now": now,
        "baseline": round(before, 6),
        "change": round(change, 6),
        "change_percent": None if share is None else round(100 * share, 2),
        "trend": _trend(name, change, share),
        "releases": known,
    }


def _trend(name: str, change: float, share: float | None) -> str:
    if not change or (share is not None and abs(share) < _NOTABLE):
        return "same"
    if any(word in name for word in _HIGHER_IS_WORSE):
        return "worse" if change > 0 else "better"
    if any(word in name for word in _HIGHER_IS_BETTER):
        return "better" if change > 0 else "worse"
    return "changed"


def _usable(values: object, names: tuple[str, ...] | None) -> list[tuple[str, float]]:
    if not isinstance(values, dict):
        return []
    return [
        (name, value)
        for name, value in values.items()
        if (names is None or name in names) and type(value) in (int, float) and math.isfinite(value)
    ]
