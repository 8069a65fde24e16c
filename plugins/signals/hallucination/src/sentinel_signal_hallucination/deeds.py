"""What the agent says it did, judged by time and order: since the user's order, no call has done it, or all that tried failed."""

from collections.abc import Iterator

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import ToolFacts, name_words, singular
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import Said, low_of, said
from sentinel_signal_hallucination.backing import Backing
from sentinel_signal_hallucination.evidence import Evidence, in_text
from sentinel_signal_hallucination.exemptions import EXEMPTIONS, TEXTUAL, Case, is_written, was_told
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.identifiers import other_object
from sentinel_signal_hallucination.looks import Look
from sentinel_signal_hallucination.orders import TROUBLE, admits, asks_back
from sentinel_signal_hallucination.record import Deed
from sentinel_signal_hallucination.sentences import sentences, sentences_with
from sentinel_signal_hallucination.tables import has_digit, once
from sentinel_signal_hallucination.turns import Turn, Turns
from sentinel_signal_hallucination.words import KIN, bases, lemmas, may_be_deed, word_set

__all__ = ["deeds"]

_NONE = frozenset[str]()
# What is on its way was ordered with these.
_SENT = word_set("obtain send pay create")


def deeds(turns: Turns, looks: list[Look], settings: Settings) -> Iterator[Evidence]:
    """A finding for each deed that the first text of a turn claims without cause."""
    index = turns.record.index
    asked = "\n".join([index.messages[at].content or "" for at in index.asked]).lower()
    telling = dict[int, frozenset[str]]()
    for look in looks:
        if forms := frozenset(form for form in look.forms if may_be_deed(form, asked)):
            telling[look.text.message_index] = forms
    told = set(map(turns.number, telling))
    for number in sorted(turns.spoken & (told | turns.failed)):
        turn = turns[number]
        judged = (_judge(text, telling.get(text.message_index, _NONE), turn, settings) for text in turn.texts)
        rows = next(filter(None, judged), None)
        if rows and not turn.wrote:
            yield from rows


