"""Sentinel signal: tokens against a budget.

Tokens used, from the trace's own total or else from its messages, and three rules on them: ``over_budget``,
``prompt_growth`` and ``completion_ratio``. The score is the worst of theirs; the README has the formulas.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from sentinel_core import Detection, Explanation, Finding, Message, Signal, TokenUsage, TraceIndex, hookimpl
from sentinel_signal_cost.declared import RULES

if TYPE_CHECKING:
    from sentinel_core.report import Severity

__all__ = ["MOST_TOKENS", "CostSettings", "detect", "sentinel_signals"]

_DIGITS = 6
_details = attrgetter("details")

MOST_TOKENS = 10**15
"""A count above it is nonsense, and counts as this many: what is worked out from it stays finite."""


class Spent:
    """Tokens of a trace and its sub-agents: ``cached`` is a part of ``prompt``; ``total`` may be more than both parts."""

    __slots__ = ("cached", "completion", "prompt", "total")

    def __init__(self, usages: Iterable[TokenUsage]) -> None:
        self.prompt = self.completion = self.total = self.cached = 0
        for usage in usages:
            prompt = min(usage.prompt_tokens, MOST_TOKENS)
            self.prompt += prompt
            self.completion += min(usage.completion_tokens, MOST_TOKENS)
            self.total += min(usage.total, MOST_TOKENS)
            if usage.details is not None:
                self.cached += min(usage.details.cached_tokens, prompt)

    def weighted(self, cached_weight: float) -> float:
        """The total with cached tokens discounted."""
        return self.total - (1 - cached_weight) * min(self.cached, self.total)


def billed_calls(messages: Sequence[Message]) -> list[tuple[int, TokenUsage]]:
    """Message index and usage of each model call: context copied after compaction and repeated ids are left out."""
    calls: list[tuple[int, TokenUsage]] = []
    if not any(map(_details, messages)):
        return calls
    seen: set[str] = set()
    for position, message in enumerate(messages):
        details = message.details
        if details is None or details.usage is None or details.is_copied_context or details.id in seen:
            continue
        if details.id is not None:
            seen.add(details.id)
        calls.append((position, details.usage))
    return calls


def spent(index: TraceIndex, path: tuple[int, ...] = ()) -> tuple[list[TokenUsage], list[tuple[int, ...]]]:
    """The usages to add up, and the sub-agents (and trace, as the empty path) that recorded none."""
    own = index.trace.token_usage
    usages = [own] if own is not None else [usage for _, usage in billed_calls(index.messages)]
    silent = [] if usages else [path]
    for position, child in enumerate(index.children):
        below, quiet = spent(child, (*path, position))
        usages += below
        silent += quiet
    return usages, silent


_positive = attrs.validators.gt(0.0)
_count = attrs.validators.gt(0)
_optional = attrs.validators.optional
_share = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class CostSettings:
    """Budgets are in tokens, weights in [0, 1]. A limit that is not set gives a score by its usual value, but its finding is a note.

    Raises ``ValueError`` for a value out of its range.
    """

    budget_tokens: int | None = attrs.field(default=None, validator=_optional(_count))
    """Token budget of a run, with cached tokens discounted; a run that uses exactly this many tokens scores 0.5. If not set, 200,000 gives the score, and more tokens are only a note."""
    cached_weight: float = attrs.field(default=0.1, validator=_share)
    """Weight of a prompt token that was read from a cache; every other token has weight 1."""
    growth_tokens: int | None = attrs.field(default=None, validator=_optional(_count))
    """Number of prompt tokens that each model call may add on average to the prompt of the previous call. If not set, 8,000 gives the score, and more growth is only a note."""
    growth_weight: float = attrs.field(default=0.5, validator=_share)
    """Maximum score for prompt growth alone."""
    completion_ratio: float | None = attrs.field(default=None, validator=_optional(_positive))
    """Number of completion tokens per prompt token above which a run is considered wordy. If not set, 2.0 gives the score, and a wordy run is only a note."""
    completion_weight: float = attrs.field(default=0.4, validator=_share)
    """Maximum score for wordiness alone."""
    least_completion_tokens: int = attrs.field(default=2_000, validator=attrs.validators.ge(0))
    """A run with fewer completion tokens than this is never considered wordy, whatever its ratio."""


Part = tuple[float, Finding | None]
"""A rule's score in [0, 1] and its finding, None where the rule is kept."""

_ERROR_AT = 0.8
_BUDGET_TOKENS, _GROWTH_TOKENS, _COMPLETION_RATIO = 200_000, 8_000, 2.0


def _rising(share: float) -> float:
    """From 0 towards 1, and 0.5 where the share of the allowance is 1: Hill's function with exponent 2."""
    return share * share / (share * share + 1)


def _severity(score: float, limit: float | None) -> "Severity":
    """A note where nobody set the limit: that a run was expensive is then nobody's complaint."""
    if limit is None:
        return "note"
    return "error" if score >= _ERROR_AT else "warning"


def budget_part(spent: Spent, settings: CostSettings) -> Part:
    """Rule ``over_budget``: tokens, cached ones discounted, against the budget."""
    tokens, budget = spent.weighted(settings.cached_weight), settings.budget_tokens or _BUDGET_TOKENS
    score = _rising(tokens / budget)
    if tokens <= budget:
        return score, None
    its = "its" if settings.budget_tokens else "the usual"
    text = f"The run used {tokens:,.0f} tokens (with cached tokens discounted); {its} budget is {budget:,}."
    return score, Finding(rule="over_budget", severity=_severity(score, settings.budget_tokens), text=text)


def ratio_part(spent: Spent, settings: CostSettings) -> Part:
    """Rule ``completion_ratio``: how many tokens were written for each one read, beyond what is allowed."""
    ratio, allowed = spent.completion / max(spent.prompt, 1), settings.completion_ratio or _COMPLETION_RATIO
    if spent.completion < settings.least_completion_tokens or ratio <= allowed:
        return 0.0, None
    score = settings.completion_weight * (1 - allowed / ratio)
    text = f"The model wrote {spent.completion:,} tokens and read {spent.prompt:,}."
    return score, Finding(rule="completion_ratio", severity=_severity(score, settings.completion_ratio), text=text)


def growth_part(index: TraceIndex, settings: CostSettings, path: tuple[int, ...] = ()) -> Iterator[Part]:
    """Rule ``prompt_growth``, for the trace and each sub-agent: tokens that each model call adds to the prompt.

    A prompt that shrinks (compaction) takes nothing back: only what was added counts.
    """
    calls = billed_calls(index.messages)
    prompts = [min(usage.prompt_tokens, MOST_TOKENS) for _, usage in calls]
    added = sum(max(0, after - before) for before, after in itertools.pairwise(prompts))
    growth, allowed = added / max(len(prompts) - 1, 1), settings.growth_tokens or _GROWTH_TOKENS
    if growth > allowed:
        score = settings.growth_weight * (1 - allowed / growth)
        are = "are allowed" if settings.growth_tokens else "are usual"
        text = f"Each model call added {growth:,.0f} tokens to the prompt on average; {allowed:,} {are}."
        severity, last = _severity(score, settings.growth_tokens), calls[-1][0]
        found = Finding(rule="prompt_growth", severity=severity, text=text, message_index=last, trace_path=path)
        yield score, found
    for position, child in enumerate(index.children):
        yield from growth_part(child, settings, (*path, position))


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
        details=f"{weighted:,.0f} tokens of a budget of {settings.budget_tokens:,}."
        if settings.budget_tokens
        else f"{weighted:,.0f} tokens; no budget is set.",
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
