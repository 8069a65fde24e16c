"""What foreign code answered, raised, or changed in the trace: checked, put back, and in words that are the same on every machine."""

import math
from types import CoroutineType
from typing import Any

import attrs

from sentinel_core.errors import error_text
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Detection, Finding, LedgerEntry
from sentinel_core.trace import from_json, to_json

__all__ = [
    "NonsenseError",
    "Snapshot",
    "checked_detection",
    "describe",
    "describe_in_place",
    "refuse_astray",
    "refused_type",
]

_LONGEST_ERROR = 300
_MOST_FINDINGS = 10_000
_ASTRAY = 'returned a finding, "{}", that points to {}; there are {}, counted from 0'
_OURS = __name__.partition(".")[0]


def describe_in_place(error: BaseException) -> str:
    """One line that says what a stranger's code raised, and where in it."""
    return f"{describe(error)}{_place(error)}"


def describe(error: BaseException) -> str:
    """One line that says what was raised, without halves of surrogate pairs, which no file, pipe or database would take."""
    text = " ".join(error_text(error).split())[:_LONGEST_ERROR]
    if isinstance(error, NonsenseError):
        return text
    return f"raised {type(error).__name__}: {text}" if text else f"raised {type(error).__name__}"


def _place(error: BaseException) -> str:
    """The last line of the stranger's own code on the way to the error: the file's base name, the same on every machine.

    Where memory or the stack runs out depends on what ran before.
    """
    if isinstance(error, (MemoryError, RecursionError)):
        return ""
    owner, place, step = "", "", error.__traceback__
    while step is not None:
        package = str(step.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        owner = owner or (package if package != _OURS else "")
        if owner and package == owner:
            file = step.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
            place = f" ({file.encode('utf-8', 'replace').decode()}:{step.tb_lineno})"
        step = step.tb_next
    return place


class NonsenseError(Exception):
    """An answer that is no detection."""


def checked_detection(answer: object) -> Detection:
    """The detection that a signal answered with. Raises ``NonsenseError`` for anything but a number or a ``Detection``."""
    if not isinstance(answer, Detection):
        return Detection(score=_risk(answer, "{}; expected a Detection or a number from 0 to 1"))
    if len(answer.findings) > _MOST_FINDINGS:
        raise NonsenseError(f"returned {len(answer.findings):,} findings; expected at most {_MOST_FINDINGS:,}")
    given = answer.score
    if given is None or (type(given) is float and 0.0 <= given <= 1.0 and math.copysign(1.0, given) > 0.0):
        return answer
    score = _risk(given, "a Detection whose score is a {}; expected a number from 0 to 1, or None")
    return answer if score is given else attrs.evolve(answer, score=score)


def _risk(score: object, misfit: str) -> float:
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise NonsenseError(f"returned {misfit.format(refused_type(score))}")
    if not (math.isfinite(score) and 0 <= score <= 1):
        raise NonsenseError(f"returned the score {score!r:.40}; expected a finite number from 0 to 1")
    return score if type(score) is float and math.copysign(1, score) > 0 else abs(float(score))


def refused_type(answer: object) -> str:
    """What an answer is that cannot be used; a coroutine is ended, for nobody will await it."""
    if isinstance(answer, CoroutineType):
        answer.close()
    return type(answer).__name__


class Snapshot:
    """A trace's state: what stands in the index, and all its dictionaries as one JSON list."""

    __slots__ = ("_children", "_dictionaries", "_index", "_lists", "_messages", "_text")

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._messages = index.messages.copy()
        self._lists = _lists(index)
        self._dictionaries = index.held.copy()
        self._text = to_json(self._dictionaries)
        self._children = [Snapshot(child) for child in index.children] if index.children else ()

    def holds(self) -> bool:
        """True where nothing has changed since."""
        try:
            text = to_json(self._dictionaries)
        except Exception:  # noqa: BLE001 - what a signal put in may be of any kind, and fail in any way to be written
            return False
        return (
            text == self._text
            and _lists(self._index) == self._lists
            and self._index.messages == self._messages
            and all(child.holds() for child in self._children)
        )

    def restored(self) -> TraceIndex:
        """Puts every value back and gives a new index over them."""
        for dictionary, kept in zip(self._dictionaries, from_json(self._text), strict=True):
            dictionary.clear()
            dictionary.update(kept)
        return TraceIndex(
            self._index.trace, messages=self._messages, children=[child.restored() for child in self._children]
        )


def _lists(index: TraceIndex) -> tuple[list[Any], ...]:
    calls = index.calls
    results = [call.result for call in calls]
    return calls.copy(), results, index.texts.copy(), index.orphans.copy(), list(index.children)


def refuse_astray(index: TraceIndex, finding: Finding | LedgerEntry) -> None:
    """Raises ``NonsenseError`` where a finding or an entry points to what is not there: nobody could look its evidence up."""
    for child in finding.trace_path:
        if not 0 <= child < len(index.children):
            raise NonsenseError(_ASTRAY.format(finding.rule, f"sub-agent {child}", len(index.children)))
        index = index.children[child]
    place = finding.message_index
    if place is not None and not 0 <= place < len(index.messages):
        raise NonsenseError(_ASTRAY.format(finding.rule, f"message {place}", len(index.messages)))
