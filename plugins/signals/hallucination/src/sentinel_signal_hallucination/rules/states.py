"""What the answer tells of a thing, beside the last that the record shows of it: undone by a later call, or in another status."""

from collections.abc import Iterator
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
from sentinel_signal_hallucination.ledger.documents import document_of
from sentinel_signal_hallucination.ledger.sources import names_in
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["states"]

_UNDOING = word_set("undo revert rollback restore reset void withdraw release rescind")
_UNDONE = word_set(
    "undo undid undone revert reverted reverting rolled restored reset void voided withdrawn withdrew released remove removed removing delete "
    "deleted cancel cancelled canceled cancelling canceling gone dropped took taken out off back instead replaced reversed reversing no not again"
)
_STATUS = ("status", "state")
_WORD = regex(r"[a-z]+")
_DEEPEST, _LONGEST_STATUS, _STEM = 6, 40, 5


def states(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    shown = _Shown(turns)
    for number in sorted(turns.spoken - {-1}) if not turns.record.index.children else ():
        turn = turns[number]
        for text in turn.texts:
            if text.message_index not in known:
                low = low_of(text.content)
                found = next(chain(_superseded(text, low, turn, settings), _status(text, low, shown, settings)), None)
                if found is not None:
                    yield found


def _superseded(text: Text, low: str, turn: Turn, settings: Settings) -> Iterator[Evidence]:
    """Something that a call of the turn did and a later one undid, and that is told without a word of that."""
    undoing = [action for action in turn.worked if _undoes(action)] if len(turn.worked) > 1 else []
    if not undoing or not _UNDONE.isdisjoint(_WORD.findall(low)) or admits(low):
        return
    for undo in undoing:
        gone = names_in(to_json(undo.call.call.arguments).decode())
        others = [action for action in turn.worked if not _undoes(action)]
        made = [action for action in others if action.call.position < undo.call.position and gone & _named(action)]
        again = [action for action in others if action.call.position > undo.call.position and gone & _named(action)]
        names = frozenset[str]().union(*(gone & _named(action) for action in made))
        for part in sentences(low) if made and not again else ():
            name = next((name for name in sorted(names) if name in low[part.start : part.end]), None)
            if name is not None and not part.asks:
                message = f'The answer tells of "{name}" as done, but the later call to "{undo.facts.name}" undid it (message {undo.message_index}).'
                yield in_text(text, "superseded", "undone", message, part.start, part.end, settings.effect_weight)


def _undoes(action: Action) -> bool:
    return not action.groups.isdisjoint(("cancel", "remove")) or not action.facts.verbs.isdisjoint(_UNDOING)


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
        """In the order of the results; a thing is named by the identifiers that stand beside its status."""
        found = list[_Seen]()
        for call in self._record.index.calls:
            if (
                call.result is not None
                and call.result_message_index is not None
                and any(map(call.result.content.__contains__, _STATUS))
            ):
                rows = _statuses(document_of(call.result.content))
                found += [_Seen(call.result_message_index, name, status) for name, status in rows]
        return found

    def last(self, name: str, until: int) -> _Seen | None:
        """What was last shown of a thing, unless a call may have changed it since."""
        seen = next((row for row in reversed(self.rows) if row.name == name and row.place < until), None)
        if seen is None:
            return None
        later = (
            action for action in self._record.actions if seen.place < action.message_index < until and not action.failed
        )
        return None if any(action.facts.runs_anything or name in _named(action) for action in later) else seen


def _statuses(document: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The identifiers and the status of each object that has one."""
    if depth > _DEEPEST:
        return
    if isinstance(document, list):
        for item in document:
            yield from _statuses(item, depth + 1)
    elif isinstance(document, dict):
        status = next((document[key] for key in _STATUS if isinstance(document.get(key), str)), None)
        if status is not None and len(status) <= _LONGEST_STATUS:
            own = (item for item in document.values() if isinstance(item, str))
            yield from ((name, status.lower()) for item in own for name in names_in(item))
        for item in document.values():
            yield from _statuses(item, depth + 1)


def _status(text: Text, low: str, shown: _Shown, settings: Settings) -> Iterator[Evidence]:
    """A thing that is told to be done or granted, where its last status is one of trouble that the answer has no word of."""
    if not shown.rows or asks_back(low):
        return
    for part in sentences(low):
        for name in names_in(low[part.start : part.end]) if not part.asks else ():
            seen = shown.last(name, text.message_index)
            is_silent = seen is not None and not any(word[:_STEM] in low for word in _WORD.findall(seen.status))
            if seen is not None and is_silent and _is_trouble(seen.status) and _is_good(part) and not admits(low):
                message = (
                    f'The answer tells of "{name}" as done, but its status is "{seen.status}" (message {seen.place}).'
                )
                yield in_text(
                    text, "contradicted_status", "trouble", message, part.start, part.end, settings.effect_weight
                )


def _is_trouble(status: str) -> bool:
    return any(is_trouble(word) or word in _NOT_YET for word in _WORD.findall(status))


def _is_good(part: Sentence) -> bool:
    return any(
        one.voice in ("perfect", "state") and one.is_effect and not is_trouble(part.words[one.at])
        for one in statements(part)
    )


_NOT_YET = word_set("missing cancelled canceled cancel terminated voided void withdrawn inactive suspended")
