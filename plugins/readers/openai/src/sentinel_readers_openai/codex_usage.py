"""Counts the tokens of a Codex session once: by response id if recorded, else from differences of running totals."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core import TokenDetails, TokenUsage
from sentinel_readers_openai.drafts import Draft
from sentinel_readers_openai.values import mapping

__all__ = ["Meter"]

_Counts = dict[str, int]


@attrs.define(eq=False)
class Meter:
    """Assigns tokens to messages. After ``settle``, ``loose`` holds tokens of model calls without a message."""

    loose: list[TokenUsage] = attrs.field(factory=list)
    _totals: list[tuple[Draft | None, TokenUsage]] = attrs.field(factory=list)
    _records: dict[str, tuple[Draft | None, TokenUsage]] = attrs.field(factory=dict)
    _before: _Counts = attrs.field(factory=dict)

    def total(self, info: object, payer: Draft | None, *, is_copied: bool) -> None:
        """Add a running total. A lower one restarts from 0; a repeated one adds nothing."""
        totals = mapping(info)
        now, last = _counts(totals.get("total_token_usage")), _counts(totals.get("last_token_usage"))
        if not now:
            now = {key: self._before.get(key, 0) + count for key, count in last.items()}
        if now == self._before or not now:
            return
        begun_anew = any(now.get(key, 0) < count for key, count in self._before.items())
        spent = (last or now) if begun_anew else {key: count - self._before.get(key, 0) for key, count in now.items()}
        self._before = now
        if not is_copied:
            self._totals.append((payer, _usage(spent)))

    def record(self, payload: Mapping[str, Any], payer: Draft | None, *, is_copied: bool) -> None:
        """Add the tokens of one response, which newer versions write beside the running total."""
        spent = _counts(payload.get("usage"))
        if spent and not is_copied:
            key = payload.get("response_id")
            self._records[key if isinstance(key, str) else f"#{len(self._records)}"] = (payer, _usage(spent))

    def settle(self, kept: "set[int]") -> None:
        """Give each message among ``kept`` (by ``id``) its tokens, at most once; the rest is loose."""
        for payer, usage in [*self._records.values()] or self._totals:
            if payer is None or payer.usage is not None or id(payer) not in kept:
                self.loose.append(usage)
            else:
                payer.usage = usage


def _usage(spent: _Counts) -> TokenUsage:
    details = TokenDetails(
        cached_tokens=spent.get("cached_input_tokens", 0),
        cache_write_tokens=spent.get("cache_write_input_tokens", 0),
        reasoning_tokens=spent.get("reasoning_output_tokens", 0),
    )
    total = spent.get("total_tokens")
    return TokenUsage(
        prompt_tokens=spent.get("input_tokens", 0),
        completion_tokens=spent.get("output_tokens", 0),
        total_tokens=total,
        details=details if details != TokenDetails() else None,
    )


def _counts(raw: object) -> _Counts:
    return {key: count for key, count in mapping(raw).items() if type(count) is int and count >= 0}
