"""How many tokens a trace used, from its own total or else from its messages."""

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sentinel_core import Message, TokenUsage, TraceIndex

__all__ = ["MOST_TOKENS", "Spent", "billed_calls", "spent"]

_details = attrgetter("details")

MOST_TOKENS = 10**15
"""A count above it is nonsense, and counts as this many: what is worked out from it stays finite."""


class Spent:
    """Tokens of a trace and its sub-agents: ``cached`` is a part of ``prompt``; ``total`` may be more than both parts."""

    __slots__ = ("cached", "completion", "prompt", "total")

    def __init__(self, usages: "Iterable[TokenUsage]") -> None:
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


def billed_calls(messages: "Sequence[Message]") -> "list[tuple[int, TokenUsage]]":
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


def spent(index: "TraceIndex", path: tuple[int, ...] = ()) -> "tuple[list[TokenUsage], list[tuple[int, ...]]]":
    """The usages to add up, and the sub-agents (and trace, as the empty path) that recorded none."""
    own = index.trace.token_usage
    usages = [own] if own is not None else [usage for _, usage in billed_calls(index.messages)]
    silent = [] if usages else [path]
    for position, child in enumerate(index.children):
        below, quiet = spent(child, (*path, position))
        usages += below
        silent += quiet
    return usages, silent
