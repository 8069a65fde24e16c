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

    @once
    def given(self) -> str:
        """The arguments of writing calls that worked, as text: most values of an answer stand there as they are told."""
        return "\n".join(to_json(action.call.call.arguments).decode() for action in self.actions)

    @once
    def forms(self) -> frozenset[str]:
        """All that writing calls that worked carried or gave back; of documents without their lists, which show no action."""
        return frozenset().union(*map(_all_forms, self.actions))

    def expected(self, leaf: Leaf, action: Action) -> frozenset[str]:
        """What could have stood in the place of a value.

        Of numbers, what users said; of identifiers, what stood in such a field or was spoken of; of dates and times, all on record.
        """
        before = range(action.message_index)
        if leaf.value.kind == "number":
            return self._said(before, who="user")
        keys = [leaf.key] if leaf.value.kind == "identifier" else list(self._fields)
        known = _NONE
        for key in keys:
            places, forms = self._fields.get(key, ([], []))
            known = known.union(*forms[: bisect_left(places, action.message_index)])
        return known | self._said(before)

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
