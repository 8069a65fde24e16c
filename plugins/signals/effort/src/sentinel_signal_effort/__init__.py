"""Sentinel signal: how much effort a run took. A prior, not a defect: hard tasks take effort, and hard tasks fail more often."""

import math
from collections.abc import Iterable, Mapping

from sentinel_core import Detection, Finding, Rule, Signal, TraceIndex, hookimpl
from sentinel_core.offers import Explanation

__all__ = ["detect", "sentinel_signals"]

_WRITTEN, _LONGEST, _TOKENS = (1, 6), (2, 4), (2, 7)
_HIGH = 0.8
_DIGITS = 6


def detect(index: TraceIndex) -> Detection:
    """The mean of what the agent wrote, of its longest step, and of recorded tokens, each on its logarithmic scale."""
    if index.is_silent:
        return Detection(score=None, details="The agent did nothing, so the run took no effort.")
    (written, longest), tokens = _written(index), _tokens(index)
    parts = [_share(written, _WRITTEN), _share(longest, _LONGEST)]
    if tokens is not None:
        parts.append(_share(tokens, _TOKENS))
    score = round(sum(parts) / len(parts), _DIGITS)
    spent = f"{written:,} characters, {longest:,} in the longest step" + (
        "" if tokens is None else f"; {tokens:,} tokens"
    )
    if score < _HIGH:
        return Detection(score=score, details=f"{spent}. Used for sorting only.")
    text = f"The run took a lot of effort: {spent}. This is no defect: long runs fail more often than short ones."
    return Detection(score=score, findings=[Finding(rule="much_effort", severity="note", text=text)], details=text)


def _written(index: TraceIndex) -> tuple[int, int]:
    """Characters in the agent's texts, and in its longest step: a message together with the arguments of its calls that are text.

    Sub-agents' count, too; context that was copied after compaction does not.
    """
    steps = {text.message_index: len(text.content) for text in index.texts if not text.is_copied}
    own = sum(steps.values())
    for call in index.calls:
        if not call.is_copied:
            length = steps.get(call.message_index, 0)
            for value in call.call.arguments.values():
                if type(value) is str:
                    length += len(value)
            steps[call.message_index] = length
    longest = max(steps.values(), default=0)
    for child in index.children:
        written, most = _written(child)
        own, longest = own + written, max(longest, most)
    return own, longest


def _tokens(index: TraceIndex) -> int | None:
    used = [one.trace.token_usage for one in (index, *index.children)]
    totals = [usage.total for usage in used if usage is not None]
    return sum(totals) if totals else None


def _share(count: int, scale: tuple[int, int]) -> float:
    """Where the count stands between the scale's two powers of ten, from 0 to 1."""
    low, high = scale
    return (math.log10(min(max(count, 10**low), 10**high)) - low) / (high - low)


def _explain() -> Mapping[str, Explanation]:
    page = "The build ran, and its log is long. " * 20_000
    return {
        "much_effort": Explanation(
            why="Hard tasks take more effort and fail more often, so review long runs before short runs.",
            mend="This finding alone is no reason to change the agent. If you have many runs to review, start with those that have this finding.",
            example={"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": page}]},
        )
    }


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the effort signal."""
    much = Rule(
        id="much_effort",
        severity="note",
        title="The run took a lot of effort",
        since="0.1.0",
        help="The agent wrote far more than in most runs. This finding says nothing about the answer, only where to look first.",
    )
    return [
        Signal(
            name="effort",
            summary="how much effort the run took: a prior, not a defect",
            detect=detect,
            rules=(much,),
            explain=_explain,
        )
    ]
