"""Which call could have done what is told: one that worked, one that failed, or a tool that was never called."""

from sentinel_core.evaluate.tools import name_words, singular
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.answers import Said
from sentinel_signal_hallucination.identifiers import names_in
from sentinel_signal_hallucination.record import Deed
from sentinel_signal_hallucination.tables import once
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import COMPLETE, KIN, base_of, bases, lemmas, word_set

__all__ = ["Backing"]

_NONE = frozenset[str]()
_ALL, _REST = word_set("both all every everything everyone everybody each"), word_set("other others else rest except")


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
        group, objects = one.group, one.objects
        if group == "light" or not objects or any(not objects.isdisjoint(deed.facts.objects) for deed in self.deeds):
            return bool(self.deeds)
        return self._has_done(group)

    def covers(self, form: str) -> bool:
        """True where a call that worked may be what a form tells, whatever its object: that needs no grammar."""
        group = lemmas().group.get(base_of(form), "")
        return form not in COMPLETE and group != "light" and self._has_done(group) and self.has_used(form)

    def _has_done(self, group: str) -> bool:
        kin = KIN.get(group, _NONE)
        return any(not (group and deed.groups) or not kin.isdisjoint(deed.groups) for deed in self.deeds)

    def has_used(self, form: str) -> bool:
        """True where no tool with the verb in its name was passed over."""
        return self._turn.used.issuperset(self._record.tool_words.intersection(bases(form)))

    def is_other(self, one: Said, tried: Deed, *, by: int) -> bool:
        """True where what is told may be another deed than the one that failed: ``by`` so many words more fit one that worked."""
        words = {one.verb, *bases(one.sentence.words[one.at])} | one.objects
        fit = _fit(tried, words, one.group)
        return any(_fit(deed, words, one.group) >= fit + by for deed in self.deeds)

    def has_verb(self, deed: Deed, one: Said) -> bool:
        """True where the tool's name has the verb."""
        return not {one.verb, *bases(one.sentence.words[one.at])}.isdisjoint(name_words(deed.facts.name))

    def left_out(self, one: Said) -> Deed | None:
        """What failed beside others of its tool, where all of them are told: "Both are closed"."""
        words = one.sentence.words
        if _ALL.isdisjoint(words) or not _REST.isdisjoint(words):
            return None
        deeds = (deed for deed in self._record.left_out if deed.message_index < self._turn.until)
        return next((deed for deed in deeds if one.verb in deed.facts.verbs or one.group in deed.groups), None)

    @once
    def before(self) -> list[Deed]:
        """What worked before the turn."""
        deeds = self._record.deeds
        return [deed for deed in deeds if not deed.failed and deed.message_index < self._turn.asked]

    def was_done_before(self, one: Said, named: frozenset[str]) -> bool:
        """True where a deed of an earlier turn may be what is told once more; where the user asks what was done, any may be.

        A deed for other objects than the sentence ``named`` is none. After a yes to an offer, only one whose result tells of it is.
        """
        if self.has_idle_tool(one):
            return any(deed.facts.runs_anything for deed in self.before)
        if self._turn.reviews:
            return True
        return any(
            deed.facts.runs_anything or (self._may_be_of(deed, one) and not _is_for_others(deed, named))
            for deed in self.before
        )

    def _may_be_of(self, deed: Deed, one: Said) -> bool:
        """True for a deed of the kind or of a kind that nobody knows, and for what its result tells: a cancellation tells of a refund."""
        if not deed.groups or one.verb in deed.facts.verbs or one.group in deed.groups or one.group == "light":
            return True
        result = deed.call.result.content.lower() if deed.call.result is not None else ""
        return any(word in result for word in (one.verb, *(one.objects & lemmas().noun.keys())))

    def ends_with(self, deed: Deed) -> bool:
        """True where nothing worked after the deed that failed."""
        return all(other.call.position < deed.call.position for other in self._turn.worked)

    def has_idle_tool(self, one: Said) -> bool:
        """True where a tool on offer is for just this, was never called with success, and nothing that worked has its verb."""
        verbs, order = {one.verb, *bases(one.sentence.words[one.at])}, self._turn.ever_named
        if one.plainly and not self.deeds:
            order |= verbs
        things = one.objects if one.is_effect else _NONE
        group, kin = lemmas().group.get(one.verb, one.verb), KIN.get(one.group, _NONE)
        rows = (
            (name, _NONE if groups and kin and groups.isdisjoint(kin) else things)
            for name, groups in self._record.idle_tools
        )
        found = [thing for name, things in rows if (thing := _is_for(name, verbs, things, order)) is not None]
        return any(
            not any(_may_have(deed, one, group, thing) for deed in self._record.deeds if not deed.failed)
            for thing in found
        )


def _is_for_others(deed: Deed, named: frozenset[str]) -> bool:
    """True where a call carried none of the identifiers, and others of that kind."""
    given = names_in(to_json(deed.call.call.arguments).decode())
    return bool(named and given) and named.isdisjoint(given)


def _is_for(
    name: frozenset[str], verbs: set[str], objects: frozenset[str], order: frozenset[str]
) -> frozenset[str] | None:
    """The things that a tool is for, where its name has the verb and a thing of the words or the order, or a thing that both name."""
    if not name.isdisjoint(verbs):
        things = (name - verbs) & (objects | order)
        return things if things or not verbs.isdisjoint(order) else None
    return name & objects & order or None


def _fit(deed: Deed, words: set[str] | frozenset[str], group: str) -> int:
    """How many of the words are in the tool's name; one more where the deed is of the group."""
    names = frozenset(map(singular, name_words(deed.facts.name)))
    return len(names.intersection(words)) + (group in deed.groups)


def _may_have(deed: Deed, one: Said, group: str, things: frozenset[str]) -> bool:
    if deed.facts.runs_anything or group in deed.groups:
        return True
    return one.verb in name_words(deed.facts.name) and things <= deed.facts.objects
