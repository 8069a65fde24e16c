"""The score that sorts runs by how likely they failed. It decides no verdict."""

from collections.abc import Iterable, Mapping
from math import fsum

__all__ = ["TRIAGE_WEIGHTS", "triage_score"]

TRIAGE_WEIGHTS: Mapping[str, float] = {
    "ending": 0.4,
    "effort": 0.3,
    "hallucination": 0.105,
    "loop": 0.075,
    "tool_misuse": 0.075,
    "cost": 0.045,
}
"""How a run ends tells most, effort is a prior, and RS-1's four share 0.3 in their proportions."""

_PLACES = 9


def triage_score(scores: Iterable[tuple[str, float | None]]) -> float | None:
    """The weighted mean, in [0, 1] and rounded once, over those signals that could be measured; None where none could."""
    measured = [(TRIAGE_WEIGHTS[name], score) for name, score in scores if score is not None and name in TRIAGE_WEIGHTS]
    if not measured:
        return None
    return round(fsum(weight * score for weight, score in measured) / fsum(weight for weight, _ in measured), _PLACES)
