"""How findings and scores become a verdict: weights, thresholds and critical rules. Values only; ``evaluate/`` applies them."""

from collections.abc import Mapping
from typing import Any, Literal

from sentinel_core._fast import collected, declared, evolve, field
from sentinel_core.report import Verdict

_HEAVIEST = 1e100  # sums of such weights are still finite

__all__ = ["PROFILES", "RS1", "STANDARD", "CriticalRule", "Profile"]


@collected
@declared(kw_only=True)
class CriticalRule:
    """One signal at or above ``threshold`` gives at least ``verdict``, whatever the overall score."""

    signal_name: str
    threshold: float
    verdict: Literal["WARN", "FAIL"]


def _usable(weights: Mapping[str, float]) -> Mapping[str, float]:
    for name, weight in weights.items():
        if not 0 <= weight <= _HEAVIEST:  # false for what is not a number, too
            raise ValueError(f'the weight of "{name}" is {weight}; it must be a finite number, 0 or more')
    kept = {name: weight for name, weight in sorted(weights.items()) if weight}
    if not kept:
        raise ValueError("every signal's weight is 0; give at least one of them a weight")
    return kept


@collected
@declared(kw_only=True)
class Profile:
    """Weights (relative, any positive scale), the two thresholds on the overall score in [0, 1], and the critical rules.

    With ``findings_decide``, an error of a signal that has a weight is FAIL and a warning is WARN; scores can only make the
    verdict worse, and not on notes alone. A signal with weight 0 counts as one without a weight. ``settings`` are defaults for
    settings of signals, by signal and setting, in the place of the signals' own; what the user sets goes first. Raises ``ValueError`` for a weight that is not a finite
    number of at least 0, and if no weight is above 0.
    """

    name: str
    weights: Mapping[str, float] = field(converter=_usable)
    warn_at: float
    fail_at: float
    critical: tuple[CriticalRule, ...]
    findings_decide: bool = False
    settings: Mapping[str, Mapping[str, Any]] = field(factory=dict)

    @property
    def deciding(self) -> frozenset[str]:
        """The signals that can decide the verdict: those with a weight, and those that a critical rule names."""
        return frozenset(self.weights) | {rule.signal_name for rule in self.critical}

    def verdict_at(self, overall: float) -> Verdict:
        """The verdict that the overall score alone gives."""
        if overall >= self.fail_at:
            return "FAIL"
        return "WARN" if overall >= self.warn_at else "PASS"


RS1 = Profile(
    name="rs1",
    weights={"cost": 0.15, "hallucination": 0.35, "loop": 0.25, "tool_misuse": 0.25},
    warn_at=0.4,
    fail_at=0.7,
    critical=(
        CriticalRule(signal_name="hallucination", threshold=0.8, verdict="FAIL"),
        CriticalRule(signal_name="loop", threshold=0.8, verdict="FAIL"),
        CriticalRule(signal_name="tool_misuse", threshold=0.7, verdict="WARN"),
        CriticalRule(signal_name="cost", threshold=0.9, verdict="WARN"),
    ),
    settings={"tool_misuse": {"formula": "error_rate"}},
)
"""RS-1's four signals, weights, thresholds, critical rules and error rate, literally."""

STANDARD = evolve(
    RS1,
    name="standard",
    findings_decide=True,
    settings={},
    critical=(
        *RS1.critical,
        CriticalRule(signal_name="hallucination", threshold=0.4, verdict="WARN"),
        CriticalRule(signal_name="ending", threshold=0.95, verdict="FAIL"),
        CriticalRule(signal_name="ending", threshold=0.8, verdict="WARN"),
    ),
)
"""The default: what the findings say decides, with RS-1's weights, thresholds and critical rules, and three more, on top; failed calls are weighed by what followed them."""

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (RS1, STANDARD)}
"""The built-in profiles, by name."""
