"""Sentinel signal: how much effort a run took. A prior, not a defect: hard tasks take effort, and hard tasks fail more often."""

import math
from collections.abc import Iterable, Mapping

from sentinel_core import Detection, Finding, Rule, Signal, TraceIndex, hookimpl
from sentinel_core.offers import Explanation

__all__ = ["detect", "sentinel_signals"]

_WORDS = (0, 5)
_TOKENS = (2, 7)
_HIGH = 0.8
_DIGITS = 6


def detect(index: TraceIndex) -> Detection:
    """The mean of words that the agent wrote and, where they are recorded, tokens that it used, each on its logarithmic scale."""
    if index.is_silent:
        return Detection(score=None, details="The agent did nothing: it took no effort.")
    words, tokens = _words(index), _tokens(index)
    parts = [_share(words, _WORDS), *([] if tokens is None else [_share(tokens, _TOKENS)])]
    score = round(sum(parts) / len(parts), _DIGITS)
    spent = f"{words:,} words" if tokens is None else f"{words:,} words and {tokens:,} tokens"
    if score < _HIGH:
        return Detection(score=score, details=f"{spent}. A prior, not a defect.")
    text = (
        f"The run took much effort: {spent}. That is a prior, not a defect: long runs fail more often than short ones."
    )
    return Detection(score=score, findings=[Finding(rule="much_effort", severity="note", text=text)], details=text)


def _words(index: TraceIndex) -> int:
    """Words in the agent's own texts and its sub-agents', without context that was copied after compaction.

    Blanks and line ends are counted, and one word more a text: to split texts into words costs ten times as much.
    """
    texts = [text.content for text in index.texts if not text.is_copied]
    own = sum(text.count(" ") + text.count("\n") for text in texts) + len(texts)
    return own + sum(map(_words, index.children))


def _tokens(index: TraceIndex) -> int | None:
    used = [index.trace.token_usage, *(child.trace.token_usage for child in index.children)]
    totals = [usage.total for usage in used if usage is not None]
    return sum(totals) if totals else None


def _share(count: int, scale: tuple[int, int]) -> float:
    """Where the count stands between the scale's two powers of ten, from 0 to 1."""
    low, high = scale
    return min(1.0, max(0.0, (math.log10(min(max(count, 1), 10**18)) - low) / (high - low)))


def _explain() -> Mapping[str, Explanation]:
    page = "The build ran, and its log is long. " * 20_000
    return {
        "much_effort": Explanation(
            why="Hard tasks take effort, and hard tasks fail more often: a long run is worth a look before a short one.",
            mend="Nothing in the agent, by itself. Look here first when you sort many runs.",
            example={"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": page}]},
        )
    }


@hookimpl
def sentinel_signals() -> Iterable[Signal]:
    """Offer the effort signal."""
    much = Rule(
        id="much_effort",
        severity="note",
        title="The run took much effort",
        since="0.1.0",
        help="Words and tokens are far above what most runs take. It says nothing about the answer; look here first, not harder.",
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
