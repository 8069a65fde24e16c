"""What the rules hand back: findings with the weight that each has in the score."""

import math
from collections.abc import Iterable

from sentinel_core.evaluate.index import Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination.sentences import span_around

__all__ = ["Evidence", "combined", "in_text"]


class Evidence:
    """One finding and its risk. ``certain`` ones are not held down by the ceiling of the doubtful ones."""

    __slots__ = ("certain", "finding", "weight")

    def __init__(self, finding: Finding, weight: float, *, certain: bool = False) -> None:
        self.finding = finding
        self.weight = weight
        self.certain = certain


def in_text(
    text: Text, rule: str, told: str, start: int, end: int, weight: float, *, certain: bool = False
) -> Evidence:
    """A finding in the agent's words, quoted from one place to another: an error where it is certain."""
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=told,
        message_index=text.message_index,
        quote=span_around(text.content, start, end),
    )
    return Evidence(finding, weight, certain=certain)


def _noisy_or(weights: Iterable[float]) -> float:
    return 1.0 - math.prod(1.0 - weight for weight in weights)


def combined(evidence: Iterable[Evidence], ceiling: float) -> float:
    """The risk in [0, 1] of all evidence: independent causes, any of which spoils the trace. Rounded to 6 decimals."""
    rows = list(evidence)
    doubtful = min(ceiling, _noisy_or(row.weight for row in rows if not row.certain))
    certain = _noisy_or(row.weight for row in rows if row.certain)
    return round(_noisy_or((doubtful, certain)), 6)
