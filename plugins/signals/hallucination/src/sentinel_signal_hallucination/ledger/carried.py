"""The values that calls carried and gave back, and those that were spoken: what an answer's values are held against."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain

from sentinel_core.evaluate.facts.values import Value, values_in
from sentinel_core.evaluate.tools import is_ending
from sentinel_core.trace import canonical, to_json
from sentinel_signal_hallucination.ledger.actions import Action, Record
from sentinel_signal_hallucination.ledger.documents import Leaf, leaves
from sentinel_signal_hallucination.ledger.turns import Turns
from sentinel_signal_hallucination.tables import once

__all__ = ["Carried"]

_MOST_LEAVES = 200
_NONE = frozenset[str]()


def _forms(values: Iterable[Value]) -> frozenset[str]:
    return frozenset(form for value in values for form in value.forms)


class Carried:
    """Built once a trace; each part is made when something asks for it."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self._record = turns, turns.record
        self._given: dict[tuple[int, ...], str] = {}
        self._forms: dict[tuple[int, ...], frozenset[str]] = {}
        self._leaves: dict[int, list[Leaf]] = {}

    @once
    def actions(self) -> list[Action]:
        """What worked and is no command: what the calls carried is what was done."""
        worked = (action for action in self._record.actions if not (action.failed or action.facts.runs_anything))
        return [action for action in worked if not is_ending(action.facts.name)]

    def by(self, action: Action) -> list[Leaf]:
        """The values among a call's arguments."""
        if action.call.position not in self._leaves:
            self._leaves[action.call.position] = leaves(action.call.call.arguments)[:_MOST_LEAVES]
        return self._leaves[action.call.position]

    def given_by(self, place: int) -> str:
        """What writing calls that worked carried, as text; but for calls replaced by then."""
        replaced = self._replaced_by(place)
        if replaced not in self._given:
            lasting = (action for action in self.actions if action.call.position not in replaced)
            self._given[replaced] = "\n".join(to_json(action.call.call.arguments).decode() for action in lasting)
        return self._given[replaced]

    def forms_by(self, place: int) -> frozenset[str]:
        """The forms of all values that these calls carried or gave back. Of documents that they gave back, lists show no action."""
        replaced = self._replaced_by(place)
        if replaced not in self._forms:
            lasting = (position for position in self._of_action if position not in replaced)
            self._forms[replaced] = self._beside.union(*map(self._of_action.__getitem__, lasting))
        return self._forms[replaced]

    @once
    def _of_action(self) -> dict[int, frozenset[str]]:
        """The forms of what each call carried or gave back, by its position."""
        return {action.call.position: _all_forms(action, self._record) for action in self.actions}

    @once
    def _beside(self) -> frozenset[str]:
        """The forms of what other calls of the same tools carried: some of several look like looks by what they gave back."""
        names, known = (
            {action.facts.name for action in self.actions},
            {action.call.position for action in self._record.actions},
        )
        calls = (call for call in self._record.index.calls if call.call.name in names and call.position not in known)
        return _NONE.union(*(_forms(values_in(to_json(call.call.arguments).decode())) for call in calls))

    def _replaced_by(self, place: int) -> tuple[int, ...]:
        """The positions of the calls that one before a place replaced."""
        return tuple([position for position, at in self._replaced.items() if at < place])

    @once
    def _replaced(self) -> dict[int, int]:
        """Where a later call of the tool gave the same things another number, by the position of the earlier: of two prices the second counts."""
        latest: dict[tuple[str, frozenset[str], bytes], Action] = {}
        found: dict[int, int] = {}
        for action in reversed(self.actions):
            given = action.call.call.arguments
            names = {name: value for name, value in given.items() if not _is_number(value)}
            if 0 < len(names) < len(given):
                key = action.facts.name, frozenset(given), canonical(names)
                later = latest.get(key)
                if later is not None and later.call.call.arguments != given:
                    found[action.call.position] = later.message_index
                elif later is not None and later.call.position in found:
                    found[action.call.position] = found[later.call.position]
                latest[key] = action
        return found

    def is_told_after(self, forms: frozenset[str], action: Action) -> bool:
        """True where the agent told the value after a call."""
        return any(self._last_told.get(form, -1) > action.message_index for form in forms)

    def is_known_before(self, forms: frozenset[str], action: Action) -> bool:
        """True for a value of a document, or of what was said, before a call."""
        return self._is_said_before(forms, action) or _is_before(self._on_record, forms, action.message_index)

    def is_ordered_before(self, forms: frozenset[str], action: Action) -> bool:
        """True for a value that users said before a call."""
        return _is_before(self._said_by_user, forms, action.message_index)

    def could_stand(self, value: Value, leaf: Leaf, action: Action) -> bool:
        """True for a value that could have stood in the place of another.

        Of numbers, what users said; of dates and times, all on record; of others, what stood in such a field or was spoken of.
        """
        if leaf.value.kind == "number":
            return _is_before(self._said_by_user, value.forms, action.message_index)
        fields = self._on_record if leaf.value.kind in ("date", "time") else self._fields.get(leaf.key, {})
        return _is_before(fields, value.forms, action.message_index) or self._is_said_before(value.forms, action)

    def is_read(self, forms: frozenset[str], key: str, first: int, until: int) -> bool:
        """True for a value that results between two messages gave under another key: it is told as read."""
        results = chain.from_iterable(message.tool_results for message in self._record.index.messages[first:until])
        found = (leaf for result in results for leaf in leaves(self._record.document(result)))
        return any(leaf.key != key and not leaf.value.forms.isdisjoint(forms) for leaf in found)

    def has_field(self, key: str, action: Action) -> bool:
        """True where such a field had a value before the call."""
        return next(iter(self._fields.get(key, {}).values()), action.message_index) < action.message_index

    def _is_said_before(self, forms: frozenset[str], action: Action) -> bool:
        at = action.message_index
        return _is_before(self._said_by_user, forms, at) or _is_before(self._said_by_agent, forms, at)

    @once
    def _fields(self) -> dict[str, dict[str, int]]:
        """By the name of a field, the forms of its values, each with the first message that has it, in order."""
        found: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for at, message in enumerate(self._record.index.messages):
            documents = [call.arguments for call in message.tool_calls]
            documents += [self._record.document(result) for result in message.tool_results]
            for document in documents:
                for leaf in leaves(document):
                    for form in leaf.value.forms:
                        found[leaf.key].setdefault(form, at)
        return found

    @once
    def _on_record(self) -> dict[str, int]:
        """The same of all fields."""
        found: dict[str, int] = {}
        for places in self._fields.values():
            for form, at in places.items():
                found[form] = min(at, found.get(form, at))
        return found

    @once
    def _said_by_user(self) -> dict[str, int]:
        """The forms of values in what users said, each with the first message that has it."""
        spoken = [(at, self._record.index.messages[at].content or "") for at in self._record.index.asked]
        return {form: at for at, content in reversed(spoken) for form in _forms(values_in(content))}

    @once
    def _said_by_agent(self) -> dict[str, int]:
        """The same of what the agent said."""
        spoken = [(text.message_index, text.content) for text in self._record.index.texts]
        return {form: at for at, content in reversed(spoken) for form in _forms(values_in(content))}

    @once
    def _last_told(self) -> dict[str, int]:
        """The same, each with the last message."""
        texts = self._record.index.texts
        return {form: text.message_index for text in texts for form in _forms(values_in(text.content))}


def _is_before(places: Mapping[str, int], forms: frozenset[str], at: int) -> bool:
    return any(places.get(form, at) < at for form in forms)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _all_forms(action: Action, record: Record) -> frozenset[str]:
    arguments, result = action.call.call.arguments, action.call.result
    found = _forms(values_in(to_json(arguments).decode())) | _forms(leaf.value for leaf in leaves(arguments))
    document = None if result is None else record.document(result)
    if document is None:
        return found if result is None else found | _forms(values_in(result.content))
    return found | _forms(leaf.value for leaf in leaves(document, has_lists=False))
