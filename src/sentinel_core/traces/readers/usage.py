"""Reads token counts of every provider. Cached tokens count as prompt tokens, reasoning tokens as completion tokens."""

from collections.abc import Iterable
from typing import Any

from sentinel_core.trace import TokenDetails, TokenUsage

__all__ = ["add_usage", "usage_of"]

_PROMPT = (
    "prompt_tokens", "input_tokens", "prompt_token_count", "promptTokenCount", "input", "inputTokens",
    "promptTokens",
)  # fmt: skip
_COMPLETION = (
    "completion_tokens", "output_tokens", "candidates_token_count", "candidatesTokenCount", "output", "outputTokens",
    "completionTokens",
)  # fmt: skip
_TOTAL = ("total_tokens", "total_token_count", "totalTokenCount", "total", "totalTokens")
_CACHED = (
    "cached_tokens", "cached_input_tokens", "cache_read_tokens", "cache_read", "cached_content_token_count",
    "cachedContentTokenCount", "input_tokens_cache_read", "cached", "input_cache_read",
)  # fmt: skip
_CACHE_WRITE = (
    "cache_write_tokens", "cache_write_input_tokens", "cache_write", "cache_creation", "input_tokens_cache_write",
    "input_cache_write",
)  # fmt: skip
_REASONING = (
    "reasoning_tokens", "reasoning_output_tokens", "reasoning", "thoughts_token_count", "thoughtsTokenCount",
    "thoughts",
)  # fmt: skip
_DETAIL_NAMES = (
    "prompt_tokens_details", "input_tokens_details", "input_token_details", "completion_tokens_details",
    "output_tokens_details", "output_token_details",
)  # fmt: skip
# Anthropic and Bedrock do not include cached tokens in their input tokens.
_BESIDE_READ = ("cache_read_input_tokens", "cacheReadInputTokens")
_BESIDE_WRITE = ("cache_creation_input_tokens", "cacheWriteInputTokens")

_DETAILS = frozenset(_DETAIL_NAMES)
_KINDS = {
    "prompt": _PROMPT,
    "completion": _COMPLETION,
    "total": _TOTAL,
    "cached": _CACHED,
    "cache_write": _CACHE_WRITE,
    "reasoning": _REASONING,
    "beside_read": _BESIDE_READ,
    "beside_write": _BESIDE_WRITE,
}
_KIND_OF = {name: (kind, rank) for kind, names in _KINDS.items() for rank, name in enumerate(names)}


def usage_of(raw: object) -> TokenUsage | None:
    """Token counts from any provider's usage object; None if it has none.

    Negative and fractional counts are ignored. A ``total`` that exceeds its parts (hidden thinking tokens) is kept.
    """
    if not isinstance(raw, dict):
        return None
    counts = _counts(raw)
    prompt, completion, total = counts.get("prompt"), counts.get("completion"), counts.get("total")
    if prompt is None and completion is None and total is None:
        return None
    read, write = counts.get("beside_read", 0), counts.get("beside_write", 0)
    cached, written = read or counts.get("cached", 0), write or counts.get("cache_write", 0)
    reasoning = counts.get("reasoning", 0)
    details = None
    if cached or written or reasoning:
        details = TokenDetails(cached_tokens=cached, cache_write_tokens=written, reasoning_tokens=reasoning)
    return TokenUsage(
        prompt_tokens=(prompt or 0) + read + write,
        completion_tokens=completion or 0,
        total_tokens=None if read or write else total,
        details=details,
    )


def add_usage(usages: Iterable[TokenUsage | None]) -> TokenUsage | None:
    """The sum; None if there is nothing to add. The total is the sum of the totals."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    parts = [usage.details for usage in known if usage.details is not None]
    details = TokenDetails(
        cached_tokens=sum(part.cached_tokens for part in parts),
        cache_write_tokens=sum(part.cache_write_tokens for part in parts),
        reasoning_tokens=sum(part.reasoning_tokens for part in parts),
    )
    return TokenUsage(
        prompt_tokens=sum(usage.prompt_tokens for usage in known),
        completion_tokens=sum(usage.completion_tokens for usage in known),
        total_tokens=sum(usage.total for usage in known),
        details=details if parts else None,
    )


def _counts(raw: dict[str, Any]) -> dict[str, int]:
    """Each kind of count; of several names, the first in its table wins."""
    counts: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for key, value in (raw if _DETAILS.isdisjoint(raw) else _flat(raw)).items():
        known = _KIND_OF.get(key)
        if known is None:
            continue
        kind, rank = known
        count = int(value) if isinstance(value, float) and value.is_integer() else value
        if type(count) is int and count >= 0 and rank < ranks.get(kind, len(_KIND_OF)):
            counts[kind], ranks[kind] = count, rank
    return counts


def _flat(raw: dict[str, Any]) -> dict[str, Any]:
    """The object with its detail objects merged into it."""
    flat = dict(raw)
    for name in _DETAIL_NAMES:
        inner = raw.get(name)
        if isinstance(inner, dict):
            flat.update({key: value for key, value in inner.items() if key not in flat})
    return flat
