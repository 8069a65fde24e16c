"""Orders that wait: an answer that says "done" where, since the order, the agent only looked, or what it tried failed."""

import re
from collections.abc import Iterator
from itertools import islice

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.evaluate.tools import WRITING
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import (
    Said,
    admits,
    announces,
    asks_back,
    low_of,
    said,
)
from sentinel_signal_hallucination.asked import effects, orderable, outright
from sentinel_signal_hallucination.backing import backing_of
from sentinel_signal_hallucination.case import Case
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.exemptions import EXEMPTIONS
from sentinel_signal_hallucination.held import Held
from sentinel_signal_hallucination.identifiers import other_object
from sentinel_signal_hallucination.looks import Look
from sentinel_signal_hallucination.objects import objects_of
from sentinel_signal_hallucination.record import Deed, Record
from sentinel_signal_hallucination.sentences import Sentence, is_item, sentences, sentences_with, span_around
from sentinel_signal_hallucination.settled import settled
from sentinel_signal_hallucination.statements import Statement
from sentinel_signal_hallucination.turns import Turn, Turns, has_its_own_tool, is_of
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["waiting"]

_DENIED = r"""[\"']?%s[\"']?\s*[:=]\s*(?:false|null|0|no)\b"""


def waiting(record: Record, looks: list[Look], settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a turn; messages in ``known`` have one already."""
    index = record.index
    if index.children or index.orphans or not index.tools or not index.asked:
        return
    telling = {look.text.message_index: look for look in looks if look.verbs}
    turns = Turns(record)
    failures = [call.message_index for call in index.calls if call.outcome.state == "failed"]
    places = {turns.number(at) for at in (*telling, *failures)}.union(range(turns.since, len(index.asked)))
    for turn in map(turns.__getitem__, sorted(places - {-1})):
        if known.isdisjoint(range(turn.asked, turn.until)):
            found = (_judge(text, telling.get(text.message_index), turn, settings) for text in turn.texts)
            yield from islice(filter(None, found), 1)


def _judge(text: Text, look: Look | None, turn: Turn, settings: Settings) -> Evidence | None:
    if turn.wrote:
        return None
    found = None if look is None and turn.in_vain is None else _told(text, look, turn, settings)
    if found is None and turn.is_last and (fact := settled(text, turn)) is not None:
        found = _evidence(text, fact, None, settings, certain=False)
    return found


def _told(text: Text, look: Look | None, turn: Turn, settings: Settings) -> Evidence | None:
    low, record = low_of(text.content), turn.record
    if asks_back(low):
        return None
    verbs = _unproven(look.verbs, turn) if look is not None else frozenset[str]()
    says = turn.in_vain is not None or (look is not None and _says(low, look.forms, verbs))
    strays = turn.worked and look is not None and any(map(str.isdigit, turn.low))
    if not (says or strays) or admits(low, turn.low):
        return None
    if strays and (found := _misdirected(text, low, turn, record, settings)) is not None:
        return found
    told = (_claimed(one, text, turn, record, settings) for one in _said(text, low, turn, record)) if says else ()
    found = next(filter(None, told), None)
    if found is None and turn.in_vain is not None:
        return _silent(text, low, turn.low, turn.in_vain, settings)
    return found


def _unproven(verbs: frozenset[str], turn: Turn) -> frozenset[str]:
    """Those of the text's verbs that the turn may leave unproven: after deeds that worked, only of tools that were not used."""
    if turn.in_vain is not None:
        return verbs
    if turn.worked:
        return verbs & (turn.record.tool_words - turn.used)
    heard = turn.heard
    may_be_told = (
        not verbs.isdisjoint(heard)
        or (turn.calls != [] and not verbs.isdisjoint(outright()))
        or ("" in verbs and (turn.deeds != [] or not heard.isdisjoint(orderable())))
        or turn.is_short
    )
    return verbs if may_be_told else frozenset()


def _says(low: str, forms: frozenset[str], verbs: frozenset[str]) -> bool:
    """Whether any sentence tells of such a deed, whoever ordered it: to read the orders costs more."""
    return bool(verbs) and any(True for sentence in sentences_with(low, forms) for _ in said(sentence, verbs))


def _misdirected(text: Text, low: str, turn: Turn, record: Record, settings: Settings) -> Evidence | None:
    asked, calls = (
        record.index.messages[turn.asked].content or "",
        [deed.call for deed in turn.worked],
    )
    pair = other_object(text, asked, calls, record.index)
    if pair is None:
        return None
    one = next((one for sentence in sentences(low) for one in said(sentence, effects())), None)
    why = f'the call was made for "{pair[1]}", not for "{pair[0]}"'
    return None if one is None else _evidence(text, one, None, settings, certain=False, why=why)


def _said(text: Text, low: str, turn: Turn, record: Record) -> Iterator[Said]:
    """What the text says to be done: after an offer, or a failure, in any verb; else in those of the order."""
    announced = True
    plain_verbs = outright() if turn.calls and record.tools and not _speaks(record) else frozenset[str]()
    verbs = turn.own | turn.older | (effects() if turn.agreed or turn.in_vain is not None else frozenset())
    for sentence in sentences(low):
        item = is_item(sentence, text.content)
        announced = announced if item else announces(sentence)
        for one in said(sentence, verbs | plain_verbs):
            if (
                one.verb in plain_verbs
                and one.verb not in verbs
                and not (one.by_self and _is_told_of(one, text, record))
            ):
                continue
            called = one.verb in turn.used
            hidden = item and one.voice == "brief" and not announced
            if not called and not hidden and not _is_exempt(one, text, low, record):
                yield one


def _is_told_of(one: Said, text: Text, record: Record) -> bool:
    """True where the object stands in some system of records, or in what a tool gave."""
    objects = objects_of(one.sentence.words, one.at, None)
    results = Held(record.index, text.message_index).told_by_tools.lower()
    return not objects.isdisjoint(lemmas().kept) or any(word in results for word in objects)


def _claimed(one: Said, text: Text, turn: Turn, record: Record, settings: Settings) -> Evidence | None:
    in_vain = turn.in_vain
    if not turn.worked:
        certain = one.plainly and one.verb in effects() & (turn.own | turn.older) and not _speaks(record)
        return _evidence(text, one, in_vain, settings, certain=certain) if _counts(one, text, turn, record) else None
    if in_vain is not None and is_of(one, in_vain, turn.worked):
        return _evidence(text, one, in_vain, settings, certain=in_vain.facts.runs_anything)
    if one.named and has_its_own_tool(one, turn, record):
        return _evidence(text, one, None, settings, certain=False)
    return None


def _states(sentence: Sentence) -> bool:
    """True for a sentence of some length with a verb that tells how things are."""
    return not sentence.asks and len(sentence.words) >= _SHORTEST and not _TELLING.isdisjoint(sentence.words)


_TELLING = word_set("is are has have now reads goes i've it's was were")


def _silent(text: Text, low: str, asked: str, in_vain: Deed, settings: Settings) -> Evidence | None:
    """All that was tried failed, and the text has not a word of trouble, plans or questions."""
    if in_vain.facts.effect != "writes" or admits(low, asked, mildly=True) or _repeats(low, asked, in_vain):
        return None
    first = next((one for one in sentences(low) if _states(one)), None)
    return (
        None
        if first is None
        else _evidence(text, Said(first, 0, "", "state", named=False), in_vain, settings, certain=False)
    )


def _repeats(low: str, asked: str, in_vain: Deed) -> bool:
    """True where the text says why in the result's own words, as in "box 2 is too heavy"."""
    result = in_vain.call.result
    own = set(_LONG.findall(result.content.lower())) if result is not None else set()
    return any(word in low for word in own - in_vain.objects - {"error", "failed"} if word not in asked)


_LONG = re.compile(r"[a-z]{4,}")
_SHORTEST = 4


_OF_WORDS = ("knowing", "sorting", "own words", "proposal", "call follows", "draft", "own text")
_EXEMPT = tuple(exemption for exemption in EXEMPTIONS if exemption.name in _OF_WORDS)


def _is_exempt(one: Said, text: Text, low: str, record: Record) -> bool:
    """Whether an exemption holds that looks at the words alone."""
    group = lemmas().group.get(one.verb, "light")
    place = one.sentence.place(one.at)
    objects = objects_of(one.sentence.words, one.at, None if one.plainly else one.at)
    statement = Statement(
        one.verb, group, "active" if one.by_self else "perfect" if one.plainly else "state", "done", objects, one.sentence.start, one.sentence.end, place,
        one.by_self, sure=False,
    )  # fmt: skip
    case = Case(statement, text, low, backing_of(statement, text.message_index, record), record)
    return any(exemption.when(case) for exemption in _EXEMPT)


def _speaks(record: Record) -> bool:
    return any(not deed.failed for deed in record.deeds)


def _counts(one: Said, text: Text, turn: Turn, record: Record) -> bool:
    """Whether the words answer the order: in its verb, and not in what a result or the user told."""
    if one.named and one.verb not in turn.own and one.voice == "state" and (turn.calls or not turn.agreed):
        return False
    if not one.named and not (
        turn.deeds or any(verb in lemmas().group or verb in WRITING for verb in turn.own | turn.older)
    ):
        return False
    return one.by_self or (one.plainly and turn.agreed) or not _was_told(one, text, record.index)


def _was_told(one: Said, text: Text, index: TraceIndex) -> bool:
    form = one.sentence.words[one.at]
    denied = re.compile(_DENIED % re.escape(form))
    forms = {form, *(other for other, verb in lemmas().done.items() if verb == one.verb != other)}
    for message in index.messages[: text.message_index]:
        for result in message.tool_results:
            content = result.content.lower()
            if any(form in content for form in forms) and not denied.search(content):
                return True
    return False


def _evidence(
    text: Text, one: Said, tried: Deed | None, settings: Settings, *, certain: bool, why: str = ""
) -> Evidence:
    word = one.sentence.words[one.at]
    rule, why = "claim_without_call", why or "since it was ordered, no call has done anything"
    if tried is not None:
        rule, why = "contradicted_claim", f'the call to "{tried.facts.name}" failed'
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=f'The agent says that something was done ("{word}"), but {why}.',
        message_index=text.message_index,
        quote=span_around(text.content, one.sentence.start, one.sentence.end),
    )
    return Evidence(finding, settings.effect_weight if certain else settings.hearsay_weight, certain=certain)
