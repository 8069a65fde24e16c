"""What the rules hand back: findings with the weight that each has in the score."""

import math
from collections.abc import Iterable

from sentinel_core.evaluate.index import Text
from sentinel_core.report import Finding
from sentinel_signal_hallucination.odds import severity_of
from sentinel_signal_hallucination.sentences import span_around

__all__ = ["Evidence", "combined", "evidence", "in_text"]


class Evidence:
    """One finding and its risk, which is 0 for a note. Errors are not held down by the ceiling of the warnings."""

    __slots__ = ("finding", "weight")

    def __init__(self, finding: Finding, weight: float) -> None:
        self.finding = finding
        self.weight = 0.0 if finding.severity == "note" else weight

    @property
    def certain(self) -> bool:
        """True for an error."""
        return self.finding.severity == "error"


def evidence(
    rule: str,
    branch: str,
    text: str,
    weight: float,
    *,
    message_index: int,
    quote: str | None = None,
    call_id: str | None = None,
) -> Evidence:
    """A finding of a branch, as severe as the odds of that branch allow."""
    finding = Finding(
        rule=rule,
        branch=branch,
        severity=severity_of(rule, branch),
        text=text,
        message_index=message_index,
        quote=quote,
        call_id=call_id,
    )
    return Evidence(finding, weight)


def in_text(text: Text, rule: str, branch: str, told: str, start: int, end: int, weight: float) -> Evidence:
    """A finding in the agent's words, quoted from one place to another."""
    quote = span_around(text.content, start, end)
    return evidence(rule, branch, told, weight, message_index=text.message_index, quote=quote)


def _noisy_or(weights: Iterable[float]) -> float:
    return 1.0 - math.prod(1.0 - weight for weight in weights)


def combined(rows: Iterable[Evidence], ceiling: float) -> float:
    """The risk in [0, 1] of all evidence: independent causes, any of which spoils the trace. Rounded to 6 decimals."""
    rows = list(rows)
    doubtful = min(ceiling, _noisy_or(row.weight for row in rows if not row.certain))
    certain = _noisy_or(row.weight for row in rows if row.certain)
    return round(_noisy_or((doubtful, certain)), 6)
