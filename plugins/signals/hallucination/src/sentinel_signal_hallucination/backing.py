"""Which call could have done what is told: one that worked, one that failed, or a tool that was never called."""

from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import WRITING, name_words
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.answers import Said
from sentinel_signal_hallucination.orders import admits
from sentinel_signal_hallucination.record import Deed
from sentinel_signal_hallucination.tables import once
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import KIN, bases, lemmas

__all__ = ["Backing", "is_effect"]

_NONE = frozenset[str]()


def is_effect(one: Said) -> bool:
    """True for a verb that changes something outside the conversation."""
    group = one.group
    return group not in ("", "work", "play") or (one.verb in WRITING and group != "play")


class Backing:
    """The calls of one turn, and of those before it, as backing of what its answer tells."""

    def __init__(self, turn: Turn) -> None:
        self._turn, self._record = turn, turn.record

    @once
    def deeds(self) -> list[Deed]:
        """What worked in the turn, or was done by sub-agents whenever it was."""
        return [*self._turn.worked, *(deed for deed in self._record.below if not deed.failed)]

    @once
    def in_vain(self) -> Deed | None:
        """The last deed of the turn, or else of a sub-agent, that failed for good."""
        below = self._record.below
        return self._turn.in_vain or (below[-1] if below and all(deed.failed for deed in below) else None)

    def may_be(self, one: Said) -> bool:
        """True where the kind or the object of a call that worked fits: fresh deeds are taken generously."""
        group = one.group
        kin = KIN.get(group, _NONE)
        return any(
            deed.facts.runs_anything or not deed.groups or group in ("", "light") or not kin.isdisjoint(deed.groups)
            or not one.objects or not one.objects.isdisjoint(deed.objects)
            for deed in self.deeds
        )  # fmt: skip

    def is_told_apart(self, low: str, tried: Deed) -> bool:
        """True where the tool worked as well, and the text speaks of trouble: of one thing it tells the deed, of another the failure."""
        return admits(low, self._turn.low) and any(deed.facts.name == tried.facts.name for deed in self.deeds)

    def _was_done(self, one: Said, deed: Deed) -> bool:
        if deed.facts.runs_anything:
            return True
        if one.verb not in deed.facts.verbs and one.group not in deed.groups:
            return False
        return not (one.named or self._turn.order.agreed) or (
            not self._turn.order.agreed and not one.objects.isdisjoint(deed.objects)
        )

    @once
    def before(self) -> list[Deed]:
        """What worked before the turn."""
        deeds = self._record.deeds
        return [deed for deed in deeds if not deed.failed and deed.message_index < self._turn.asked]

    def was_done_before(self, one: Said) -> bool:
        """True where a deed of an earlier turn is what is told once more."""
        return any(self._was_done(one, deed) for deed in self.before)

    def is_of(self, one: Said, deed: Deed) -> bool:
        """True where the words are of the deed that failed: it was the last, or its tool or command has the verb."""
        if deed.facts.runs_anything:
            return _commands(deed, one.verb)
        return one.verb in name_words(deed.facts.name) or all(
            other.call.position < deed.call.position for other in self._turn.worked
        )

    def has_idle_tool(self, one: Said) -> bool:
        """True where a tool on offer is for just this, was never called with success, and nothing that worked has its verb."""
        verbs, order = {one.verb, *bases(one.sentence.words[one.at])}, self._turn.waiting.things
        things = one.objects if is_effect(one) else _NONE
        found = [
            thing for words in self._record.idle_tools if (thing := _is_for(words, verbs, things, order)) is not None
        ]
        group = lemmas().group.get(one.verb, one.verb)
        return any(
            not any(_may_have(deed, one, group, thing) for deed in self._record.deeds if not deed.failed)
            for thing in found
        )


def _commands(deed: Deed, verb: str) -> bool:
    """True where a command of the call is called by the verb, as ``git push`` is for "pushed"."""
    parts = parts_of(command_of(deed.call.call.arguments) or "")
    return any(verb in part.text.split(maxsplit=2)[:2] for part in parts)


def _is_for(
    name: frozenset[str], verbs: set[str], objects: frozenset[str], order: frozenset[str]
) -> frozenset[str] | None:
    """The things that a tool is for, where its name has the verb and a thing of the words or the order, or a thing that both name."""
    if not name.isdisjoint(verbs):
        things = (name - verbs) & (objects | order)
        return things if things or not verbs.isdisjoint(order) else None
    return name & objects & order or None


def _may_have(deed: Deed, one: Said, group: str, things: frozenset[str]) -> bool:
    if deed.facts.runs_anything or not deed.facts.verbs or group in deed.groups:
        return True
    told = to_json(deed.call.call.arguments).decode().lower() + (
        deed.call.result.content.lower() if deed.call.result else ""
    )
    is_named = one.verb in name_words(deed.facts.name) and (
        things <= deed.objects or any(thing in told for thing in things)
    )
    return is_named or one.verb.rstrip("e") in told
