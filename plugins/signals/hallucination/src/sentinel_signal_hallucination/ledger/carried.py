"""The values that calls carried and gave back, and those that were spoken: what an answer's values are held against."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from sentinel_core.evaluate.facts.values import Value, values_in
from sentinel_core.evaluate.tools import is_ending
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.documents import Leaf, document_of, leaves
from sentinel_signal_hallucination.ledger.turns import Turns
from sentinel_signal_hallucination.tables import once

__all__ = ["Carried", "carried_by"]

_MOST_LEAVES = 200
_NONE = frozenset[str]()


def _forms(values: Iterable[Value]) -> frozenset[str]:
    return frozenset(form for value in values for form in value.forms)


def carried_by(action: Action) -> list[Leaf]:
    """The values among a call's arguments."""
    return list(leaves(action.call.call.arguments))[:_MOST_LEAVES]


class Carried:
    """Built once a trace; each part is made when something asks for it."""

    def __init__(self, turns: Turns) -> None:
        self._index = turns.record.index
        worked = (action for action in turns.record.actions if not (action.failed or action.facts.runs_anything))
        self.actions = [action for action in worked if not is_ending(action.facts.name)]
        self._values = dict[tuple[int, ...], tuple[str, frozenset[str]]]()

    def values_at(self, place: int) -> tuple[str, frozenset[str]]:
        """What writing calls that worked carried, as text, and the forms of all that they carried or gave back; but for calls replaced by then.

        Of documents that they gave back, lists show no action.
        """
        replaced = tuple(action.call.position for action in self.actions if self._is_replaced(action, place))
        if replaced not in self._values:
            lasting = [action for action in self.actions if action.call.position not in replaced]
            given = "\n".join(to_json(action.call.call.arguments).decode() for action in lasting)
            self._values[replaced] = given, _NONE.union(*map(_all_forms, lasting))
        return self._values[replaced]

    def _is_replaced(self, action: Action, until: int) -> bool:
        """True where a later call of the tool gave the same things another number: of two prices the second counts."""
        given = action.call.call.arguments
        names = {
            name for name, value in given.items() if not isinstance(value, (int, float)) or isinstance(value, bool)
        }
        return 0 < len(names) < len(given) and any(
            later.facts.name == action.facts.name
            and later.call.call.arguments.keys() == given.keys()
            and later.call.call.arguments != given
            and all(later.call.call.arguments[name] == given[name] for name in names)
            for later in self.actions
            if action.call.position < later.call.position and later.message_index < until
        )

    def known_before(self, action: Action) -> frozenset[str]:
        """All values of documents and of what was said before a call."""
        known = self._said(range(action.message_index))
        for places, forms in self._fields.values():
            known = known.union(*forms[: bisect_left(places, action.message_index)])
        return known

    def expected(self, leaf: Leaf, action: Action) -> frozenset[str]:
        """What could have stood in the place of a value.

        Of numbers, what users said; of dates and times, all on record; of others, what stood in such a field or was spoken of.
        """
        before = range(action.message_index)
        if leaf.value.kind == "number":
            return self._said(before, who="user")
        keys = list(self._fields) if leaf.value.kind in ("date", "time") else [leaf.key]
        known = _NONE
        for key in keys:
            places, forms = self._fields.get(key, ([], []))
            known = known.union(*forms[: bisect_left(places, action.message_index)])
        return known | self._said(before)

    def has_field(self, key: str, action: Action) -> bool:
        """True where such a field had a value before the call."""
        places, _ = self._fields.get(key, ([], []))
        return bool(places) and places[0] < action.message_index

    def told_after(self, action: Action) -> frozenset[str]:
        """The forms of what the agent said after a call."""
        return self._said(range(action.message_index + 1, len(self._index.messages)), who="assistant")

    @once
    def _fields(self) -> dict[str, tuple[list[int], list[frozenset[str]]]]:
        """By the name of a field, where its values stand, in order, and their forms."""
        found = defaultdict[str, tuple[list[int], list[frozenset[str]]]](lambda: ([], []))
        for at, message in enumerate(self._index.messages):
            documents = [call.arguments for call in message.tool_calls]
            documents += [document_of(result.content) for result in message.tool_results]
            for document in documents:
                for leaf in leaves(document):
                    places, forms = found[leaf.key]
                    places.append(at)
                    forms.append(leaf.value.forms)
        return found

    def _said(self, places: range, *, who: str = "") -> frozenset[str]:
        return _NONE.union(*(forms for at, role, forms in self._spoken if at in places and who in ("", role)))

    @once
    def _spoken(self) -> list[tuple[int, str, frozenset[str]]]:
        """The places of all that was said, who said it, and the forms of its values."""
        return [
            (at, message.role, _forms(values_in(message.content)))
            for at, message in enumerate(self._index.messages)
            if message.content and message.role in ("user", "assistant")
        ]


def _all_forms(action: Action) -> frozenset[str]:
    arguments = action.call.call.arguments
    found = _forms(values_in(to_json(arguments).decode())) | _forms(leaf.value for leaf in leaves(arguments))
    content = action.call.result.content if action.call.result is not None else ""
    document = document_of(content)
    if document is None:
        return found | _forms(values_in(content))
    return found | _forms(leaf.value for leaf in leaves(document) if not leaf.in_list)
