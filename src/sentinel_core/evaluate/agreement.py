"""Which runs of one task disagree with the rest in what they came to. A report alone cannot know it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sentinel_core.evaluate.answer import answer_of, ends_run
from sentinel_core.trace import canonical

if TYPE_CHECKING:
    from sentinel_core.evaluate.index import TraceIndex
    from sentinel_core.report import ReliabilityReport

__all__ = ["came_to", "disagreements", "outcome_key", "score_beside_others"]

_MOST_WORDS = 20
_SHORT, _DEEPEST = 40, 8
_SHARE = 0.1
_BAD_END = 0.8
_PLACES = 9

_words = re.compile(r"[^\W_]+(?:\.\d+)?").findall


def came_to(index: "TraceIndex", report: "ReliabilityReport") -> str | None:
    """What the run came to, as a key; None where it ended badly: that two such runs are alike says nothing for them."""
    for signal in report.signal_scores:
        if signal.signal_name == "ending" and (signal.score or 0.0) >= _BAD_END:
            return None
    return outcome_key(index)


def outcome_key(index: "TraceIndex") -> str:
    """What the run did to the world, and its answer: equal for runs that came to the same.

    Calls that wrote something count with their arguments, in whatever order. Of a patch the changed lines count. In any other answer
    case, punctuation and white space do not. Prose of more than 20 words is left out, as an answer and as an argument: no two texts of
    that length are alike.
    """
    answer = answer_of(index)
    changed = _changed_lines(answer) if "diff --git" in answer else _words(answer.casefold())
    told = changed if "diff --git" in answer or len(changed) <= _MOST_WORDS else ()
    return "\n".join([*sorted(set(_deeds(index))), "", " ".join(told)])


def _deeds(index: "TraceIndex") -> Iterator[str]:
    for call in index.calls:
        if index.tools[call.call.name].effect == "writes" and not (
            call.is_copied or ends_run(call) or call.outcome.state == "failed"
        ):
            arguments = canonical(_without_prose(call.call.arguments)).decode("utf-8", "replace")
            yield f"{call.call.name} {arguments}"
    for child in index.children:
        yield from _deeds(child)


def _without_prose(value: Any, depth: int = 0) -> Any:
    """The value with empty texts in the place of long ones; what lies deeper than eight lists and objects counts as it is."""
    if isinstance(value, str):
        return value if len(value) <= _SHORT or len(_words(value)) <= _MOST_WORDS else ""
    if depth == _DEEPEST:
        return value
    if isinstance(value, list):
        return [_without_prose(one, depth + 1) for one in value]
    return {key: _without_prose(one, depth + 1) for key, one in value.items()} if isinstance(value, dict) else value


def _changed_lines(patch: str) -> list[str]:
    lines = [line for line in patch.split("\n") if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
    return sorted({"".join(line.split()) for line in lines})


def disagreements(keys: Sequence[str | None]) -> list[float]:
    """For each of several runs of one task, the share of the others that came to something else, from 0 to 1.

    None stands for a run that came to nothing: it agrees with no other. Raises ``ValueError`` for fewer than two: one run cannot agree.
    """
    if len(keys) < 2:  # noqa: PLR2004 - itself and another
        raise ValueError("agreement can be computed only for two or more runs of a task")
    same = Counter(keys)
    return [1.0 if key is None else round(1 - (same[key] - 1) / (len(keys) - 1), _PLACES) for key in keys]


def score_beside_others(triage: float, disagreement: float) -> float:
    """The triage score of a run among others of its task, in [0, 1]: disagreement takes a tenth of what is left to 1."""
    return round(1 - (1 - triage) * (1 - _SHARE * disagreement), _PLACES)
