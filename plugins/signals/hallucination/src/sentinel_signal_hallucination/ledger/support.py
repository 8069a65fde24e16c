"""Which call could have done what is told: one that worked, one that failed, or a tool that was never called."""

from sentinel_core.evaluate.tools import name_words, singular
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.english.lexicon import COMPLETE, RELATED, base_of, bases, lemmas, word_set
from sentinel_signal_hallucination.english.statements import Statement
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.sources import names_in
from sentinel_signal_hallucination.ledger.turns import Turn
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Backing"]

_NONE = frozenset[str]()
_TELLING, _NUMBER = 3, regex(r"\d{3,}")
_ALL, _REST = word_set("both all every everything everyone everybody each"), word_set("other others else rest except")


class Backing:
    """The calls of one turn, and of those before it, as backing of what its answer tells."""

    def __init__(self, turn: Turn) -> None:
        self._turn, self._record = turn, turn.record

    @once
    def actions(self) -> list[Action]:
        """What worked in the turn, or was done by sub-agents whenever it was."""
        return [*self._turn.worked, *(action for action in self._record.below if not action.failed)]

    @once
    def failed_action(self) -> Action | None:
        """The last action of the turn, or else of a sub-agent, that failed for good."""
        below = self._record.below
        return self._turn.failed_action or (below[-1] if below and all(action.failed for action in below) else None)

    def may_be(self, one: Statement) -> bool:
        """True where the kind or the object of a call that worked fits: fresh actions are taken generously."""
        group, objects = one.group, one.objects
        if (
            group == "general"
            or not objects
            or any(not objects.isdisjoint(action.facts.objects) for action in self.actions)
        ):
            return bool(self.actions)
        return self._has_done(group)

    def covers(self, form: str) -> bool:
        """True where a call that worked may be what a form tells, whatever its object: that needs no grammar."""
        group = lemmas().group.get(base_of(form), "")
        return form not in COMPLETE and group != "general" and self._has_done(group) and self.has_used(form)

    def _has_done(self, group: str) -> bool:
        related = RELATED.get(group, _NONE)
        return any(not (group and action.groups) or not related.isdisjoint(action.groups) for action in self.actions)

    def has_used(self, form: str) -> bool:
        """True where no tool with the verb in its name was passed over."""
        return self._turn.used.issuperset(self._record.tool_words.intersection(bases(form)))

    def is_other(self, one: Statement, tried: Action, *, by: int) -> bool:
        """True where what is told may be another action than the one that failed: ``by`` so many words more fit one that worked.

        Of the same tool, as many are enough, unless a value of the call that failed is told; commands of a shell are each for itself.
        """
        words = {one.verb, *bases(one.sentence.words[one.at])} | one.objects
        fit = _fit(tried, words, one.group)
        given = {str(value).lower() for value in tried.call.call.arguments.values()}
        is_named = tried.facts.runs_anything or not given.isdisjoint(
            one.sentence.words
        )  # a shell's calls have nothing in common
        least = by if is_named else 0
        return any(
            _fit(action, words, one.group) >= fit + (least if action.facts is tried.facts else by)
            for action in self.actions
        )

    def has_verb(self, action: Action, one: Statement) -> bool:
        """True where the tool's name has the verb."""
        return not {one.verb, *bases(one.sentence.words[one.at])}.isdisjoint(name_words(action.facts.name))

    def left_out(self, one: Statement) -> Action | None:
        """What failed beside others of its tool, where all of them are told: "Both are closed"."""
        words = one.sentence.words
        if _ALL.isdisjoint(words) or not _REST.isdisjoint(words):
            return None
        numbers = {word for word in words if word.isdigit() and len(word) >= _TELLING}
        if numbers and numbers <= self._carried_numbers:
            return None  # all of those that it names
        actions = (action for action in self._record.left_out if action.message_index < self._turn.until)
        return next(
            (action for action in actions if one.verb in action.facts.verbs or one.group in action.groups), None
        )

    @once
    def _carried_numbers(self) -> frozenset[str]:
        """The longer numbers in what calls that worked carried."""
        worked = (action for action in self._record.actions if not action.failed)
        return frozenset(
            one for action in worked for one in _NUMBER.findall(to_json(action.call.call.arguments).decode())
        )

    @once
    def before(self) -> list[Action]:
        """What worked before the turn."""
        actions = self._record.actions
        return [action for action in actions if not action.failed and action.message_index < self._turn.asked]

    def was_done_before(self, one: Statement, named: frozenset[str]) -> bool:
        """True where a action of an earlier turn may be what is told once more; where the user asks what was done, any may be.

        A action for other objects than the sentence ``named`` is none. After a yes to an offer, only one whose result tells of it is.
        """
        if self.has_idle_tool(one):
            return any(action.facts.runs_anything or _has_one_of(action, named) for action in self.before)
        if self._turn.reviews:
            return True
        return any(
            action.facts.runs_anything or (self._may_be_of(action, one) and not _is_for_others(action, named))
            for action in self.before
        )

    def _may_be_of(self, action: Action, one: Statement) -> bool:
        """True for a action of the kind or of a kind that nobody knows, and for what its result tells: a cancellation tells of a refund."""
        if not action.groups or one.verb in action.facts.verbs or one.group in action.groups or one.group == "general":
            return True
        result = action.call.result.content.lower() if action.call.result is not None else ""
        return any(word in result for word in (one.verb, *(one.objects & lemmas().noun.keys())))

    def ends_with(self, action: Action) -> bool:
        """True where nothing worked after the action that failed."""
        return all(other.call.position < action.call.position for other in self._turn.worked)

    def has_idle_tool(self, one: Statement) -> bool:
        """True where a tool on offer is for just this, was never called with success, and nothing that worked has its verb."""
        verbs, order = {one.verb, *bases(one.sentence.words[one.at])}, self._turn.ever_named
        if one.plainly and not self.actions:
            order |= verbs
        things = one.objects if one.is_effect else _NONE
        group, related = lemmas().group.get(one.verb, one.verb), RELATED.get(one.group, _NONE)
        rows = (
            (name, _NONE if groups and related and groups.isdisjoint(related) else things)
            for name, groups in self._record.idle_tools
        )
        found = [thing for name, things in rows if (thing := _is_for(name, verbs, things, order)) is not None]
        return any(
            not any(_may_have(action, one, group, thing) for action in self._record.actions if not action.failed)
            for thing in found
        )


