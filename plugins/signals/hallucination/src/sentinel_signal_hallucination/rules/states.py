"""What the answer tells of a thing, beside the last that the record shows of it: undone by a later call, or in another status."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits, is_trouble
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
_UNDOING_GROUPS, _TWO = ("cancel", "remove"), 2
_STATUS = ("status", "state")
_STATUS_OF = re.compile(r'"stat(?:us|e)"\s*:\s*"([^"]{1,40})"').findall
_WORD = regex(r"[a-z]+")
_DEEPEST, _LONGEST_STATUS, _STEM = 6, 40, 5


def states(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    shown, is_undone = _Shown(turns), any(map(_may_undo, turns.record.actions))
    for number in sorted(turns.spoken - {-1}) if not turns.record.index.children else ():
        turn = turns[number]
        for text in turn.texts if is_undone or shown.troubled else ():
            if text.message_index not in known:
                low = low_of(text.content)
                undone = _superseded(text, low, turn, settings) if is_undone else ()
                found = next(chain(undone, _status(text, low, shown, settings)), None)
                if found is not None:
                    yield found


def _superseded(text: Text, low: str, turn: Turn, settings: Settings) -> Iterator[Evidence]:
    """Something that a call did and a later one undid, and that is told without a word of that.

    Within one turn any sentence tells it; of what an earlier turn did, one that says that it is so.
    """
    before = [
        action for action in turn.record.actions if not action.failed and action.message_index < text.message_index
    ]
    if len(before) < _TWO or not _UNDONE.isdisjoint(_WORD.findall(low)) or admits(low):
        return
    named = {action.call.position: _named(action) for action in before}
    undoing = ((undo, names_in(to_json(undo.call.call.arguments).decode())) for undo in before if _may_undo(undo))
    for undo, gone in undoing:
        made = [action for action in before if action.call.position < undo.call.position and _undoes(undo, action)]
        names = frozenset[str]().union(*(gone & named[action.call.position] for action in made))
        later = (action for action in before if action.call.position > undo.call.position)
        again = (action for action in later if names & named[action.call.position])
        if not names or any(not _undoes(action, undo) for action in again):
            continue
        is_within = undo.message_index > turn.asked and any(action.message_index > turn.asked for action in made)
        for part in sentences(low):
            name = next((name for name in sorted(names) if name in low[part.start : part.end]), None)
            if name is not None and not part.asks and (is_within or _says_so(part)):
                message = f'The answer tells of "{name}" as done, but the later call to "{undo.facts.name}" undid it (message {undo.message_index}).'
                yield in_text(text, "superseded", "undone", message, part.start, part.end, settings.effect_weight)


def _says_so(part: Sentence) -> bool:
    return any(one.voice in ("perfect", "state") and one.group not in ("cancel", "remove") for one in statements(part))


def _may_undo(action: Action) -> bool:
    """True for a call that may undo something: of most traces none."""
    verbs = action.facts.verbs
    return (
        not action.groups.isdisjoint(_UNDOING_GROUPS)
        or not verbs.isdisjoint(_UNDOING)
        or any(verb.startswith("un") for verb in verbs)
    )


def _undoes(undo: Action, action: Action) -> bool:
    """True for a call of undoing after one of another kind; also for "unfreeze" after "freeze"."""
    if not undo.groups.isdisjoint(_UNDOING_GROUPS) or not undo.facts.verbs.isdisjoint(_UNDOING):
        return action.groups.isdisjoint(_UNDOING_GROUPS) and action.facts.verbs.isdisjoint(_UNDOING)
    return any(f"un{verb}" in undo.facts.verbs for verb in action.facts.verbs)


def _named(action: Action) -> frozenset[str]:
    content = action.call.result.content if action.call.result is not None else ""
    return names_in(to_json(action.call.call.arguments).decode()) | names_in(content)


class _Seen(NamedTuple):
    """The status of a thing in a result."""

    place: int
    name: str
    status: str


class _Shown:
    """The last status that results show of each thing."""

    def __init__(self, turns: Turns) -> None:
        self._record = turns.record

    @once
    def rows(self) -> list[_Seen]:
        """In the order of the results; a thing is named by the identifiers that stand beside its status. None where no status is one of trouble."""
        results = [(call.result, call.result_message_index or 0) for call in self._record.index.calls if call.result]
        if not any(_is_trouble(status.lower()) for result, _ in results for status in _STATUS_OF(result.content)):
            return []
        found = list[tuple[int, dict[str, Any], str]]()
        for result, at in results:
            rows = _statuses(self._record.document(result))
            found += [(at, holder, status) for holder, status in rows]
        own = ((at, item, status) for at, holder, status in found for item in holder.values() if isinstance(item, str))
        return [_Seen(at, name, status) for at, item, status in own for name in names_in(item)]

    @once
    def troubled(self) -> frozenset[str]:
        """The things that once had a status of trouble: of most traces none."""
        return frozenset(row.name for row in self.rows if _is_trouble(row.status))

    def last(self, name: str, until: int) -> _Seen | None:
        """What was last shown of a thing, unless a call may have changed it since."""
        seen = next((row for row in reversed(self.rows) if row.name == name and row.place < until), None)
        if seen is None:
            return None
        later = (
            action for action in self._record.actions if seen.place < action.message_index < until and not action.failed
        )
        return None if any(action.facts.runs_anything or name in _named(action) for action in later) else seen


def _statuses(document: Any, depth: int = 0) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects that have a status, each with it."""
    if depth > _DEEPEST:
        return
    if isinstance(document, list):
        for item in document:
            yield from _statuses(item, depth + 1)
    elif isinstance(document, dict):
        status = next((document[key] for key in _STATUS if isinstance(document.get(key), str)), None)
        if status is not None and len(status) <= _LONGEST_STATUS:
            yield document, status.lower()
        for item in document.values():
            if isinstance(item, (dict, list)):
                yield from _statuses(item, depth + 1)


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
