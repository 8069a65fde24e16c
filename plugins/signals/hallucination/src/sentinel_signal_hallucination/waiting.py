"""Orders that wait: an answer that says "done" where, since the order, the agent only looked, or what it tried failed."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sentinel_core.evaluate.check_words import VIEWERS
from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.shell import parts_of
from sentinel_core.evaluate.tool_verbs import READING, STATES, WRITING
from sentinel_core.evaluate.tools import name_words
from sentinel_core.report import Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.answers import WORDS_ONLY, Said, admits, announces, asks_back, low_of, ordered, said
from sentinel_signal_hallucination.backing import backing_of
from sentinel_signal_hallucination.case import Case
from sentinel_signal_hallucination.evidence import Evidence
from sentinel_signal_hallucination.exemptions import EXEMPTIONS
from sentinel_signal_hallucination.objects import objects_of
from sentinel_signal_hallucination.outcome import failed
from sentinel_signal_hallucination.record import Deed, Record
from sentinel_signal_hallucination.sentences import sentences, span_around
from sentinel_signal_hallucination.statements import Statement
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["waiting"]

_COMMANDS = ("command", "cmd", "args", "argv", "script", "sql", "query", "statement")
_SHOWS = READING | STATES | VIEWERS | word_set(
    "ps lsof top df du free uptime netstat ss dig nslookup host journalctl sort uniq cut awk env id whoami hostname select with "
    "explain desc logs events version blame branch remote"
)
_CHANGES = re.compile(r">(?!&)|<<|-exec\b|-delete\b|\b(?:insert|update|delete|drop|alter|truncate|merge|grant|sed -i|tee|xargs (?!wc|grep|cat|ls|du))\b")
_FLAG = re.compile(r"-\S*|\S*=\S*|sudo|\d+")
_DENIED = r"""[\"']?%s[\"']?\s*[:=]\s*(?:false|null|0|no)\b"""
_LEAST = 2


class _Turn(NamedTuple):
    """What lies between two messages of the user."""

    asked: int
    until: int
    deeds: list[Deed]
    texts: list[Text]
    wrote: bool
    own: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()


def waiting(index: TraceIndex, settings: Settings, known: frozenset[int]) -> Iterator[Evidence]:
    """At most one finding a turn; messages in ``known`` have one already."""
    if index.children or index.orphans or not index.tools or not index.asked:
        return
    record: Record | None = None
    left = frozenset[str]()
    for asked, until in zip(index.asked, (*index.asked[1:], len(index.messages)), strict=True):
        calls = [call for call in index.calls if asked < call.message_index < until]
        record = record or Record(index)
        turn = _turn(index, record, asked, until, calls)
        worked = [deed for deed in turn.deeds if not deed.failed]
        own = _verbs(index, record, asked)
        turn = turn._replace(own=own, older=left)
        left = frozenset() if worked or turn.wrote else left | own
        if not known.isdisjoint(range(asked, until)):
            continue
        for text in turn.texts:
            if (found := _judge(text, turn, record, settings)) is not None:
                yield found
                break


def _turn(index: TraceIndex, record: Record, asked: int, until: int, calls: list[Call]) -> _Turn:
    last = max((call.message_index for call in calls), default=asked)
    texts = [text for text in index.texts if last < text.message_index < until and not text.is_copied]
    deeds = [deed for deed in record.deeds if asked < deed.message_index < until and not only_shows(deed.call)]
    return _Turn(asked, until, deeds, texts, any(_may_write(call, index) for call in calls))


def _may_write(call: Call, index: TraceIndex) -> bool:
    """True for a reading tool whose name has a verb of writing as well: "create_status"."""
    facts = index.tools[call.call.name]
    return facts.effect == "reads" and not WRITING.isdisjoint(name_words(facts.name)) and not failed(call)


def _verbs(index: TraceIndex, record: Record, asked: int) -> frozenset[str]:
    order = record.order_before(asked + 1)
    own = ordered(low_of(index.messages[asked].content))
    return own | (order.words - WORDS_ONLY) if order is not None and order.at == asked and order.agrees else own


def only_shows(call: Call) -> bool:
    """True for a command or query of which each part shows something: its program, or the verb after it, is of reading."""
    value = next((call.call.arguments[key] for key in _COMMANDS if key in call.call.arguments), None)
    command = " ".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(command, str) or _CHANGES.search(command.lower()):
        return False
    parts = [part.text.lower().split() for part in parts_of(command) if part.text]
    return bool(parts) and all(not _SHOWS.isdisjoint([word for word in part if not _FLAG.fullmatch(word)][:_LEAST]) for part in parts)


def _judge(text: Text, turn: _Turn, record: Record, settings: Settings) -> Evidence | None:
    low = low_of(text.content)
    if turn.wrote or asks_back(low) or admits(low):
        return None
    in_vain = _in_vain(turn)
    worked = [deed for deed in turn.deeds if not deed.failed]
    announced = True
    for sentence in sentences(low):
        announced = announces(sentence) if not sentence.is_item else announced
        for one in said(sentence, turn.own | turn.older):
            if (sentence.is_item and one.voice == "brief" and not announced) or _is_exempt(one, text, low, record):
                continue
            if not worked and _counts(one, text, turn, record):
                certain = one.plainly and one.named and not _speaks(record)
                return _evidence(text, one, in_vain, settings, certain=certain)
            if worked and in_vain is not None and _is_of(one, in_vain, worked):
                return _evidence(text, one, in_vain, settings, certain=False)
    return None


_OF_WORDS = ("knowing", "sorting", "own words", "proposal", "call follows", "draft", "user's command", "own text")
_EXEMPT = tuple(exemption for exemption in EXEMPTIONS if exemption.name in _OF_WORDS)


def _is_exempt(one: Said, text: Text, low: str, record: Record) -> bool:
    """Whether an exemption holds that looks at the words alone."""
    group = lemmas().group.get(one.verb, "light")
    place = one.sentence.place(one.at)
    objects = objects_of(one.sentence.words, one.at, None if one.plainly else one.at)
    statement = Statement(
        one.verb, group, "active" if one.plainly else "state", "done", objects, one.sentence.start, one.sentence.end, place,
        one.plainly, sure=False,
    )  # fmt: skip
    case = Case(statement, text, low, backing_of(statement, text.message_index, record), record)
    return any(exemption.when(case) for exemption in _EXEMPT)


def _speaks(record: Record) -> bool:
    return any(not deed.failed for deed in record.deeds)


def _in_vain(turn: _Turn) -> Deed | None:
    """The last deed that failed, where none of its kind worked after it."""
    for deed in reversed(turn.deeds):
        if deed.failed:
            later = [other for other in turn.deeds if other.call.position > deed.call.position and not other.failed]
            return None if any(_is_kin(deed, other) for other in later) else deed
    return None


def _is_kin(deed: Deed, other: Deed) -> bool:
    return deed.facts.name == other.facts.name or not deed.facts.verbs.isdisjoint(other.facts.verbs) or other.facts.runs_anything


def _is_of(one: Said, deed: Deed, worked: list[Deed]) -> bool:
    """True where the words are of the deed that failed: it was the last, or its tool has the verb."""
    if deed.facts.runs_anything:
        return False
    last = all(other.call.position < deed.call.position for other in worked)
    return last or one.verb in name_words(deed.facts.name)


def _counts(one: Said, text: Text, turn: _Turn, record: Record) -> bool:
    """Whether the words answer the order: in its verb, and not in what a result or the user told."""
    if one.named and one.verb not in turn.own and one.voice == "state":
        return False
    if not one.named and not (turn.deeds or any(verb in lemmas().group or verb in WRITING for verb in turn.own)):
        return False
    return one.plainly or not _was_told(one, text, record.index)


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


def _evidence(text: Text, one: Said, tried: Deed | None, settings: Settings, *, certain: bool) -> Evidence:
    word = one.sentence.words[one.at]
    rule, why = "claim_without_call", "since it was ordered, no call has done anything"
    if tried is not None:
        rule, why = "contradicted_claim", f'the call of "{tried.facts.name}" failed'
    finding = Finding(
        rule=rule,
        severity="error" if certain else "warning",
        text=f'The agent says that something was done ("{word}"), but {why}.',
        message_index=text.message_index,
        quote=span_around(text.content, one.sentence.start, one.sentence.end),
    )
    return Evidence(finding, settings.effect_weight if certain else settings.hearsay_weight, certain=certain)
