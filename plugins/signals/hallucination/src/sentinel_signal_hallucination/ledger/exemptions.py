"""When words of a action are no claim of one: told by a result, a text that the user asked for, or followed by the call."""

import re
from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination.english.lexicon import COMPLETE, lemmas, word_set, words_of
from sentinel_signal_hallucination.english.modality import REACH, SELF
from sentinel_signal_hallucination.english.questions import says_yes
from sentinel_signal_hallucination.english.statements import Statement
from sentinel_signal_hallucination.ledger.actions import Record
from sentinel_signal_hallucination.ledger.turns import Turn

__all__ = ["EXEMPTIONS", "TEXTUAL", "Case", "is_reported", "is_written"]

_DENIED = r"""(?![\"']?\s*[:=]\s*(?:false|null|0|no)\b)"""
_READABLE, _KNOWING = words_of("readable"), words_of("known")
TEXTUAL = frozenset(("create", "change", "remove", "decide", "deploy", "general", ""))
_STORES = word_set("save store upload download file submit publish attach lodge")
_PUTS = word_set("order arrange place put sort sorted")
_SORTED = word_set("through by chronologically alphabetically first last top cheapest expensive ascending descending")
_CLAUSE = word_set("is are was were has have went goes works still does do did will can looks to that as")
_HERE = word_set("above below")
_NEAR, _FAR = 8, 4_000


class Case(NamedTuple):
    """What is statements, in which text (``low`` are its plain words) of which turn."""

    one: Statement
    low: str
    turn: Turn


def _is_hidden(case: Case) -> bool:
    """True for a headline in a list that no line announces as one of actions."""
    one = case.one
    if one.voice != "brief" or not one.sentence.is_item:
        return False
    begin = one.sentence.start
    lines = (line.strip() for line in reversed(case.low[max(0, begin - _FAR) : begin].split("\n")))
    lead = next((line for line in lines if line and line[0] not in "-+•–|" and not line[0].isdigit()), "")
    words = lead.strip(" :.!").split()
    return lead.endswith(":") and all(known.isdisjoint(words) for known in (SELF, COMPLETE, lemmas().done.keys()))


def _is_knowing(case: Case) -> bool:
    """As in "I confirmed that it works", "I completed my review", "I opened the log"."""
    one = case.one
    if one.verb == "open":
        return not one.head or not _READABLE.isdisjoint(one.head)
    says_that = not _CLAUSE.isdisjoint(one.sentence.words[one.at + 1 : one.at + _NEAR])
    if one.verb == "confirm" and one.by_self and says_that:
        return True
    is_vague = lemmas().group.get(one.verb) == "general" or one.verb in COMPLETE
    return is_vague and not _KNOWING.isdisjoint(one.head)


def _is_sorting(case: Case) -> bool:
    """As in "I've sorted them by price"."""
    one = case.one
    return (
        one.verb in _PUTS
        and one.head.isdisjoint(lemmas().noun)
        and not _SORTED.isdisjoint(one.sentence.words[one.at : one.at + _NEAR])
    )


def _is_draft(case: Case) -> bool:
    """The user asked for a text, which may tell of others' actions; not so "Write a note: what have you done?"."""
    return case.turn.wants_text and not case.turn.reviews and case.one.verb not in _STORES and case.one.group != "send"


def _call_follows(case: Case) -> bool:
    """What the user says yes to, and whose call follows, was a proposal."""
    turn, index = case.turn, case.turn.record.index
    if turn.until >= len(index.messages) or not says_yes(index.messages[turn.until].content or ""):
        return False
    return any(turn.until < action.message_index for action in turn.record.actions)


def is_written(case: Case) -> bool:
    """True where what is written or changed may be the answer's own text."""
    one, table = case.one, lemmas()
    if not _HERE.isdisjoint(one.near) or (not case.turn.record.tools and case.low.endswith(":\n", 0, one.sentence.end)):
        return True
    if one.group not in TEXTUAL and table.group.get(one.verb) != "general":
        return False
    # As in "I changed it to: ...".
    is_shown = one.by_self and ":" in one.sentence.words[one.at : one.at + REACH] and one.objects.isdisjoint(table.kept)
    return is_shown or (not one.head.isdisjoint(table.written) and one.head.isdisjoint(table.kept))


def is_reported(one: Statement, text: Text, record: Record, *, kindly: bool = False) -> bool:
    """True where a result tells of it in the same word; ``kindly``, in a word of the same kind."""
    table = lemmas()
    verbs = {verb for verb, group in table.group.items() if group == one.group} if kindly else {one.verb}
    forms = frozenset((one.sentence.words[one.at], *(form for form, verb in table.done.items() if verb in verbs)))
    key = forms, text.message_index
    if key not in record.reported:
        tells = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(forms)))})(?![a-z]){_DENIED}")
        results = (content for at, content in record.results if at < text.message_index)
        record.reported[key] = any(
            any(map(content.__contains__, forms)) and tells.search(content) for content in results
        )
    return record.reported[key]


EXEMPTIONS = (_is_hidden, _is_knowing, _is_sorting, _is_draft, _call_follows)
"""The order is that of the questions: the first that holds ends the case."""
