"""Looks and actions that the agent says were its own, for which a tool was on offer that it never called; and looks in runs without any."""

from collections.abc import Iterator
from itertools import chain

from sentinel_core.evaluate.index import Call, Text
from sentinel_core.evaluate.tools import WRITING, ToolFacts, name_words, singular
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import COMPLETE, RELATED, bases, lemmas
from sentinel_signal_hallucination.english.prescan import Scan
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.english.statements import Statement, low_of, may_look, own_looks, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.exemptions import EXEMPTIONS, Case, is_reported
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once

__all__ = ["unused_tools"]

_STEM, _NEAR, _NONE = 5, 9, frozenset[str]()


def unused_tools(turns: Turns, looks: list[Scan], settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a text; messages in ``known`` have one already."""
    record = turns.record
    ran = (record.tools[call.call.name].runs_anything for call in record.index.calls)
    if record.index.children or record.is_partial or not record.index.asked or any(ran):
        return
    unused = _Unused(turns)
    forms = {look.text.message_index: look.forms for look in looks}
    for text in record.index.texts:
        if (
            not (text.is_copied or is_foreign(text.content))
            and text.message_index not in known
            and turns.number(text.message_index) >= 0
        ):
            found = next(unused.found(text, forms.get(text.message_index, _NONE), settings), None)
            if found is not None:
                yield found


class _Unused:
    """The tools of one trace that were never called."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.record = turns, turns.record
        self.index = turns.record.index

    @once
    def _idle(self) -> list[ToolFacts]:
        """The tools on offer that nothing called, with success or without."""
        called = {call.call.name for call in self.index.calls}
        return [facts for name, facts in self.record.tools.items() if name not in called]

    @once
    def _given(self) -> str:
        """What calls carried and gave, with their names."""
        parts = ((call.call.name, to_json(call.call.arguments).decode(), call.result) for call in self.index.calls)
        return " ".join(
            f"{name} {given} {result.content if result is not None else ''}" for name, given, result in parts
        ).lower()

    @once
    def _first_calls(self) -> tuple[int, int]:
        """Where the first call is, and where the first that may have been a look."""
        calls, none = self.index.calls, len(self.index.messages)
        looks = (call.message_index for call in calls if self._may_look(call))
        return next((call.message_index for call in calls), none), next(looks, none)

    def _has_looked(self, until: int) -> bool:
        """True where a call before a message may have been a look; also where none is on record at all."""
        first, look = self._first_calls
        return look < until or first >= until

    @once
    def _verbs(self) -> frozenset[str]:
        """The verbs of all actions that were tried."""
        return frozenset[str]().union(*(action.facts.verbs for action in self.record.actions))

    @once
    def _worked(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The groups and the verbs of the actions that worked, each once."""
        worked = (action for action in self.record.actions if not action.failed)
        return list(dict.fromkeys((action.groups, action.facts.verbs) for action in worked))

    def _may_look(self, call: Call) -> bool:
        facts = self.record.tools[call.call.name]
        return facts.effect != "writes" and facts.verbs.isdisjoint(WRITING)

    def found(self, text: Text, forms: frozenset[str], settings: Settings) -> Iterator[Evidence]:
        """The findings of one text."""
        low = low_of(text.content)
        if not forms and not may_look(low):
            return
        turn = self.turns[self.turns.number(text.message_index)]
        is_hidden = bool(forms) and not admits(low, sentences(turn.low))
        is_proposed = proposes(low) if is_hidden and asks_back(low) else None
        for part in sentences(low):
            if part.asks:
                continue
            is_meant = is_hidden and not (is_proposed is not None and is_proposed(part))
            acted = self._acted(part, text, forms, turn) if is_meant else ()
            for word, branch, why in chain(self._looked(part, text), acted):
                message = f'The agent says that it did this ("{word}"), but {why}.'
                yield in_text(text, "claim_without_call", branch, message, part.start, part.end, settings.tool_weight)

    def _looked(self, part: Sentence, text: Text) -> Iterator[tuple[str, str, str]]:
        """A look of the agent's own where no call looked at anything, or where the tool for just this was never called."""
        for at in own_looks(part):
            if not self._has_looked(text.message_index):
                yield part.words[at], "look", "no earlier call looked at anything"
            things = frozenset(map(singular, part.words[at + 1 : at + _NEAR]))
            for facts in self._idle:
                named = (frozenset(map(singular, name_words(facts.name))) - facts.verbs) & things
                if facts.effect == "reads" and named and not any(thing[:_STEM] in self._given for thing in named):
                    yield part.words[at], "look", f'"{facts.name}" was never called'

    def _acted(self, part: Sentence, text: Text, forms: frozenset[str], turn: Turn) -> Iterator[tuple[str, str, str]]:
        """An action in the verb of a tool that was never called, or of the order: nothing that worked is of its kind, and nothing given tells of it."""
        for one in statements(part) if not forms.isdisjoint(part.words) else ():
            verbs = {one.verb, *bases(one.sentence.words[one.at])}
            is_open = one.verb in COMPLETE or lemmas().group.get(one.verb) in ("general", "work", "play", None)
            if is_open or any(verb[:_STEM] in self._given for verb in verbs):
                continue
            facts = next((facts for facts in self._idle if _is_named(facts, verbs)), None)
            is_weak, branch, why = one.voice in ("brief", "past"), "", ""
            if facts is not None and verbs.isdisjoint(self._verbs):
                if not (is_weak and verbs.isdisjoint(turn.waiting.words)):
                    branch, why = "unused_tool", f'"{facts.name}" was never called'
            elif (
                turn.worked and not is_weak and not verbs.isdisjoint(turn.order.words) and not self._may_be(one, verbs)
            ):
                branch, why = "ordered_verb", "no call was of its kind"
            if branch and not self._is_exempt(one, text, turn):
                yield one.sentence.words[one.at], branch, why

    def _is_exempt(self, one: Statement, text: Text, turn: Turn) -> bool:
        case = Case(one, low_of(text.content), turn)
        return any(exempts(case) for exempts in EXEMPTIONS) or is_reported(one, text, self.record, kindly=True)

    def _may_be(self, one: Statement, verbs: set[str]) -> bool:
        """True where a call that worked may have done it, at any time."""
        related = RELATED.get(one.group, _NONE)
        return any(not groups or groups & related or verbs & known for groups, known in self._worked)


def _is_named(facts: ToolFacts, verbs: set[str]) -> bool:
    """True for a tool of writing with the verb in its name."""
    return facts.effect == "writes" and not verbs.isdisjoint(facts.verbs.intersection(name_words(facts.name)))
