"""What the agent says it did, judged by time and order: since the user's order, no call has done it, or all that tried failed."""

import re
from collections.abc import Iterator

from sentinel_core.evaluate.index import Text
from sentinel_core.evaluate.tools import name_words, singular
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import Said, low_of, said
from sentinel_signal_hallucination.backing import Backing, is_effect
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.exemptions import EXEMPTIONS, Case, is_written, was_told
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.identifiers import other_object
from sentinel_signal_hallucination.looks import Look
from sentinel_signal_hallucination.orders import admits, asks_back
from sentinel_signal_hallucination.record import Deed
from sentinel_signal_hallucination.sentences import sentences, sentences_with, span_around
from sentinel_signal_hallucination.turns import Turn, Turns
from sentinel_signal_hallucination.words import KIN, bases, lemmas, may_be_deed, word_set

__all__ = ["deeds"]

_NONE = frozenset[str]()
_DIGIT = re.compile(r"\d")
# What is on its way was ordered with these.
_SENT = word_set("obtain send pay create")


def deeds(turns: Turns, looks: list[Look], settings: Settings) -> Iterator[Evidence]:
    """A finding for each deed that the first text of a turn claims without cause."""
    record, index = turns.record, turns.record.index
    if not record.has_business:
        return
    asked = "\n".join([index.messages[at].content or "" for at in index.asked]).lower()
    forms = {
        look.text.message_index: frozenset(form for form in look.forms if may_be_deed(form, asked)) for look in looks
    }
    telling = {at: found for at, found in forms.items() if found}
    told = set(map(turns.number, telling))
    for number in sorted(turns.spoken & (told | turns.failed)):
        turn = turns[number]
        judged = (_judge(text, telling.get(text.message_index, _NONE), turn, settings) for text in turn.texts)
        rows = next(filter(None, judged), None)
        if rows and not turn.wrote:
            yield from rows


def _judge(text: Text, forms: frozenset[str], turn: Turn, settings: Settings) -> list[Evidence]:
    if turn.in_vain is None and (not forms or _is_free(turn)):
        return []
    low = low_of(text.content)
    if asks_back(low):
        return []
    return _Case(text, low, turn, settings).verdict(forms)


def _is_free(turn: Turn) -> bool:
    """True where a call ran something that may have done whatever is told."""
    return any(deed.facts.runs_anything for deed in turn.worked)


