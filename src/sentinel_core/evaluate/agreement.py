"""Which runs of one task disagree with the rest in what they came to. A report alone cannot know it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sentinel_core.evaluate.answer import answer_of

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import TraceIndex

__all__ = ["disagreements", "outcome_key"]

_words = re.compile(r"[^\W_]+(?:\.\d+)?").findall
_patched = re.compile(r"^diff --git a/(\S+)", re.MULTILINE).findall


def outcome_key(index: "TraceIndex") -> str:
    """The answer in a form in which case, punctuation and white space do not count; of a patch, the files that it changes."""
    answer = answer_of(index)
    files = _patched(answer)
    return " ".join(sorted(set(files)) if files else _words(answer.casefold()))


def disagreements(keys: Sequence[str]) -> list[float]:
    """For each of several runs of one task, the share of the others that came to something else, from 0 to 1.

    Raises ``ValueError`` for fewer than two: one run cannot agree.
    """
    if len(keys) < 2:  # noqa: PLR2004 - itself and another
        raise ValueError("agreement needs two runs of a task")
    same = Counter(keys)
    return [round(1 - (same[key] - 1) / (len(keys) - 1), 9) for key in keys]
