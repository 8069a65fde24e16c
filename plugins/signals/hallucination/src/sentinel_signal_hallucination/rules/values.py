"""Answers that tell another value than the call carried, or of one thing more than the calls did."""

from collections.abc import Iterator, Sequence

from sentinel_core.evaluate.facts.values import Value, values_in
from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits, stays_as_it_was
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.carried import Carried, carried_by
from sentinel_signal_hallucination.ledger.documents import Leaf
from sentinel_signal_hallucination.ledger.sources import family, prose_of
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.rules.identifiers import is_example
from sentinel_signal_hallucination.tables import regex

__all__ = ["other_values"]

_SOURCES = frozenset(("from", "of", "matching", "like", "in", "with", "to", "under", "on", "using", "via"))
_BEFORE, _NEAR = 40, 3
_ZONED = regex(r"\d(?:Z|[+-]\d\d:?\d\d)\Z")


def other_values(turns: Turns, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    carried = Carried(turns)
    if not carried.actions or turns.record.index.children:
        return
    for number in sorted(turns.spoken - {-1}):
        turn = turns[number]
        for text in turn.texts if turn.worked else ():
            if text.message_index not in known and (found := _Answer(text, turn, carried).judged(settings)):
                yield found


class _Answer:
    """One text of a turn in which something was done. ``orphans`` are its values that no writing call carried."""

    def __init__(self, text: Text, turn: Turn, carried: Carried) -> None:
        self.text, self.turn, self.carried = text, turn, carried
        self.low, self.prose = low_of(text.content), prose_of(text.content)
        self.values = values_in(self.prose)
        given, forms = carried.values_at(text.message_index)
        named = (value for value in self.values if self._shown(value) not in given)
        orphans = (value for value in named if forms.isdisjoint(value.forms))
        self.orphans = [value for value in orphans if not self._can_be_written(value)]

    def _can_be_written(self, value: Value) -> bool:
        """True for a file that a command or an edit can have written, whatever else it carried."""
        return value.kind == "path" and self.turn.record.writers.first(self._shown(value)) is not None

    def judged(self, settings: Settings) -> Evidence | None:
        """The first value of another call's place, else the first of a thing that was left out."""
        if not self.orphans or admits(self.low, sentences(self.turn.low)):
            return None
        is_proposed = proposes(self.low) if asks_back(self.low) else None
        if is_proposed is None and (found := next(self._wrong(settings), None)) is not None:
            return found
        left = ((row, part) for row, part in self._left(settings) if is_proposed is None or not is_proposed(part))
        return next((row for row, _ in left), None)

    def _shown(self, value: Value) -> str:
        return self.prose[value.start : value.end]

    def _actions(self) -> Iterator[tuple[Action, Leaf]]:
        """The values that the calls of the turn carried."""
        return ((action, leaf) for action in self.turn.worked for leaf in carried_by(action))

    def _related(self, leaf: Leaf, action: Action) -> list[Value]:
        """The orphans that could have stood in the place of a value; none for a time of a zone, which may be told as another's."""
        if leaf.value.kind == "time" and _ZONED.search(leaf.text):
            return []
        same = [value for value in self.orphans if value.kind == leaf.value.kind and self._is_related(value, leaf)]
        if self._is_alone(leaf, same):
            return same
        expected = self.carried.expected(leaf, action) if same else frozenset[str]()
        return [value for value in same if not expected.isdisjoint(value.forms)]

    def _is_alone(self, leaf: Leaf, same: list[Value]) -> bool:
        """True for the only date or time that was carried in the turn, where the text tells just one: no other can be meant."""
        kind = leaf.value.kind
        if kind not in ("date", "time") or len(same) != 1:
            return False
        alike = [value for value in self.values if value.kind == kind]
        return len(alike) == 1 and sum(other.value.kind == kind for _, other in self._actions()) == 1

    def _is_related(self, value: Value, leaf: Leaf) -> bool:
        return leaf.value.kind != "identifier" or family(self._shown(value)) == family(leaf.text)

    def _wrong(self, settings: Settings) -> Iterator[Evidence]:
        """A value that is told where the call carried another one, which is told nowhere."""
        for action, leaf in self._actions():
            if not leaf.value.forms.isdisjoint(self.carried.told_after(action)):
                continue
            for value in self._related(leaf, action):
                part = self._sentence(value)
                if part is not None and self._is_meant(value, part, is_unheard=self._is_unheard(leaf, action)):
                    call = f'the call to "{action.facts.name}" carried "{leaf.text}" (message {action.message_index})'
                    message = f'The answer tells "{self._shown(value)}", but {call}.'
                    yield self._evidence("wrong_value", leaf, message, part, settings)

    def _is_unheard(self, leaf: Leaf, action: Action) -> bool:
        """True for a carried number that nobody had said or given before."""
        return leaf.value.kind == "number" and self.carried.known_before(action).isdisjoint(leaf.value.forms)

    def _is_meant(self, value: Value, part: Sentence, *, is_unheard: bool) -> bool:
        """True for a value that is told of what was done: of others than identifiers, in a sentence that tells of an action, or as ordered."""
        if stays_as_it_was(part.words):
            return False
        if value.kind == "identifier":
            return not is_example(self._shown(value), self.prose[: value.start])
        tells = part.is_item or _tells_of_actions(part, ("state", "brief"))
        return tells or ((value.kind in ("date", "time") or is_unheard) and self._is_ordered(value))

    def _is_ordered(self, value: Value) -> bool:
        """True where the user's words since the last answer have the value."""
        return any(
            not value.forms.isdisjoint(other.forms) for other in values_in(self.turn.low) if other.kind == value.kind
        )

    def _left(self, settings: Settings) -> Iterator[tuple[Evidence, Sentence]]:
        """A value that is told as done beside one that a call carried, and that no call carried."""
        for action, leaf in self._actions() if any(map(_tells_of_actions, sentences(self.low))) else ():
            beside = [value for value in self.values if not leaf.value.forms.isdisjoint(value.forms)]
            for value in self._related(leaf, action) if beside else ():
                part = self._sentence(value)
                if part is not None and _tells_of_actions(part) and not self._is_source(value, beside):
                    call = f'"{action.facts.name}" was called for "{leaf.text}" (message {action.message_index})'
                    message = f'The answer tells of "{self._shown(value)}" as done, but no call carried it; {call}.'
                    yield self._evidence("left_one", leaf, message, part, settings), part

    def _is_source(self, value: Value, beside: Sequence[Value]) -> bool:
        """True for what only says where something is from ("the address of order 12"), unless what was carried is told so, too."""
        return self._follows_source(value) and not any(map(self._follows_source, beside))

    def _follows_source(self, value: Value) -> bool:
        before = self.low[max(0, value.start - _BEFORE) : value.start].split()
        return not _SOURCES.isdisjoint(word.strip("(#:,") for word in before[-_NEAR:])

    def _sentence(self, value: Value) -> Sentence | None:
        return next((part for part in sentences(self.low) if part.start <= value.start < part.end), None)

    def _evidence(self, rule: str, leaf: Leaf, message: str, part: Sentence, settings: Settings) -> Evidence:
        return in_text(self.text, rule, leaf.value.kind, message, part.start, part.end, settings.effect_weight)


def _tells_of_actions(sentence: Sentence, voices: Sequence[str] = ("state",)) -> bool:
    return any(one.plainly or one.voice in voices for one in statements(sentence))
