"""What the answer tells of a thing, beside the last that the record shows of it: undone by a later call, or in another status."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, starmap, takewhile
from math import inf
from operator import attrgetter
from typing import Any, NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_core.trace import ToolResult, to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits, is_trouble
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import word_set
from sentinel_signal_hallucination.english.questions import asks_back
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.sources import names_in
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["states"]

_UNDOING = word_set("undo revert rollback restore reset void withdraw release rescind")
_UNDONE = word_set(
    "undo undid undone revert reverted reverting rolled restored reset void voided withdrawn withdrew released remove removed removing delete "
    "deleted cancel cancelled canceled cancelling canceling gone dropped took taken out off back instead replaced reversed reversing no not again"
)
_UNDOING_GROUPS, _ANY = ("cancel", "remove"), frozenset(("",))
_FARTHEST = 50  # later calls that name a thing
_STATUS = ("status", "state")
_STATUS_OF = re.compile(r'"stat(?:us|e)"\s*:\s*"([^"]{1,40})"').findall
_WORD = regex(r"[a-z]+")
_message_index = attrgetter("message_index")
_DEEPEST, _LONGEST_STATUS, _STEM = 6, 40, 5


def states(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    shown, undone = _Shown(turns), _undone(turns.record.actions)
    if turns.record.index.children or not (undone or shown.troubled):
        return
    for number in sorted(turns.spoken - {-1}):
        turn = turns[number]
        for text in turn.texts:
            if text.message_index not in known and not is_foreign(text.content):
                low = low_of(text.content)
                rows = chain(_superseded(text, low, turn, undone, settings), _status(text, low, shown, settings))
                yield from islice(rows, 1)


class _Undone(NamedTuple):
    """What one call undid: the names, the message of the last call of the kind that it undoes, and that of the first to name one of them again."""

    undo: Action
    names: frozenset[str]
    made_at: int
    again_at: float


def _undone(actions: Sequence[Action]) -> list[_Undone]:
    """The calls that undid something; of most traces none."""
    if not any(map(_may_undo, actions)):
        return []
    worked = [action for action in actions if not action.failed]
    named = list(map(_named, worked))
    naming: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in ((number, name) for number, names in enumerate(named) for name in names):
        naming[name].append(number)
    found: list[_Undone] = []
    made: set[tuple[str, str]] = set()
    last: dict[str, int] = {}
    for number, action in enumerate(worked):
        ways = _undoes(action)
        gone = names_in(to_json(action.call.call.arguments).decode()) if ways else ()
        names = frozenset(name for name in gone if any((way, name) in made for way in ways))
        if names:
            rows = (naming[name][(first := bisect_right(naming[name], number)) : first + _FARTHEST] for name in names)
            again = (worked[at] for row in rows for at in row if _undoes(worked[at]).isdisjoint(_undone_by(action)))
            again_at = min((one.message_index for one in again), default=inf)
            found.append(_Undone(action, names, max(last.get(way, -1) for way in ways), again_at))
        for way in _undone_by(action):
            made.update((way, name) for name in named[number])
            last[way] = action.message_index
    return found


def _superseded(text: Text, low: str, turn: Turn, undone: Sequence[_Undone], settings: Settings) -> Iterator[Evidence]:
    """Something that a call did and a later one undid, and that is told without a word of that.

    Within one turn any sentence tells it; of what an earlier turn did, one that says that it is so.
    """
    for undo, names, made_at, again_at in undone:
        present = sorted(filter(low.__contains__, names)) if undo.message_index < text.message_index <= again_at else []
        if present and (not _UNDONE.isdisjoint(_WORD.findall(low)) or admits(low)):
            return
        is_within = min(undo.message_index, made_at) > turn.asked
        for part in sentences(low) if present else ():
            name = next((name for name in present if name in low[part.start : part.end]), None)
            if name is not None and not part.asks and (is_within or _says_so(part)):
                message = f'The answer tells of "{name}" as done, but the later call to "{undo.facts.name}" undid it (message {undo.message_index}).'
                yield in_text(text, "superseded", "undone", message, part.start, part.end, settings.effect_weight)


def _says_so(part: Sentence) -> bool:
    return any(one.voice in ("perfect", "state") and one.group not in ("cancel", "remove") for one in statements(part))


def _may_undo(action: Action) -> bool:
    """True for a call that may undo something: of most traces none."""
    return _is_undoing(action) or any(verb.startswith("un") for verb in action.facts.verbs)


def _is_undoing(action: Action) -> bool:
    return not (action.groups.isdisjoint(_UNDOING_GROUPS) and action.facts.verbs.isdisjoint(_UNDOING))


def _undoes(action: Action) -> frozenset[str]:
    """The ways in which a call undoes another: "" for any that is no undoing itself, or by the very word: "unfreeze" after "freeze"."""
    if _is_undoing(action):
        return _ANY
    return frozenset(verb for verb in action.facts.verbs if verb.startswith("un"))


def _undone_by(action: Action) -> frozenset[str]:
    """The ways in which a call can be undone."""
    words = frozenset(f"un{verb}" for verb in action.facts.verbs)
    return words if _is_undoing(action) else words | _ANY


def _named(action: Action) -> frozenset[str]:
    content = action.call.result.content if action.call.result is not None else ""
    return names_in(to_json(action.call.call.arguments).decode()) | names_in(content)


class _Seen(NamedTuple):
    """The status of a thing in a result."""

    place: int
    name: str
    status: str


class _Shown:
    """The last status that results show of each thing, which is named by the identifiers that stand beside it."""

    def __init__(self, turns: Turns) -> None:
        self._record = turns.record

    @once
    def results(self) -> list[tuple[ToolResult, int]]:
        """The results with a status, each with its message: of most traces none."""
        rows = ((call.result, call.result_message_index or 0) for call in self._record.index.calls if call.result)
        return [(result, at) for result, at in rows if _STATUS_OF(result.content)]

    def _rows(self, result: ToolResult, at: int) -> Iterator[_Seen]:
        """In the order of the document."""
        found: list[tuple[dict[str, Any], str]] = []
        _collect(self._record.document(result), found)
        own = ((item, status) for holder, status in found for item in holder.values() if isinstance(item, str))
        return (_Seen(at, name, status) for item, status in own for name in names_in(item))

    @once
    def troubled(self) -> frozenset[str]:
        """The things that once had a status of trouble: of most traces none."""
        of_trouble = (
            row for row in self.results if any(_is_trouble(one.lower()) for one in _STATUS_OF(row[0].content))
        )
        seen = chain.from_iterable(starmap(self._rows, of_trouble))
        return frozenset(row.name for row in seen if _is_trouble(row.status))

    @once
    def _last(self) -> dict[str, list[_Seen]]:
        """What was shown of each thing, by its name, in order."""
        found: defaultdict[str, list[_Seen]] = defaultdict(list)
        for row in chain.from_iterable(starmap(self._rows, self.results)):
            found[row.name].append(row)
        return found

    def last(self, name: str, until: int) -> _Seen | None:
        """What was last shown of a thing, unless a call may have changed it since."""
        seen = next((row for row in reversed(self._last[name]) if row.place < until), None)
        if seen is None:
            return None
        actions = self._record.actions
        first = bisect_right(actions, seen.place, key=_message_index)
        later = takewhile(lambda action: action.message_index < until, islice(actions, first, None))
        changed = (action for action in later if not action.failed)
        return None if any(action.facts.runs_anything or name in _named(action) for action in changed) else seen


def _collect(document: Any, found: list[tuple[dict[str, Any], str]], depth: int = 0) -> None:
    """The objects that have a status, each with it."""
    if isinstance(document, dict):
        status = next((document[key] for key in _STATUS if isinstance(document.get(key), str)), None)
        if status is not None and len(status) <= _LONGEST_STATUS:
            found.append((document, status.lower()))
    elif not isinstance(document, list):
        return
    for item in document.values() if isinstance(document, dict) else document:
        if isinstance(item, (dict, list)) and depth < _DEEPEST:
            _collect(item, found, depth + 1)


def _status(text: Text, low: str, shown: _Shown, settings: Settings) -> Iterator[Evidence]:
    """A thing that is told to be done or granted, where its last status is one of trouble that the answer has no word of."""
    if not any(map(low.__contains__, shown.troubled)) or asks_back(low):
        return
    for part in sentences(low):
        for name in sorted(names_in(low[part.start : part.end]) & shown.troubled) if not part.asks else ():
            seen = shown.last(name, text.message_index)
            is_silent = seen is not None and not any(word[:_STEM] in low for word in _WORD.findall(seen.status))
            if seen is not None and is_silent and _is_trouble(seen.status) and _is_good(part) and not admits(low):
                message = (
                    f'The answer tells of "{name}" as done, but its status is "{seen.status}" (message {seen.place}).'
                )
                yield in_text(
                    text, "contradicted_status", "trouble", message, part.start, part.end, settings.effect_weight
                )


@lru_cache(maxsize=1024)
def _is_trouble(status: str) -> bool:
    return any(is_trouble(word) or word in _NOT_YET for word in _WORD.findall(status))


def _is_good(part: Sentence) -> bool:
    return any(
        one.voice in ("perfect", "state") and one.is_effect and not is_trouble(part.words[one.at])
        for one in statements(part)
    )


_NOT_YET = word_set("missing cancelled canceled cancel terminated voided void withdrawn inactive suspended")