def _judge(text: Text, forms: frozenset[str], turn: Turn, settings: Settings) -> list[Evidence]:
    if turn.in_vain is None and (not forms or any(deed.facts.runs_anything for deed in turn.worked)):
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
        """True where the text speaks of trouble."""
        return admits(self.low, self.turn.low)

    @once
    def admits_mildly(self) -> bool:
        """The same, also in mild words."""
        return admits(self.low, self.turn.low, mildly=True)

    def verdict(self, forms: frozenset[str]) -> list[Evidence]:
        """The findings of the text, one for each sentence; what no call covers is read by the grammar."""
        if self.turn.in_vain is None:
            if self.backing.deeds and not self.record.left_out:
                forms = frozenset([form for form in forms if not self.backing.covers(form)])
            if not (forms or self.mistaken):
                return []
        if asks_back(self.low):
            return []
        rows = dict[int, Evidence]()
        for one in self._said(forms):
            row, known = self._of_all(one) or self._judge(one), rows.get(one.sentence.start)
            if row is not None and (known is None or row.certain > known.certain):
                rows[one.sentence.start] = row
        if not rows and (row := self._misdirected() or self._silent()) is not None:
            return [row]
        return list(rows.values())

    @once
    def mistaken(self) -> tuple[str, str] | None:
        """The object that the user named, and another one to which something was done instead."""
        turn, index = self.turn, self.record.index
        asked = index.messages[turn.asked].content or "" if turn.worked and turn.asked >= 0 else ""
        if not has_digit(asked):
            return None
        return other_object(self.text, asked, [deed.call for deed in turn.worked], index)

    def _misdirected(self) -> Evidence | None:
        if self.mistaken is None or self.admits:
            return None
        one = next((one for sentence in sentences(self.low) for one in said(sentence)), None)
        why = f'the call was made for "{self.mistaken[1]}", not for "{self.mistaken[0]}"'
        return None if one is None else self._evidence(one, None, certain=False, why=why)

    def _silent(self) -> Evidence | None:
        """What was tried failed, and the text has not a word of trouble, plans or questions."""
        tried, low = self.turn.in_vain, self.low
        if tried is None or tried.facts.effect != "writes" or self.admits_mildly:
            return None
        if self.turn.says_why(low):
            return None
        told = [one for one in sentences(low) if not _STATES.isdisjoint(one.words)]
        if self.turn.worked:  # what is told may be of that
            told = [one for one in told if not tried.facts.objects.isdisjoint(map(singular, one.words))]
        return self._evidence(Said(told[0], 0, "", "state"), tried, certain=False) if told else None

    def _said(self, forms: frozenset[str]) -> Iterator[Said]:
        for sentence in sentences_with(self.low, forms) if forms else ():
            for one in said(sentence):
                if not one.is_deed or self._is_backed(one) or self._is_no_deed(one):
                    continue
                case = Case(one, self.low, self.turn)
                if not any(exempts(case) for exempts in EXEMPTIONS):
                    named = self._named(one)
                    if not is_written(case._replace(one=named)) or self.backing.has_idle_tool(named):
                        yield named

    def _is_no_deed(self, one: Said) -> bool:
        """True for what others refused: "the board rejected it"; and for a look: "I opened the page"."""
        if not one.by_self and one.sentence.words[one.at] in TROUBLE:
            return True
        if one.group == "light":
            return any(not facts.verbs.isdisjoint(one.objects) for facts in self._readers)
        verbs = {one.verb, *bases(one.sentence.words[one.at])}
        return any(not verbs.isdisjoint(_words_of(facts)) for facts in self._readers)

    @once
    def _readers(self) -> set[ToolFacts]:
        """The tools that worked, where none of them did anything."""
        return set() if self.turn.worked else {self.record.tools[call.call.name] for call in self.turn.done}

    def _is_backed(self, one: Said) -> bool:
        """True where a call of the turn may have done it, and neither a failed one nor a tool that was not used may be meant."""
        is_used = self.backing.has_used(one.sentence.words[one.at])
        is_fit = is_used and self.turn.in_vain is None and self.backing.may_be(one)
        return is_fit and self.backing.left_out(one) is None

    def _named(self, one: Said) -> Said:
        """The same with the verb of the order, where its form may be one of that."""
        words = self.turn.waiting.words
        verb = next((base for base in bases(one.sentence.words[one.at]) if base in words), "")
        return one._replace(verb=verb, named=True) if verb else one

    def _of_all(self, one: Said) -> Evidence | None:
        """All of them are told, and one failed."""
        tried = self.backing.left_out(one)
        return None if tried is None or self.admits_mildly else self._evidence(one, tried, certain=False)

    def _judge(self, one: Said) -> Evidence | None:
        group, tried, backing = one.group, self.backing.in_vain, self.backing
        is_ordered = self._is_ordered(one, group)
        if not self._counts(one, group, is_ordered=is_ordered):
            return None
        if backing.deeds:
            if tried is not None and backing.ends_with(tried) and not (self.admits and backing.is_other(one, tried)):
                return self._evidence(one, tried, certain=tried.facts.runs_anything)
            is_idle = backing.has_idle_tool(one)
            is_backed = not is_idle and (not (one.by_self or one.named) or backing.may_be(one))
            if is_backed or was_told(one, self.text, self.record, kindly=True):
                return None
            return self._evidence(one, None, certain=False)
        is_admitted = tried is not None and tried.facts.runs_anything and self.admits
        if is_admitted or backing.was_done_before(one):
            return None
        is_known = bool(self.record.tools) or (one.by_self and group in self.turn.waiting.groups)
        is_clear = not (self.turn.is_unclear or self.turn.reviews)
        certain = one.plainly and is_ordered and is_known and is_clear and group not in ("", "light")
        return self._evidence(one, tried, certain=certain)

    def _is_ordered(self, one: Said, group: str) -> bool:
        order, objects = self.turn.waiting, one.objects
        if one.sentence.words[one.at] == "way":
            return not order.groups.isdisjoint(_SENT)
        if one.named or not KIN.get(group, _NONE).isdisjoint(order.groups):
            return True
        if one.plainly and ((order.agreed and group != "") or (order.bare and not objects.isdisjoint(lemmas().kept))):
            return True
        if group == "light":
            return order.orders and (not one.by_self or not objects or self._is_concrete(one))
        return order.orders and one.voice != "state" and one.is_effect and not objects.isdisjoint(order.things)

    def _counts(self, one: Said, group: str, *, is_ordered: bool) -> bool:
        """Whether the words tell of a deed that took a call."""
        turn, record = self.turn, self.record
        if not record.tools:
            is_text = group in TEXTUAL and one.objects.isdisjoint(lemmas().kept)
            return one.plainly and is_ordered and group not in ("", "light") and not is_text
        if self.backing.has_idle_tool(one):
            return not was_told(one, self.text, record)
        if one.by_self:
            shown = one.is_effect and (group == "send" or self._is_concrete(one))
            return is_ordered or shown or self._is_unasked(one)
        is_hidden = turn.in_vain is not None and not turn.worked and not self.admits_mildly
        is_sure = one.plainly and "successfully" in one.near
        if not is_hidden and (not is_ordered or (not is_sure and was_told(one, self.text, record))):
            return False
        if turn.worked and one.voice != "perfect":
            return turn.in_vain is not None and group in turn.in_vain.groups
        return one.plainly or turn.order.agreed or not admits(" ".join(one.near), turn.low)

    def _is_unasked(self, one: Said) -> bool:
        """True for "I've cancelled it, too" where all that ran only read, and of other things."""
        meant = one.sentence.words[one.at + 1 : one.at + 2]
        is_perfect = not _HAVE.isdisjoint(one.sentence.words[max(0, one.at - 3) : one.at])
        if not (is_perfect and one.is_effect) and meant not in (["it"], ["them"]) and not self._is_concrete(one):
            results = Held(self.record.index, self.text.message_index).told_by_tools.lower()
            if not any(word in results for word in one.objects):
                return False
        used = frozenset(map(singular, self.turn.used))
        return not self.backing.before and used.isdisjoint(one.objects | {one.verb})

    def _is_concrete(self, one: Said) -> bool:
        """True where a tool, the order or a system of records has the object."""
        return not one.objects.isdisjoint(lemmas().kept | self.record.tool_words | self.turn.waiting.things)

    def _evidence(self, one: Said, tried: Deed | None, *, certain: bool, why: str = "") -> Evidence:
        word = one.sentence.words[one.at]
        rule, why = "claim_without_call", why or "no earlier call could have done it"
        if tried is not None:
            rule, why = "contradicted_claim", f'the call to "{tried.facts.name}" failed'
        elif self.turn.worked:
            rule, why = "partial_claim", "the earlier calls did something else"
        what = f' ("{word}")' if one.verb else ""
        told = f"The agent says that something was done{what}, but {why}."
        weight = self.settings.effect_weight if certain else self.settings.hearsay_weight
        return in_text(self.text, rule, told, one.sentence.start, one.sentence.end, weight, certain=certain)


def _words_of(facts: ToolFacts) -> frozenset[str]:
    """The verbs of a tool, or, where nothing is known of it, all words of its name."""
    return facts.verbs.union(name_words(facts.name)) if facts.effect == "unknown" else facts.verbs


_HAVE = word_set("have i've we've")
_STATES = word_set("is are has have now reads goes i've it's was were")