class _Case:
    """One text of one turn."""

    def __init__(self, text: Text, low: str, turn: Turn, settings: Settings) -> None:
        self.text, self.low, self.turn, self.settings, self.record = text, low, turn, settings, turn.record
        self.backing = Backing(turn)

    def verdict(self, forms: frozenset[str]) -> list[Evidence]:
        """The findings of the text, one for each sentence."""
        rows = dict[int, Evidence]()
        for one in self._said(forms):
            row, known = self._judge(one), rows.get(one.sentence.start)
            if row is not None and (known is None or row.certain > known.certain):
                rows[one.sentence.start] = row
        if rows:
            return list(rows.values())
        found = self._misdirected() or self._silent()
        return [] if found is None else [found]

    def _misdirected(self) -> Evidence | None:
        """What was done was done to another object than the user named."""
        turn = self.turn
        if not turn.worked or not turn.asked >= 0 or _DIGIT.search(turn.low) is None:
            return None
        asked = self.record.index.messages[turn.asked].content or ""
        pair = other_object(self.text, asked, [deed.call for deed in turn.worked], self.record.index)
        if pair is None or admits(self.low, turn.low):
            return None
        one = next(
            (one for sentence in sentences(self.low) for one in said(sentence, turn.order.words) if one.is_deed), None
        )
        why = f'the call was made for "{pair[1]}", not for "{pair[0]}"'
        return None if one is None else self._evidence(one, None, certain=False, why=why)

    def _silent(self) -> Evidence | None:
        """What was tried failed, and the text has not a word of trouble, plans or questions."""
        tried, low, asked = self.turn.in_vain, self.low, self.turn.low
        if (
            tried is None
            or tried.facts.effect != "writes"
            or admits(low, asked, mildly=True)
            or _repeats(low, asked, tried)
        ):
            return None
        first = next(
            (
                one
                for one in sentences(low)
                if not one.asks and len(one.words) >= _SHORTEST and not _STATES.isdisjoint(one.words)
            ),
            None,
        )
        return None if first is None else self._evidence(Said(first, 0, "", "state", named=False), tried, certain=False)

    def _said(self, forms: frozenset[str]) -> Iterator[Said]:
        for sentence in sentences_with(self.low, forms) if forms else ():
            for one in said(sentence, _NONE):
                if not one.is_deed or self._is_backed(one):
                    continue
                case = Case(one, self.text, self.low, self.turn)
                if not any(exemption.when(case) for exemption in EXEMPTIONS):
                    named = self._named(one)
                    if not is_written(case._replace(one=named)) or self.backing.has_idle_tool(named):
                        yield named

    def _is_backed(self, one: Said) -> bool:
        """True where a call of the turn may have done it, and neither a failed one nor a tool that was not used may be meant."""
        turn = self.turn
        if turn.in_vain is not None or not (
            self.backing.deeds
            and turn.used.issuperset(self.record.tool_words.intersection(bases(one.sentence.words[one.at])))
        ):
            return False
        return self.backing.may_be(one)

    def _named(self, one: Said) -> Said:
        """The same with the verb of the order, where its form may be one of that."""
        words = self.turn.waiting.words
        verb = next((base for base in bases(one.sentence.words[one.at]) if base in words), "")
        return one._replace(verb=verb, named=True) if verb else one

    def _judge(self, one: Said) -> Evidence | None:
        turn, group = self.turn, one.group
        kin = KIN.get(group, _NONE)
        is_ordered = self._is_ordered(one, group, kin)
        if not self._counts(one, group, is_ordered=is_ordered):
            return None
        tried = self.backing.in_vain
        if self.backing.deeds:
            if tried is not None and self.backing.is_of(one, tried) and not self.backing.is_told_apart(self.low, tried):
                return self._evidence(one, tried, certain=tried.facts.runs_anything)
            is_idle = self.backing.has_idle_tool(one)
            strictly = one.by_self or one.named or is_idle or not kin.isdisjoint(turn.waiting.groups)
            if not strictly or was_told(one, self.text, self.record.index, kindly=True):
                return None
            return self._evidence(one, None, certain=False) if is_idle or not self.backing.may_be(one) else None
        if (
            tried is not None and tried.facts.runs_anything and admits(self.low, turn.low)
        ) or self.backing.was_done_before(one):
            return None
        certain = (
            one.plainly
            and (bool(self.record.tools) or (one.by_self and group in turn.waiting.groups))
            and is_ordered
            and group not in ("", "light")
            and not self.backing.before
        )
        return self._evidence(one, tried, certain=certain)

    def _is_ordered(self, one: Said, group: str, kin: frozenset[str]) -> bool:
        order = self.turn.waiting
        if one.sentence.words[one.at] == "way":
            return not order.groups.isdisjoint(_SENT)
        return (
            one.named
            or not kin.isdisjoint(order.groups)
            or (
                order.orders
                and (
                    (group == "light" and self._is_of_a_thing(one))
                    or (one.voice != "state" and is_effect(one) and not one.objects.isdisjoint(order.things))
                )
            )
            or (order.agreed and one.plainly and group != "")
            or (order.bare and one.plainly and not one.objects.isdisjoint(lemmas().kept))
        )

    def _is_of_a_thing(self, one: Said) -> bool:
        """False for "I made a mistake": what one did oneself must be done to something that is known."""
        return not one.by_self or not one.objects or self._is_concrete(one)

    def _counts(self, one: Said, group: str, *, is_ordered: bool) -> bool:
        """Whether the words tell of a deed that took a call."""
        turn, record = self.turn, self.record
        if not record.tools:
            return (
                one.plainly
                and group not in ("", "light")
                and (one.named or not KIN[group].isdisjoint(turn.waiting.groups))
            )
        weakly = not one.plainly and admits(" ".join(one.near), turn.low)
        if self.backing.has_idle_tool(one):
            return not weakly and not was_told(one, self.text, record.index)
        is_hidden = turn.in_vain is not None and not turn.worked and not admits(self.low, turn.low, mildly=True)
        if one.by_self:
            shown = group == "send" or self._is_concrete(one) or (group != "light" and self._is_shown(one))
            return is_hidden or is_ordered or (is_effect(one) and shown) or self._is_unasked(one)
        is_sure = one.plainly and (turn.order.agreed or "successfully" in one.near)
        if not is_hidden and (not is_ordered or (not is_sure and was_told(one, self.text, record.index))):
            return False
        if turn.worked and one.voice != "perfect":
            return turn.in_vain is not None and self._is_named(one, group, turn.in_vain)
        return one.voice == "perfect" or turn.order.agreed or not weakly

    def _is_unasked(self, one: Said) -> bool:
        """True for "I've cancelled it, too" where all that ran only read, and of other things."""
        if self.turn.worked or self.backing.before or self.record.runs_anything:
            return False
        meant = one.sentence.words[one.at + 1 : one.at + 2]
        known = meant in (["it"], ["them"]) or self._is_concrete(one) or self._is_shown(one)
        used = frozenset(map(singular, self.turn.used))
        return known and one.group != "light" and used.isdisjoint(one.objects | {one.verb})

    @staticmethod
    def _is_named(one: Said, group: str, deed: Deed) -> bool:
        return one.verb in name_words(deed.facts.name) or group in deed.groups

    def _is_shown(self, one: Said) -> bool:
        """True where a result has the object."""
        results = Held(self.record.index, self.text.message_index).told_by_tools.lower()
        return any(word in results for word in one.objects)

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
        finding = Finding(
            rule=rule, severity="error" if certain else "warning",
            text=f'The agent says that something was done ("{word}"), but {why}.', message_index=self.text.message_index,
            quote=span_around(self.text.content, one.sentence.start, one.sentence.end),
        )  # fmt: skip
        weight = self.settings.effect_weight if certain else self.settings.hearsay_weight
        return Evidence(finding, weight, certain=certain)


_STATES = word_set("is are has have now reads goes i've it's was were")


_LONG = re.compile(r"[a-z]{4,}")
_SHORTEST = 4


def _repeats(low: str, asked: str, tried: Deed) -> bool:
    """True where the text says why in the result's own words, as in "box 2 is too heavy"."""
    own = set(_LONG.findall(tried.call.result.content.lower())) if tried.call.result is not None else set[str]()
    return any(word in low for word in own - tried.objects - {"error", "failed"} if word not in asked)
