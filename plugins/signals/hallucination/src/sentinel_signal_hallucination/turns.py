"""What lies between two messages of the user: the deeds, and which of them failed for good."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import takewhile
from operator import attrgetter

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.shell import command_of, parts_of
from sentinel_core.evaluate.tools import READING, WRITING, name_words
from sentinel_core.trace import to_json
from sentinel_signal_hallucination.answers import Said, low_of
from sentinel_signal_hallucination.asked import LONGEST_REPLY, verbs_of
from sentinel_signal_hallucination.record import Deed, Record, failed
from sentinel_signal_hallucination.shows import only_shows
from sentinel_signal_hallucination.tables import once
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Turn", "Turns", "has_its_own_tool", "is_of"]

_WORD = re.compile(r"[a-z'-]+")
# An order that has waited for so many turns is forgotten; a long talk must not be read over and over.
_FARTHEST = 20
_message_index = attrgetter("message_index")


class Turn:
    """What lies between two messages of the user; each part is made when something asks for it."""

    def __init__(self, turns: "Turns", number: int) -> None:
        asked = turns.record.index.asked
        self.record, self.asked = turns.record, asked[number]
        self.until = asked[number + 1] if number + 1 < len(asked) else len(turns.record.index.messages)
        self._turns, self._number = turns, number

    @once
    def calls(self) -> list[Call]:
        """All calls of the turn, in order."""
        calls = self.record.index.calls
        return calls[
            bisect_right(calls, self.asked, key=_message_index) : bisect_left(calls, self.until, key=_message_index)
        ]

    @property
    def is_last(self) -> bool:
        """True where nothing was done in it or after it."""
        return self._number >= self._turns.since

    @property
    def texts(self) -> list[Text]:
        """The texts after the last call."""
        texts, last = self.record.index.texts, self.calls[-1].message_index if self.calls else self.asked
        found = texts[
            bisect_right(texts, last, key=_message_index) : bisect_left(texts, self.until, key=_message_index)
        ]
        return [text for text in found if not text.is_copied]

    @once
    def deeds(self) -> list[Deed]:
        """What was done or tried; what only shows something is no deed."""
        deeds = self.record.deeds if self.calls else []
        found = deeds[
            bisect_right(deeds, self.asked, key=_message_index) : bisect_left(deeds, self.until, key=_message_index)
        ]
        return [deed._replace(failed=deed.failed or _broke(deed)) for deed in found if not only_shows(deed.call)]

    @once
    def worked(self) -> list[Deed]:
        """The deeds that worked."""
        return [deed for deed in self.deeds if not deed.failed]

    @once
    def wrote(self) -> bool:
        """True where a call may have written although its tool seems to read."""
        return any(_may_write(call, self.record.index) for call in self.calls)

    @once
    def low(self) -> str:
        """The plain words of the order."""
        return low_of(self.record.index.messages[self.asked].content)

    @once
    def _words(self) -> list[str]:
        return _WORD.findall((self.record.index.messages[self.asked].content or "").lower())

    @property
    def is_short(self) -> bool:
        """True where the user's message may be a mere yes."""
        return len(self._words) <= LONGEST_REPLY

    @once
    def heard(self) -> frozenset[str]:
        """All words of this order and of those before that nothing has carried out."""
        return frozenset(self._words).union(*(turn._words for turn in self._open()))  # noqa: SLF001 - of its own kind

    def _open(self) -> Iterator["Turn"]:
        first = max(-1, self._number - 1 - _FARTHEST)
        earlier = map(self._turns.__getitem__, range(self._number - 1, first, -1))
        return takewhile(lambda turn: not (turn.worked or turn.wrote), earlier)

    @once
    def _verbs(self) -> tuple[frozenset[str], bool]:
        return verbs_of(self.record, self.asked, self.low)

    @property
    def own(self) -> frozenset[str]:
        """The verbs that the user's message orders."""
        return self._verbs[0]

    @property
    def agreed(self) -> bool:
        """True where the user took what the agent offered to do."""
        return self._verbs[1]

    @once
    def older(self) -> frozenset[str]:
        """The verbs of the orders before that nothing has carried out."""
        return frozenset[str]().union(*(turn.own for turn in self._open()))

    @once
    def used(self) -> frozenset[str]:
        """The words in the names of the tools that worked."""
        return frozenset(word for call in self.calls if not failed(call) for word in name_words(call.call.name))

    @once
    def in_vain(self) -> Deed | None:
        """The last deed that failed, where none of its kind worked after it."""
        for deed in reversed(self.deeds):
            if deed.failed:
                later = [other for other in self.worked if other.call.position > deed.call.position]
                return None if any(_is_kin(deed, other) for other in later) else deed
        return None


class Turns:
    """All turns of a trace, each made when asked for."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._made: dict[int, Turn] = {}

    def __getitem__(self, number: int) -> Turn:
        if number not in self._made:
            self._made[number] = Turn(self, number)
        return self._made[number]

    @once
    def since(self) -> int:
        """The first turn after the last deed: from there on, all orders wait."""
        deeds = self.record.deeds
        return bisect_right(self.record.index.asked, deeds[-1].message_index) if deeds else 0

    def number(self, message_index: int) -> int:
        """Which turn a message of the agent is in; -1 before the first."""
        return bisect_left(self.record.index.asked, message_index) - 1


def _broke(deed: Deed) -> bool:
    """True for one request of a tool that runs anything, which failed: of a script, a part may have worked."""
    return deed.call.outcome.state == "failed" and not _REQUESTS.isdisjoint(name_words(deed.facts.name))


_REQUESTS = word_set("api http https request graphql")


def _may_write(call: Call, index: TraceIndex) -> bool:
    """True for a reading tool whose name has a verb of writing as well: "create_status"."""
    facts = index.tools[call.call.name]
    first = next((word for word in name_words(facts.name) if word in READING or word in WRITING), "")
    return facts.effect == "reads" and first in WRITING - READING and not failed(call)


def _is_kin(deed: Deed, other: Deed) -> bool:
    return (
        deed.facts.name == other.facts.name
        or not deed.facts.verbs.isdisjoint(other.facts.verbs)
        or other.facts.runs_anything
    )


def is_of(one: Said, deed: Deed, worked: list[Deed]) -> bool:
    """True where the words are of the deed that failed: it was the last, or its tool or command has the verb."""
    if deed.facts.runs_anything:
        return _commands(deed, one.verb)
    last = all(other.call.position < deed.call.position for other in worked)
    return last or one.verb in name_words(deed.facts.name)


def _commands(deed: Deed, verb: str) -> bool:
    """True where a command of the call is called by the verb, as ``git push`` is for "pushed"."""
    parts = parts_of(command_of(deed.call.call.arguments) or "")
    return any(verb in part.text.split(maxsplit=2)[:2] for part in parts)


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
