"""What the agent says it did, judged by time and order: since the user's order, no call has done it, or all that tried failed."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.shell import command_of
from sentinel_core.evaluate.tools import ToolFacts, name_words, singular
from sentinel_core.trace import to_json
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.english.admissions import admits, is_trouble
from sentinel_signal_hallucination.english.coding_claims import CodingClaim, coding_claims
from sentinel_signal_hallucination.english.languages import is_foreign
from sentinel_signal_hallucination.english.lexicon import COMPLETE, RELATED, bases, lemmas, may_be_action, word_set
from sentinel_signal_hallucination.english.modality import is_less_certain
from sentinel_signal_hallucination.english.prescan import Scan
from sentinel_signal_hallucination.english.questions import asks_back, proposes
from sentinel_signal_hallucination.english.sentences import is_heading, sentences, sentences_with
from sentinel_signal_hallucination.english.silence import BEING
from sentinel_signal_hallucination.english.statements import Statement, low_of, statements
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.ledger.actions import Action
from sentinel_signal_hallucination.ledger.coding import of_other_kinds
from sentinel_signal_hallucination.ledger.exemptions import EXEMPTIONS, TEXTUAL, Case, is_reported, is_written
from sentinel_signal_hallucination.ledger.sources import Sources, names_in
from sentinel_signal_hallucination.ledger.support import Backing
from sentinel_signal_hallucination.ledger.turns import Turn, Turns
from sentinel_signal_hallucination.tables import once

__all__ = ["actions"]

_NONE = frozenset[str]()
# What is on its way was ordered with these.
_SENT = word_set("obtain send pay create")


# Not to act, which needs no call.
_OMITS = word_set("skip hold refrain wait")


def actions(turns: Turns, looks: list[Scan], settings: Settings) -> Iterator[Evidence]:
    """A finding for each action that the first text of a turn claims without cause."""
    index = turns.record.index
    asked = "\n".join([index.messages[at].content or "" for at in index.asked]).lower()
    claiming_forms = {form for form in _NONE.union(*(look.forms for look in looks)) if may_be_action(form, asked)}
    telling = {look.text.message_index: forms for look in looks if (forms := look.forms & claiming_forms)}
    claiming = set(map(turns.number, telling))
    for number in sorted(turns.spoken & (claiming | turns.failed)):
        turn = turns[number]
        judged = (_judge(text, telling.get(text.message_index, _NONE), turn, settings) for text in turn.texts)
        rows = next(filter(None, judged), None)
        if rows and not turn.wrote:
            yield from rows


def _judge(text: Text, forms: frozenset[str], turn: Turn, settings: Settings) -> list[Evidence]:
    if is_foreign(text.content):
        return []
    if turn.failed_action is None and (not forms or any(action.facts.runs_anything for action in turn.worked)):
        return []
    return _Case(text, turn, settings).verdict(forms)


class _Case:
    """One text of one turn."""

    def __init__(self, text: Text, turn: Turn, settings: Settings) -> None:
        self.text, self.turn, self.settings, self.record = text, turn, settings, turn.record
        self.backing = Backing(turn)

    @once
    def low(self) -> str:
        """The plain words of the text."""
        return low_of(self.text.content)

    @once
    def admits(self) -> bool:
        """True where the text speaks of trouble, or says what the failed call answered."""
        return admits(self.low, sentences(self.turn.low)) or self.turn.quotes_failure(self.low)

    @once
    def admits_mildly(self) -> bool:
        """The same, also in mild words."""
        return admits(self.low, sentences(self.turn.low), mildly=True)

    def verdict(self, forms: frozenset[str]) -> list[Evidence]:
        """The findings of the text, one for each sentence; what no call covers is read by the grammar."""
        if self.turn.failed_action is None:
            if self.backing.actions and not self.record.left_out:
                forms = frozenset([form for form in forms if not self.backing.covers(form)])
            if not forms:
                return []
        is_proposed = proposes(self.low) if asks_back(self.low) else None
        rows: dict[int, Evidence] = {}
        for one in self._said(forms):
            if is_proposed is not None and (is_proposed(one.sentence) or not one.plainly):
                continue
            row, known = self._of_all(one) or self._judge(one), rows.get(one.sentence.start)
            if row is not None and (known is None or row.weight > known.weight):
                rows[one.sentence.start] = row
        if not rows and is_proposed is None and (row := self._silent()) is not None:
            return [row]
        return list(rows.values())

    def _silent(self) -> Evidence | None:
        """What was tried failed, and the text has not a word of trouble, plans or questions."""
        tried, low = self.turn.failed_action, self.low
        if tried is None or tried.facts.effect != "writes" or self.admits_mildly:
            return None
        if tried.message_index == self.text.message_index:
            return None  # what came back was not known yet
        if self.turn.says_why(low):
            return None
        stated = [one for one in sentences(low) if not (BEING.isdisjoint(one.words) or one.words[0].endswith("ing"))]
        if self.turn.worked:  # what is told may be of that
            stated = [one for one in stated if not tried.facts.objects.isdisjoint(map(singular, one.words))]
        return self._evidence(Statement(stated[0], 0, "", "state"), tried, "untold") if stated else None

    def _said(self, forms: frozenset[str]) -> Iterator[Statement]:
        for sentence in sentences_with(self.low, forms) if forms else ():
            for one in statements(sentence):
                if not one.is_action or self._is_backed(one) or self._is_no_action(one) or self._is_of_other_kind(one):
                    continue
                case = Case(one, self.low, self.turn)
                if not any(exempts(case) for exempts in EXEMPTIONS):
                    named = self._named(one)
                    if not is_written(case._replace(one=named)) or self.backing.has_idle_tool(named):
                        yield named

    def _is_no_action(self, one: Statement) -> bool:
        """True for what others refused: "the board rejected it"; for a look: "I opened the page"; and for a heading."""
        word = one.sentence.words[one.at]
        if one.by_self and one.verb in _OMITS:
            return True
        if (one.group == "general" or word in COMPLETE) and is_heading(self.text.content, one.sentence.start):
            return True  # what stands below "**Done**" was done
        if not one.by_self and is_trouble(word) and self.turn.waiting.words.isdisjoint(bases(word)):
            return True
        if one.group == "general":
            return any(not facts.verbs.isdisjoint(one.objects) for facts in self._readers)
        verbs = {one.verb, *bases(one.sentence.words[one.at])}
        return any(not verbs.isdisjoint(_words_of(facts)) for facts in self._readers)

    def _is_of_other_kind(self, one: Statement) -> bool:
        """True for what the command that failed cannot have done: it is answered by commands of its own kind."""
        tried = self.backing.failed_action
        command = command_of(tried.call.call.arguments) if tried is not None and tried.facts.runs_anything else None
        if command is None:
            return False
        return one.sentence.words[one.at] in of_other_kinds(self._claims, one.sentence, command)

    @once
    def _claims(self) -> list[CodingClaim]:
        return list(coding_claims(self.text.content[:_LONGEST]))

    @once
    def _readers(self) -> set[ToolFacts]:
        """The tools that worked, where none of them did anything."""
        return set() if self.turn.worked else {self.record.tools[call.call.name] for call in self.turn.done}

    def _is_backed(self, one: Statement) -> bool:
        """True where a call of the turn may have done it, and neither a failed one nor a tool that was not used may be meant."""
        is_used = self.backing.has_used(one.sentence.words[one.at])
        is_fit = is_used and self.turn.failed_action is None and self.backing.may_be(one)
        return is_fit and self.backing.left_out(one) is None

    def _named(self, one: Statement) -> Statement:
        """The same with the verb of the order, where its form may be one of that."""
        words = self.turn.waiting.words
        verb = next((base for base in bases(one.sentence.words[one.at]) if base in words), "")
        return one._replace(verb=verb, named=True) if verb else one

    def _of_all(self, one: Statement) -> Evidence | None:
        """All of them are told, and one failed."""
        tried = self.backing.left_out(one)
        return None if tried is None or self.admits_mildly else self._evidence(one, tried, "all_of_several")

    def _judge(self, one: Statement) -> Evidence | None:
        group, tried, backing = one.group, self.backing.failed_action, self.backing
        is_ordered = self._is_ordered(one, group)
        if not self._counts(one, group, is_ordered=is_ordered):
            return None
        if tried is not None and backing.ends_with(tried):
            is_other = backing.is_other(one, tried, by=1 - self.admits) or self._is_in_part(one, tried)
            is_other |= not one.plainly and "not" in one.sentence.words
            is_other |= self.admits and bool(backing.actions) and not self._is_about(one, tried)
            if is_other or (self.admits and not backing.actions):
                return self._evidence(one, None, "beside_a_failure") if self._is_untried(one, tried) else None
            is_related = (
                one.named
                or one.verb in tried.facts.verbs | COMPLETE
                or one.group in ("general", *tried.groups)
                or not tried.groups
            )
            branch = (
                "command"
                if tried.facts.runs_anything and one.plainly
                else "done"
                if one.plainly
                else "state"
                if is_related and not tried.facts.runs_anything
                else "other_state"
            )
            return self._evidence(one, tried, branch)
        if backing.actions:
            is_backed = not backing.has_idle_tool(one) and (not (one.by_self or one.named) or backing.may_be(one))
            if is_backed or self._is_recap(one) or is_reported(one, self.text, self.record, kindly=True):
                return None
            return self._evidence(one, None, _voice(one))
        branch = "" if self._was_done(one) else self._absence(one, is_ordered=is_ordered)
        return self._evidence(one, tried, branch) if branch else None

    def _is_untried(self, one: Statement, tried: Action) -> bool:
        """True for what is said to be done beside something else that failed, where a tool on offer is for it and nothing worked."""
        if one.verb in tried.facts.verbs:
            return False
        is_sure = one.plainly and one.is_effect and self._is_ordered(one, one.group) and not self.backing.actions
        is_open = is_sure and self.backing.has_idle_tool(one) and not self._was_done(one)
        return is_open and not is_reported(one, self.text, self.record, kindly=True)

    def _is_in_part(self, one: Statement, tried: Action) -> bool:
        """True where the answer of the call that failed gives what is told: "a.pdf" beside an error for another month."""
        result, given = tried.call.result, to_json(tried.call.call.arguments).decode()
        named = names_in(self.text.content[one.sentence.start : one.sentence.end])
        if result is None:
            return False
        word = re.escape(one.sentence.words[one.at])
        is_given = re.search(rf'"{word}": ?(?:\[(?! ?\])|\{{|"|true|[1-9])|\({word}\)', result.content)
        return is_given is not None or any(name in result.content and name not in given for name in named)

    def _is_about(self, one: Statement, tried: Action) -> bool:
        """True where the sentence has the verb of the failed call, or a word of its name or of what it was given."""
        given = to_json(tried.call.call.arguments).decode().lower()
        own = tried.facts.verbs | tried.facts.objects
        return one.verb in own or not own.isdisjoint(one.objects) or any(word in given for word in one.objects)

    def _was_done(self, one: Statement) -> bool:
        """True where an earlier turn did it; what the user has just agreed to was to be done then, unless a result tells of it."""
        named = names_in(self.text.content[one.sentence.start : one.sentence.end])
        verbs, words = self.record.repeated_words
        if one.verb in verbs and all(name in words for name in named):
            return True
        if self._is_recap(one):
            return True
        was_done = self.backing.was_done_before(one, named)
        return was_done and (
            self.turn.reviews or not self.turn.order.agreed or is_reported(one, self.text, self.record, kindly=True)
        )

    def _is_recap(self, one: Statement) -> bool:
        """True for what was told in turns whose calls are not on record, unless this turn orders it anew."""
        order = self.turn.order
        is_ordered = (order.agreed or one.verb in order.words) and "already" not in one.sentence.words
        return not is_ordered and self.record.history.has_claim(one, self.turn.asked)

    def _absence(self, one: Statement, *, is_ordered: bool) -> str:
        """The branch of a action of whose kind there is no call; empty where its verb is of no known kind, and where a call may have done it."""
        turn, related = self.turn, RELATED.get(one.group, _NONE)
        if turn.is_unclear or self.record.is_partial:
            return ""
        if not self.record.tools:
            return "no_tools"
        if not is_ordered:
            is_told = turn.order.asks_past or is_reported(one, self.text, self.record)
            return "" if is_told else "unasked"
        if not one.plainly:
            return "state" if self._is_what_was_ordered(one) else "settled" if self._is_settled(one) else ""
        if not one.group and not one.is_effect:
            return ""
        named = one.named or not related.isdisjoint(turn.waiting.kinds)
        return "ordered" if named else "loosely_ordered"

    def _is_ordered(self, one: Statement, group: str) -> bool:
        order, objects = self.turn.waiting, one.objects
        if one.sentence.words[one.at] == "way":
            return not order.groups.isdisjoint(_SENT)
        if one.named or not RELATED.get(group, _NONE).isdisjoint(order.groups):
            return True
        if one.plainly and (
            (order.agreed and group != "") or (order.is_vague and not objects.isdisjoint(lemmas().kept))
        ):
            return True
        if group == "general":
            return order.orders and (not one.by_self or not objects or self._is_concrete(one))
        return order.orders and one.voice != "state" and one.is_effect and not objects.isdisjoint(order.things)

    def _counts(self, one: Statement, group: str, *, is_ordered: bool) -> bool:
        """Whether the words tell of a action that took a call."""
        turn, record = self.turn, self.record
        if not record.tools:
            is_text = group in TEXTUAL and one.objects.isdisjoint(lemmas().kept)
            return one.plainly and is_ordered and group not in ("", "general") and not is_text
        if turn.failed_action is not None and one.plainly and self.backing.has_verb(turn.failed_action, one):
            return True
        if (one.voice == "past" and self._is_on_record(one)) or self._is_described(one):
            return False
        if self.backing.has_idle_tool(one):
            return not is_reported(one, self.text, record)
        if one.by_self:
            shown = one.is_effect and (group == "send" or self._is_concrete(one))
            return is_ordered or shown or self._is_unasked(one)
        return self._counts_as_state(one, group, is_ordered=is_ordered)

    def _is_on_record(self, one: Statement) -> bool:
        """True where some result has the noun or an identifier of what is told: a past is answered by the record, whenever it was."""
        nouns = one.objects & lemmas().noun.keys()
        names = nouns | names_in(self.text.content[one.sentence.start : one.sentence.end])
        return any(name in result for name in names for _, result in self.record.results)

    def _is_described(self, one: Statement) -> bool:
        """True for a state that a result tells with its detail: "booked in economy", "assigned to Ana"."""
        words = one.sentence.words[one.at + 1 : one.at + 4]
        if one.voice != "state" or words[:1] not in (["in"], ["to"], ["as"]):
            return False
        details = [word for word in words[1:] if word.isalpha() and len(word) > _SHORTEST]
        return any(word in result for word in details for _, result in self.record.results)

    def _counts_as_state(self, one: Statement, group: str, *, is_ordered: bool) -> bool:
        """The same of a state or a passive: not where a result tells of it, and beside actions only in the perfect."""
        turn = self.turn
        is_hidden = turn.failed_action is not None and not turn.worked and not self.admits_mildly
        is_sure = one.plainly and "successfully" in one.near
        if not is_hidden and (not is_ordered or (not is_sure and is_reported(one, self.text, self.record))):
            return False
        if turn.worked and one.voice != "perfect":
            tried = turn.failed_action
            return tried is not None and (group in tried.groups or not self.backing.is_other(one, tried, by=0))
        return one.plainly or turn.order.agreed or not admits(" ".join(one.near), sentences(turn.low))

    def _is_unasked(self, one: Statement) -> bool:
        """True for "I've cancelled it, too" where all that ran only read, and of other things."""
        meant = one.sentence.words[one.at + 1 : one.at + 2]
        is_perfect = not _HAVE.isdisjoint(one.sentence.words[max(0, one.at - 3) : one.at])
        if not (is_perfect and one.is_effect) and meant not in (["it"], ["them"]) and not self._is_concrete(one):
            results = Sources(self.record.index, self.text.message_index).tool_output.lower()
            if not any(word in results for word in one.objects):
                return False
        used = frozenset(map(singular, self.turn.used))
        return not self.backing.before and used.isdisjoint(one.objects | {one.verb})

    def _is_concrete(self, one: Statement) -> bool:
        """True where a tool, the order or a system of records has the object."""
        kept = (lemmas().kept, self.record.tool_words, self.turn.waiting.things)
        return not all(map(one.objects.isdisjoint, kept))

    def _evidence(self, one: Statement, tried: Action | None, branch: str) -> Evidence:
        word = one.sentence.words[one.at]
        rule, why = "claim_without_call", "no earlier call could have done it"
        if tried is not None:
            rule, why = "contradicted_claim", f"{tried.named} failed"
        elif self.turn.worked:
            rule, why = "partial_claim", "the earlier calls did something else"
        if one.verb and is_less_certain(one.sentence.words, one.at):
            branch = "in_passing"
        what = f' ("{word}")' if one.verb else ""
        message = f"The agent says that something was done{what}, but {why}."
        return in_text(
            self.text, rule, branch, message, one.sentence.start, one.sentence.end, self.settings.effect_weight
        )

    def _is_settled(self, one: Statement) -> bool:
        """True for "all set", "on the way" and "playing" of nothing else than what was ordered."""
        is_open = lemmas().group.get(one.verb) in ("general", "play") or one.verb in COMPLETE
        if not is_open or one.sentence.words[one.at] == "now" or one.verb == "make" or one.voice == "past":
            return False
        if one.verb == "confirm" and one.voice == "brief":  # what was looked up: "Confirmed: 24 are there"
            return any(not self.turn.waiting.words.isdisjoint(bases(word)) for word in one.sentence.words)
        return not one.objects or not one.objects.isdisjoint(self.turn.waiting.things)

    def _is_what_was_ordered(self, one: Statement) -> bool:
        """True for a state that an order is to bring about: by its verb, or of a thing that a tool on offer, which never worked, is for."""
        order, table = self.turn.waiting, lemmas()
        is_light = table.group.get(one.verb) == "general" or one.verb in COMPLETE
        if not is_light and (one.voice == "past" or not one.is_effect):
            return one.is_effect and one.named and one.group in order.kinds
        if one.named or (one.group in order.kinds and not is_light):
            return True
        if is_light and any(table.noun.get(word) in order.kinds for word in one.objects):
            return True
        things = one.objects if one.voice == "state" else _NONE
        return order.orders and any(
            not things.isdisjoint(name if is_light else name | order.things) and (is_light or one.group in groups)
            for name, groups in self.record.idle_tools
        )


def _voice(one: Statement) -> str:
    return "done" if one.plainly else "state"


def _words_of(facts: ToolFacts) -> frozenset[str]:
    """The verbs of a tool, or, where nothing is known of it, all words of its name."""
    return facts.verbs.union(name_words(facts.name)) if facts.effect == "unknown" else facts.verbs


_SHORTEST, _LONGEST = 2, 20_000
_HAVE = word_set("have i've we've")
