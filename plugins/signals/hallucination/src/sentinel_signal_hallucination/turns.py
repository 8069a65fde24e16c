"""What lies between two messages of the user: the deeds, and which of them failed for good."""

from typing import NamedTuple

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import READING, WRITING, name_words
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.answers import Said
from sentinel_signal_hallucination.record import Deed, Record, failed
from sentinel_signal_hallucination.shows import only_shows
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Turn", "has_its_own_tool", "in_vain_of", "is_of", "turn_of"]


class Turn(NamedTuple):
    """What lies between two messages of the user."""

    asked: int
    until: int
    deeds: list[Deed]
    texts: list[Text]
    wrote: bool
    own: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    agreed: bool = False
    looked: bool = False
    used: tuple[str, ...] = ()


def turn_of(index: TraceIndex, record: Record, asked: int, until: int, calls: list[Call]) -> Turn:
    """The texts after the last call between two messages, and the deeds; what only shows something is none."""
    last = max((call.message_index for call in calls), default=asked)
    texts = [text for text in index.texts if last < text.message_index < until and not text.is_copied]
    deeds = [
        deed._replace(failed=deed.failed or _broke(deed))
        for deed in record.deeds
        if asked < deed.message_index < until and not only_shows(deed.call)
    ]
    return Turn(asked, until, deeds, texts, any(_may_write(call, index) for call in calls))


def _broke(deed: Deed) -> bool:
    """True for one request of a tool that runs anything, which failed: of a script, a part may have worked."""
    return deed.call.outcome.state == "failed" and not _REQUESTS.isdisjoint(name_words(deed.facts.name))


_REQUESTS = word_set("api http https request graphql")


def _may_write(call: Call, index: TraceIndex) -> bool:
    """True for a reading tool whose name has a verb of writing as well: "create_status"."""
    facts = index.tools[call.call.name]
    first = next((word for word in name_words(facts.name) if word in READING or word in WRITING), "")
    return facts.effect == "reads" and first in WRITING - READING and not failed(call)


def in_vain_of(turn: Turn) -> Deed | None:
    """The last deed that failed, where none of its kind worked after it."""
    for deed in reversed(turn.deeds):
        if deed.failed:
            later = [other for other in turn.deeds if other.call.position > deed.call.position and not other.failed]
            return None if any(_is_kin(deed, other) for other in later) else deed
    return None


def _is_kin(deed: Deed, other: Deed) -> bool:
    return (
        deed.facts.name == other.facts.name
        or not deed.facts.verbs.isdisjoint(other.facts.verbs)
        or other.facts.runs_anything
    )


def is_of(one: Said, deed: Deed, worked: list[Deed]) -> bool:
    """True where the words are of the deed that failed: it was the last, or its tool has the verb."""
    if deed.facts.runs_anything:
        return False
    last = all(other.call.position < deed.call.position for other in worked)
    return last or one.verb in name_words(deed.facts.name)


def has_its_own_tool(one: Said, turn: Turn, record: Record) -> bool:
    """True where a tool on offer has the order's verb, and nothing that worked has it in its name, arguments or result."""
    if one.verb not in turn.own or not any(one.verb in name_words(name) for name in record.tools):
        return False
    group = lemmas().group.get(one.verb, one.verb)
    return not any(_may_be(deed, one.verb, group) for deed in record.deeds if not deed.failed)


def _may_be(deed: Deed, verb: str, group: str) -> bool:
    if deed.facts.runs_anything or not deed.facts.verbs or group in deed.groups:
        return True
    told = to_json(deed.call.call.arguments).decode().lower() + (
        deed.call.result.content.lower() if deed.call.result else ""
    )
    return verb in name_words(deed.facts.name) or verb.rstrip("e") in told