def _is_for_others(action: Action, named: frozenset[str]) -> bool:
    """True where a call carried and gave back none of the identifiers, and carried others."""
    given = names_in(to_json(action.call.call.arguments).decode())
    return bool(named and given) and not _has_one_of(action, named)


def _has_one_of(action: Action, named: frozenset[str]) -> bool:
    """True where a call carried or gave back one of the identifiers."""
    shown = action.call.result.content if action.call.result is not None else ""
    return not named.isdisjoint(names_in(to_json(action.call.call.arguments).decode()) | names_in(shown))


def _is_for(
    name: frozenset[str], verbs: set[str], objects: frozenset[str], order: frozenset[str]
) -> frozenset[str] | None:
    """The things that a tool is for, where its name has the verb and a thing of the words or the order, or a thing that both name."""
    if not name.isdisjoint(verbs):
        things = (name - verbs) & (objects | order)
        return things if things or not verbs.isdisjoint(order) else None
    return name & objects & order or None


def _fit(action: Action, words: set[str] | frozenset[str], group: str) -> int:
    """How many of the words are in the tool's name; one more where the action is of the group."""
    names = frozenset(map(singular, name_words(action.facts.name)))
    return len(names.intersection(words)) + (group in action.groups)


def _may_have(action: Action, one: Statement, group: str, things: frozenset[str]) -> bool:
    if action.facts.runs_anything or group in action.groups:
        return True
    return one.verb in name_words(action.facts.name) and things <= action.facts.objects
