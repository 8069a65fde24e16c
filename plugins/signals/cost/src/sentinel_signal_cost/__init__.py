"""Sentinel signal: tokens against a budget.

Three rules: ``over_budget``, ``prompt_growth`` and ``completion_ratio``. The score is the worst of theirs; the README has
the formulas.
"""

from collections.abc import Iterable, Mapping

from sentinel_core import Detection, Explanation, Signal, TraceIndex, hookimpl
from sentinel_signal_cost.declared import RULES
from sentinel_signal_cost.rules import CostSettings, Part, Spent, budget_part, growth_part, ratio_part, spent

__all__ = ["CostSettings", "detect", "sentinel_signals"]

_DIGITS = 6


def detect(index: TraceIndex, settings: CostSettings) -> Detection:
    """What the trace and its sub-agents used together; not measured where no usage is recorded."""
    usages, silent = spent(index)
    if not usages:
        return _UNRECORDED
    total = Spent(usages)
    parts = [budget_part(total, settings), ratio_part(total, settings), *growth_part(index, settings)]
    weighted = total.weighted(settings.cached_weight)
    return Detection(
        score=round(max(score for score, _ in parts), _DIGITS),
        findings=[finding for _, finding in sorted(parts, key=_by_score, reverse=True) if finding is not None],
        details=f"{weighted:,.0f} tokens of a budget of {settings.budget_tokens:,}.",
        gaps=[f"No token usage is recorded for {_place(path)}." for path in silent],
    )


_UNRECORDED = Detection(
    score=None,
    details="Token usage was not recorded.",
    gaps=("Neither the trace nor its messages record token usage.",),
)


def _by_score(part: Part) -> float:
    return part[0]


def _place(path: tuple[int, ...]) -> str:
    return f"sub-agent {'.'.join(map(str, path))}" if path else "the trace itself"


def _explain() -> Mapping[str, Explanation]:
    from sentinel_signal_cost.explained import explain

    return explain()


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the cost signal."""
    return [
        Signal(
            name="cost",
            summary="tokens against a budget",
            detect=detect,
            settings=CostSettings,
            rules=RULES,
            explain=_explain,
        ),
    ]
