"""The rules of this signal, as the host shows them."""

from sentinel_core.offers import Rule

__all__ = ["RULES"]

_SINCE = "0.1.0"

RULES = (
    Rule(
        id="over_budget",
        severity="error",
        title="More tokens than the budget",
        help="The run used more tokens than budget_tokens allows, with cached tokens discounted; a note if budget_tokens is not set. Shorten the context, or raise the budget.",
        since=_SINCE,
    ),
    Rule(
        id="completion_ratio",
        severity="warning",
        title="Long answers to short prompts",
        help="The model wrote many more tokens than it read; a note if completion_ratio is not set. Ask for shorter answers, or raise completion_ratio.",
        since=_SINCE,
    ),
    Rule(
        id="prompt_growth",
        severity="warning",
        title="The prompt grows with every call",
        help="Each model call added more tokens to the prompt than growth_tokens allows; a note if growth_tokens is not set. Trim tool results, or compact the context.",
        since=_SINCE,
    ),
)
"""All that this signal can find."""
