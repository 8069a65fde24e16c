"""Calls that changed something by an identifier or an address that nothing on record has, although the record has others of its kind."""

from collections.abc import Iterator
from itertools import islice

from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, evidence
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.carried import Carried, carried_by
from sentinel_signal_hallucination.ledger.documents import Leaf
from sentinel_signal_hallucination.ledger.sources import Sources, family
from sentinel_signal_hallucination.ledger.turns import Turns
from sentinel_signal_hallucination.tables import regex

__all__ = ["invented"]

_ADDRESS, _LETTER = regex(r"[\w.+-]@[\w-]"), regex(r"[A-Za-z]")


def invented(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    """At most one finding a trace: the first such call."""
    yield from islice(_invented(turns, settings), 1)


def _invented(turns: Turns, settings: Settings) -> Iterator[Evidence]:
    carried, index = Carried(turns), turns.record.index
    for action in carried.actions:
        named = [leaf for leaf in carried_by(action) if _names_something(leaf)]
        if not named:
            continue
        sources = Sources(index, action.message_index)
        for leaf in named:
            if not sources.names(leaf.text.lstrip("#")) and _has_others(leaf, sources, carried, action):
                message = (
                    f'The call to "{action.facts.name}" carried "{leaf.text}" as {leaf.key}, which is in no result and in '
                    "nothing that the agent was given; the record has others."
                )
                yield evidence(
                    "invented_argument", leaf.value.kind, message, settings.effect_weight,
                    message_index=action.message_index, call_id=action.call.call.id, quote=leaf.text,
                )  # fmt: skip


def _names_something(leaf: Leaf) -> bool:
    """True for an address, and for an identifier with letters: plain numbers are amounts and counts as often."""
    return leaf.value.kind == "address" or (leaf.value.kind == "identifier" and _LETTER.search(leaf.text) is not None)


def _has_others(leaf: Leaf, sources: Sources, carried: Carried, action: Action) -> bool:
    """True where the agent had one to give: a result has another of the family in such a field; of addresses, anybody told one."""
    if leaf.value.kind == "address":
        return _ADDRESS.search(sources.context) is not None
    return family(leaf.text) in sources.families and carried.has_field(leaf.key, action)
