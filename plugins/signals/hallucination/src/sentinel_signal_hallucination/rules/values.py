"""Answers that tell another value than the call carried, or of one thing more than the calls did."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from sentinel_core.evaluate.facts.edits import is_named_in
from sentinel_core.evaluate.facts.values import Kind, Value, values_in
from sentinel_core.evaluate.index import Text
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits, stays_as_it_was
from sentinel_signal_hallucination.english.coding_claims import readings
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.carried import Carried
from sentinel_signal_hallucination.ledger.documents import Leaf, objects
from sentinel_signal_hallucination.ledger.sources import family, prose_of
from sentinel_signal_hallucination.ledger.turns import Turn
from sentinel_signal_hallucination.rules.identifiers import is_example
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["other_values"]

_TELLING = ("identifier", "path")  # of other values, several are told beside one that was carried as often
_SOURCES = frozenset(("from", "of", "matching", "like", "in", "with", "to", "under", "on", "using", "via"))
_TARGETS = frozenset(("to", "into"))
_BEFORE, _NEAR, _IN_PART = 40, 3, 5
_WORD, _DENIALS = regex(r"[a-z]+"), frozenset(("not", "cannot", "never", "unable", "before"))
_MOST = 40  # orphans of a text: each is held against all that the calls of the turn carried
_SIGNS, _NOTHING = (
    (",", ";", "(", ")"),
    regex(r"\b(?:nothing|none|no|not|never|without|neither|nor|failed|skipped|isn't|wasn't|didn't|couldn't|hasn't)\b"),
)
_SUPPOSED = frozenset(("should", "might", "may", "could", "would", "probably", "presumably"))
_ZONED = regex(r"\d(?:Z|[+-]\d\d:?\d\d)\Z")


def other_values(carried: Carried, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    turns = carried.turns
    if not carried.actions or turns.record.index.children:
        return
    for number in sorted(turns.spoken - {-1}):
        turn = turns[number]
        for text in turn.texts if turn.worked else ():
            if text.message_index not in known and (found := _Answer(text, turn, carried).judged(settings)):
                yield found


class _Answer:
    """One text of a turn in which something was done; ``carried`` has what its calls carried, and ``failed`` what only calls that failed did."""

    def __init__(self, text: Text, turn: Turn, carried: Carried) -> None:
        self.text, self.turn, self.carried = text, turn, carried
        self.leaves = [(action, leaf) for action in turn.worked for leaf in carried.by(action)]
        before = (action for action in turn.record.actions if action.message_index < text.message_index)
        failed = (action for action in before if action.failed and action.facts.effect == "writes")
        self.failed = [(action, leaf) for action in failed for leaf in carried.by(action)]

    @once
    def low(self) -> str:
        """The plain words of the text."""
        return low_of(self.text.content)

    @once
    def prose(self) -> str:
        """The text without code."""
        return prose_of(self.text.content)

    @once
    def values(self) -> tuple[Value, ...]:
        """The values of the text."""
        return values_in(self.prose)

    @once
    def orphans(self) -> list[Value]:
        """The values that no writing call carried, of kinds that some call of the turn, or one that failed, did."""
        kinds = {leaf.value.kind for _, leaf in (*self.leaves, *self.failed)}
        values = [value for value in self.values if value.kind in kinds] if kinds else []
        given = self.carried.given_by(self.text.message_index) if values else ""
        named = [value for value in values if self._shown(value) not in given]
        if not named or self._admits:
            return []
        forms = self.carried.forms_by(self.text.message_index)
        orphans = (value for value in named if forms.isdisjoint(value.forms))
        return list(islice((value for value in orphans if not self._can_be_written(value)), _MOST))

    @once
    def _admits(self) -> bool:
        """True where the text has a word of trouble."""
        return admits(self.low, sentences(self.turn.low))

    def _can_be_written(self, value: Value) -> bool:
        """True for a file that a command or an edit can have written, whatever else it carried, and for one that was looked at."""
        if value.kind != "path":
            return False
        shown = self._shown(value)
        return self.turn.record.writers.first(shown) is not None or self._is_seen(shown)

    def _is_seen(self, path: str) -> bool:
        """True for a file that a call named or a result showed before the text: "I modelled it on `pages/a.tsx`"."""
        calls = (call for call in self.turn.record.index.calls if call.message_index < self.text.message_index)
        return any(
            is_named_in(to_json(call.call.arguments).decode(), path)
            or (call.result is not None and is_named_in(call.result.content, path))
            for call in calls
        )

    def judged(self, settings: Settings) -> Evidence | None:
        """The first value of another call's place, else the first of a thing that was left out."""
        if not self.orphans:
            return None
        is_proposed = proposes(self.low) if asks_back(self.low) else None
        if is_proposed is None and (found := next(self._wrong(settings), None)) is not None:
            return found
        left = chain(self._failed(settings), self._left(settings))
        return next((row for row, part in left if is_proposed is None or not is_proposed(part)), None)

    def _shown(self, value: Value) -> str:
        return self.prose[value.start : value.end]

    def _alike(self, leaf: Leaf) -> list[Value]:
        """The orphans of the kind of a value; none for a time of a zone, which may be told as another's."""
        if leaf.value.kind == "time" and _ZONED.search(leaf.text):
            return []
        return [value for value in self.orphans if value.kind == leaf.value.kind and self._is_related(value, leaf)]

    def _could_stand(self, value: Value, alike: list[Value], leaf: Leaf, action: Action) -> bool:
        """True for an orphan that could have stood in the place of a value."""
        return self._is_alone(leaf, alike) or self.carried.could_stand(value, leaf, action)

    def _is_alone(self, leaf: Leaf, same: list[Value]) -> bool:
        """True for the only date or time that was carried in the turn, where the text tells just one: no other can be meant."""
        kind = leaf.value.kind
        if kind not in ("date", "time") or len(same) != 1:
            return False
        return self._kinds[kind] == 1 and self._carried_kinds[kind] == 1

    @once
    def _kinds(self) -> Counter[Kind]:
        """How many values of each kind the text tells."""
        return Counter(value.kind for value in self.values)

    @once
    def _carried_kinds(self) -> Counter[Kind]:
        """How many the calls of the turn carried."""
        return Counter(leaf.value.kind for _, leaf in self.leaves)

    @once
    def _by_form(self) -> dict[str, list[Value]]:
        """The values of the text by each of their forms."""
        found: defaultdict[str, list[Value]] = defaultdict(list)
        for value in self.values:
            for form in value.forms:
                found[form].append(value)
        return found

    @once
    def _ordered(self) -> frozenset[tuple[Kind, str]]:
        """The values in the user's words since the last answer."""
        return frozenset((value.kind, form) for value in values_in(self.turn.low) for form in value.forms)

    def _is_related(self, value: Value, leaf: Leaf) -> bool:
        return leaf.value.kind != "identifier" or family(self._shown(value)) == family(leaf.text)

    def _wrong(self, settings: Settings) -> Iterator[Evidence]:
        """A value that is told where the call carried another one, which is told nowhere."""
        for action, leaf in self.leaves:
            alike = self._alike(leaf)
            if not alike or self._is_told(leaf, action):
                continue
            for value in alike:
                part = self._sentence(value)
                is_shown = self._is_shown(value, leaf) or _answers(action, value)
                is_meant = part is not None and self._is_meant(value, part, leaf, action) and not is_shown
                if part is not None and is_meant and self._could_stand(value, alike, leaf, action):
                    call = f'the call to "{action.facts.name}" carried "{leaf.text}" (message {action.message_index})'
                    message = f'The answer tells "{self._shown(value)}", but {call}.'
                    yield self._evidence("wrong_value", leaf, message, part, settings)

    def _is_told(self, leaf: Leaf, action: Action) -> bool:
        """True where the text, or one after the call, tells what was carried."""
        is_after = self.text.message_index > action.message_index
        if is_after and not self._forms.isdisjoint(leaf.value.forms):
            return True
        return self.carried.is_told_after(leaf.value.forms, action)

    @once
    def _forms(self) -> frozenset[str]:
        """The forms of all values of the text, code and all."""
        return frozenset(form for value in values_in(self.text.content) for form in value.forms)

    def _is_meant(self, value: Value, part: Sentence, leaf: Leaf, action: Action) -> bool:
        """True for a value that is told of what was done: of others than identifiers, in a sentence that tells of an action, or as ordered."""
        if stays_as_it_was(part.words) or self._is_read(value) or not _SUPPOSED.isdisjoint(part.words):
            return False
        if self._is_looked_at_since(value, action):
            return False
        if value.kind == "identifier":
            return not is_example(self._shown(value), self.prose[: value.start])
        if part.is_item or _tells_of_actions(part, ("state", "brief")):
            return True
        if not self.carried.is_known_before(leaf.value.forms, action):
            # The agent made it up, and the user's counts whenever it was said.
            return self.carried.is_ordered_before(value.forms, action)
        return value.kind in ("date", "time") and self._is_ordered(value)

    def _is_looked_at_since(self, value: Value, action: Action) -> bool:
        """True where a call after the action carried the value, without doing anything: it is told of that."""
        calls = self.turn.record.index.calls[action.call.position + 1 : self.text.calls_before]
        looks = (call for call in calls if self.turn.record.tools[call.call.name].effect == "reads")
        return any(self._shown(value) in to_json(call.call.arguments).decode() for call in looks)

    def _is_shown(self, value: Value, leaf: Leaf) -> bool:
        """True for a date or a time that a result of the turn has in another field, and the user did not say."""
        if value.kind not in ("date", "time") or self.carried.is_ordered_before(value.forms, self.turn.actions[-1]):
            return False
        return self.carried.is_read(value.forms, leaf.key, self.turn.asked + 1, self.text.message_index)

    def _is_read(self, value: Value) -> bool:
        """True for a file that the agent says it read."""
        return value.kind == "path" and self._shown(value) in self._readings

    @once
    def _readings(self) -> frozenset[str]:
        return frozenset(readings(self.text.content))

    def _is_ordered(self, value: Value) -> bool:
        """True where the user's words since the last answer have the value."""
        return any((value.kind, form) in self._ordered for form in value.forms)

    def _left(self, settings: Settings) -> Iterator[tuple[Evidence, Sentence]]:
        """A value that is told as done beside one that a call carried, and that no call carried."""
        for action, leaf in self.leaves:
            if leaf.value.kind not in _TELLING:
                continue
            beside = [value for form in sorted(leaf.value.forms) for value in self._by_form.get(form, ())]
            alike = self._alike(leaf) if beside else []
            for value in alike:
                part = self._sentence(value)
                is_told = part is not None and _tells_of_actions(part) and not self._is_source(value, beside)
                is_told &= (
                    part is not None and not self._is_denied(value, part) and not self._is_shown_beside(value, action)
                )
                if part is not None and is_told and self._could_stand(value, alike, leaf, action):
                    call = f'"{action.facts.name}" was called for "{leaf.text}" (message {action.message_index})'
                    message = f'The answer tells of "{self._shown(value)}" as done, but no call carried it; {call}.'
                    yield self._evidence("left_one", leaf, message, part, settings), part

    def _failed(self, settings: Settings) -> Iterator[tuple[Evidence, Sentence]]:
        """A value that is told as done, and that only a call that failed carried."""
        for action, leaf in self.failed:
            for value in self.orphans:
                is_same = value.kind == leaf.value.kind and not value.forms.isdisjoint(leaf.value.forms)
                part = self._sentence(value) if is_same else None
                if part is None or self._follows_source(value) or not _words_of(action).isdisjoint(part.words):
                    continue  # who says what the call answered tells of the failure
                if not self._is_denied(value, part) and _tells_of_actions(part, ("state", "brief")):
                    call = f'the call to "{action.facts.name}" that carried it failed (message {action.message_index})'
                    message = f'The answer tells of "{self._shown(value)}" as done, but {call}.'
                    yield self._found("contradicted_claim", "value", message, part, settings), part

    def _is_denied(self, value: Value, part: Sentence) -> bool:
        """True where the part of the sentence that has the value says that nothing was done: "and 305 got nothing"."""
        if part.is_item:  # all of it is of one thing
            return stays_as_it_was(part.words) or _NOTHING.search(self.low, part.start, part.end) is not None
        start = max(part.start, *(self.low.rfind(sign, 0, value.start) for sign in _SIGNS))
        ends = (self.low.find(sign, value.end) for sign in _SIGNS)
        end = min((at for at in ends if at >= 0), default=part.end)
        return stays_as_it_was(part.words) or _NOTHING.search(self.low, start, min(end, part.end)) is not None

    def _is_shown_beside(self, value: Value, action: Action) -> bool:
        """True where a result has the value in one object with something else that the call carried: it was so before."""
        carried = {str(item) for item in action.call.call.arguments.values()} - {self._shown(value)}
        results = (
            call.result
            for call in self.turn.record.index.calls
            if call.result and call.message_index < self.text.message_index
        )
        rows = (row for result in results for row in objects(self.turn.record.document(result)))
        return any(self._shown(value) in row and not carried.isdisjoint(row) for row in rows)

    def _found(self, rule: str, branch: str, message: str, part: Sentence, settings: Settings) -> Evidence:
        return in_text(self.text, rule, branch, message, part.start, part.end, settings.effect_weight)

    def _is_source(self, value: Value, beside: Sequence[Value]) -> bool:
        """True for what only says where something is from ("the address of order 12"), unless what was carried is told so, too."""
        of_others = frozenset().union(*map(self._sources, beside))
        return not self._sources(value) <= of_others

    def _follows_source(self, value: Value) -> bool:
        return bool(self._sources(value))

    def _sources(self, value: Value) -> frozenset[str]:
        """The prepositions shortly before a value, and what leads to it from farther in its own part of a list: "to the address of order 12"."""
        before = [word.strip("(#:,") for word in self.low[max(0, value.start - _BEFORE) : value.start].split()]
        part = next((at for at in range(len(before), 0, -1) if before[at - 1] == "and"), 0)
        return _SOURCES.intersection(before[-_NEAR:]) | _TARGETS.intersection(before[part:][-_IN_PART:])

    def _sentence(self, value: Value) -> Sentence | None:
        parts = sentences(self.low)
        at = bisect_right(parts, value.start, key=_start) - 1
        return parts[at] if at >= 0 and value.start < parts[at].end else None

    def _evidence(self, rule: str, leaf: Leaf, message: str, part: Sentence, settings: Settings) -> Evidence:
        return in_text(self.text, rule, leaf.value.kind, message, part.start, part.end, settings.effect_weight)


def _answers(action: Action, value: Value) -> bool:
    """True for a value that the call itself answered: "licence valid to 2031-06-12"."""
    result = action.call.result
    shown = values_in(result.content) if result is not None else ()
    return any(one.kind == value.kind and not one.forms.isdisjoint(value.forms) for one in shown)


def _words_of(action: Action) -> frozenset[str]:
    """The longer words of what a call answered, but for those that it denies: "cannot be applied"."""
    content = action.call.result.content if action.call.result is not None else ""
    words = _WORD.findall(content.lower())
    plain = (word for at, word in enumerate(words) if _DENIALS.isdisjoint(words[max(0, at - _NEAR) : at]))
    return frozenset(word for word in plain if len(word) > _NEAR) - action.facts.objects


def _start(part: Sentence) -> int:
    return part.start


def _tells_of_actions(sentence: Sentence, voices: Sequence[str] = ("state",)) -> bool:
    return any(one.plainly or one.voice in voices for one in statements(sentence))
