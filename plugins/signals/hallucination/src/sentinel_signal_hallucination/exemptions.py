"""When words of a deed are no claim of one: told by a result, a text that the user asked for, or followed by the call."""

import re
from collections.abc import Callable
from typing import NamedTuple

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_signal_hallucination.answers import Said
from sentinel_signal_hallucination.aspects import SELF
from sentinel_signal_hallucination.orders import says_yes
from sentinel_signal_hallucination.tables import regex
from sentinel_signal_hallucination.turns import Turn
from sentinel_signal_hallucination.words import COMPLETE, lemmas, word_set, words_of

__all__ = ["EXEMPTIONS", "Case", "Exemption", "is_written", "was_told"]

_DENIED = r"""(?![\"']?\s*[:=]\s*(?:false|null|0|no)\b)"""
_READABLE, _KNOWING, _TEXTS, _WRITING = (words_of(name) for name in ("readable", "known", "texts", "writing"))
_TEXTUAL = frozenset(("create", "change", "remove", "deploy", "light", ""))
_STORES = word_set("save store upload download file submit publish attach lodge")
_NOTES, _PUTS = word_set("include record log correct"), word_set("order arrange place put sort sorted")
_SORTED = regex(
    r" (?:by (?!the |\w+ mail)|from \w+ to |chronologically|alphabetically|first\b|top of the list|in (?:ascending|descending)|last\b)"
)
_CLAUSE = word_set("is are was were has have went goes works still does do did will can looks to that as")
_HERE = word_set("above below")
_NEAR, _FAR = 6, 400


class Case(NamedTuple):
    """What an exemption looks at: what is said, in which text (``low`` are its plain words) of which turn."""

    one: Said
    text: Text
    low: str
    turn: Turn


class Exemption(NamedTuple):
    """``when`` says whether a case is one; ``why`` is its reason."""

    name: str
    when: Callable[[Case], bool]
    why: str


def _is_hidden(case: Case) -> bool:
    """True for a headline in a list that no line announces as one of deeds."""
    one = case.one
    if one.voice != "brief" or not one.sentence.is_item:
        return False
    lines = (line.strip() for line in reversed(case.low[: one.sentence.start].split("\n")))
    lead = next((line for line in lines if line and line[0] not in "-+•–|" and not line[0].isdigit()), "")
    words = set(lead.strip(" :.!").split())
    return lead.endswith(":") and words.isdisjoint(SELF | COMPLETE | lemmas().done.keys())


def _is_knowing(case: Case) -> bool:
    """As in "I confirmed that it works", "I completed my review", "I opened the log"."""
    one = case.one
    if one.verb == "open":
        return not one.head or not _READABLE.isdisjoint(one.head)
    if (
        one.verb == "confirm"
        and one.by_self
        and not _CLAUSE.isdisjoint(one.sentence.words[one.at + 1 : one.at + _NEAR])
    ):
        return True
    is_vague = lemmas().group.get(one.verb) == "light" or one.verb in COMPLETE or one.verb in _NOTES
    return is_vague and not _KNOWING.isdisjoint(one.head)


def _is_sorting(case: Case) -> bool:
    one = case.one
    if one.verb not in _PUTS or not one.head.isdisjoint(lemmas().noun.keys() | {"trip", "stay"}):
        return False
    begin = one.sentence.place(one.at)
    return _SORTED.search(case.low, begin, min(one.sentence.end, begin + _FAR)) is not None


def _is_draft(case: Case) -> bool:
    asked = {word.strip(".,:;!?") for word in case.turn.low.split()}
    writes = not asked.isdisjoint(_WRITING) or ("write" in asked and not asked.isdisjoint(_TEXTS))
    return writes and case.one.group != "send" and case.one.verb not in _STORES


def _call_follows(case: Case) -> bool:
    turn, index = case.turn, case.turn.record.index
    if turn.until >= len(index.messages) or not says_yes(index.messages[turn.until].content or ""):
        return False
    until = next((at for at in index.asked if at > turn.until), len(index.messages))
    return any(turn.until < deed.message_index < until for deed in turn.record.deeds)


def is_written(case: Case) -> bool:
    """True where what is written or changed may be the answer's own text."""
    one, table = case.one, lemmas()
    if not _HERE.isdisjoint(one.near):
        return True
    if not case.turn.record.tools and ("```" in case.text.content or ":\n" in case.text.content):
        return True
    if one.verb in _STORES or not (one.group in _TEXTUAL or table.group.get(one.verb) == "light"):
        return False
    return not one.head.isdisjoint(table.written) and one.head.isdisjoint(table.kept)


def was_told(one: Said, text: Text, index: TraceIndex, *, kindly: bool = False) -> bool:
    """True where a result tells of it in the same word; ``kindly``, in a word of the same kind."""
    table = lemmas()
    verbs = {verb for verb, group in table.group.items() if group == one.group} if kindly else {one.verb}
    forms = {one.sentence.words[one.at], *(form for form, verb in table.done.items() if verb in verbs and verb != form)}
    tells = re.compile(rf"(?<![a-z])(?:{'|'.join(map(re.escape, sorted(forms)))})(?![a-z]){_DENIED}")
    results = (
        result.content.lower() for message in index.messages[: text.message_index] for result in message.tool_results
    )
    return any(any(form in content for form in forms) and tells.search(content) is not None for content in results)


EXEMPTIONS = (
    Exemption("headline in a list", _is_hidden, "the line before the list announces no deeds"),
    Exemption("knowing", _is_knowing, "to know, note or confirm details changes nothing"),
    Exemption("sorting", _is_sorting, "to order things by price books none"),
    Exemption("draft", _is_draft, "the user asked for a text, which may tell of others' deeds"),
    Exemption(
        "call follows", _call_follows, "a claim that the user says yes to, and whose call follows, was a proposal"
    ),
)
"""The order is that of the questions: the first that holds ends the case."""
