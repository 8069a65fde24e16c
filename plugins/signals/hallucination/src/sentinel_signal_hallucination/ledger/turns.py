"""What lies between two messages of the user: what was ordered, the actions, and which of them failed for good."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from operator import attrgetter
from typing import TypeVar

from sentinel_core.evaluate.index import Call, Text, TraceIndex
from sentinel_core.evaluate.tools import name_words
from sentinel_signal_hallucination.english.lexicon import word_set, words_of
from sentinel_signal_hallucination.english.sentences import sentences
from sentinel_signal_hallucination.english.statements import low_of
from sentinel_signal_hallucination.ledger.actions import Action, Record, failed, only_tells
from sentinel_signal_hallucination.ledger.requests import Order, order_of
from sentinel_signal_hallucination.tables import once, regex

__all__ = ["Turn", "Turns"]

_NONE: frozenset[str] = frozenset()
# An order that has waited for so many turns is forgotten; a long talk must not be read over and over.
_FARTHEST = 20
# Groups of verbs that take no call, and those that may be of a text.
_NO_CALL = frozenset(("work", "play", "general"))
_WORDS = _NO_CALL | {"create", "change", "remove", "deploy"}
_PAST = word_set("did done was were have has had")
_REPORTS = word_set("handover recap summary summarise summarize overview rundown report")
_OWN_DEEDS = regex(r"\byou(?:'ve| have)? (?:did|done)\b|\b(?:did|have) you\b")
_LONG, _LETTERS, _LONG_PAIR = regex(r"[a-z]{4,}"), regex(r"[a-z]+"), 8
_message_index = attrgetter("message_index")


_Row = TypeVar("_Row", Call, Text, Action)


def _within(rows: list[_Row], first: int, until: int) -> list[_Row]:
    """The rows of the messages from ``first`` to before ``until``."""
    return rows[bisect_left(rows, first, key=_message_index) : bisect_left(rows, until, key=_message_index)]


class Turn:
    """What lies between two messages of the user; each part is made when something asks for it."""

    def __init__(self, turns: "Turns", number: int) -> None:
        asked = turns.record.index.asked
        self.record, self.asked = turns.record, asked[number] if number >= 0 else -1
        self.until = asked[number + 1] if number + 1 < len(asked) else len(turns.record.index.messages)
        self._turns, self._number = turns, number

    @once
    def calls(self) -> list[Call]:
        """All calls of the turn, in order."""
        return _within(self.record.index.calls, self.asked + 1, self.until)

    @once
    def texts(self) -> list[Text]:
        """The texts after the last call."""
        last = self.calls[-1].message_index if self.calls else self.asked + 1
        return [text for text in _within(self.record.index.texts, last, self.until) if not text.is_copied]

    @once
    def actions(self) -> list[Action]:
        """What was done or tried."""
        actions = _within(self.record.actions, self.asked + 1, self.until)
        return [action._replace(failed=True) if _broke(action) else action for action in actions]

    @once
    def worked(self) -> list[Action]:
        """The actions that worked."""
        return [action for action in self.actions if not action.failed]

    @once
    def wrote(self) -> bool:
        """True where a call may have written although its tool seems to read."""
        return any(_may_write(call, self.record.index) for call in self.calls)

    @once
    def low(self) -> str:
        """The plain words of the order."""
        return low_of(self.record.index.messages[self.asked].content) if self.asked >= 0 else ""

    @once
    def asked_words(self) -> frozenset[str]:
        """The words of the order."""
        return _NONE.union(*(sentence.words for sentence in sentences(self.low)))

    @once
    def order(self) -> Order:
        """What the user's message orders."""
        return order_of(self.record, self.asked) if self.asked >= 0 else Order()

    @once
    def waiting(self) -> Order:
        """The same, with the orders before that nothing has carried out."""
        orders = [self.order, *(turn.order for turn in self._open())]
        words, groups, things, kinds = (
            _NONE.union(*parts) for parts in zip(*(order[:4] for order in orders), strict=True)
        )
        return self.order._replace(
            words=words, groups=groups, things=things, kinds=kinds, orders=any(order.orders for order in orders)
        )

    @once
    def ever_named(self) -> frozenset[str]:
        """All that the user's orders have named so far: what no call has carried out is still to be done."""
        first = max(0, self._number - _FARTHEST)
        earlier = [self._turns[number].order.things for number in range(first, self._number)]
        return self.order.things.union(*earlier)

    @once
    def wants_text(self) -> bool:
        """True where the user asks for a text."""
        words = self.asked_words
        return not words.isdisjoint(words_of("writing")) or (
            "write" in words and not words.isdisjoint(words_of("texts"))
        )

    @once
    def reviews(self) -> bool:
        """True where the user asks what was done, after a call that may have done something."""
        tools, calls = self.record.tools, _within(self.record.index.calls, 0, self.asked)
        acted = any(not action.failed for action in _within(self.record.actions, 0, self.asked))
        if not (acted or any(only_tells(call, tools[call.call.name]) for call in calls)):
            return False
        if not _REPORTS.isdisjoint(self.asked_words) or _OWN_DEEDS.search(self.low):
            return True
        return not self.order.orders and not _PAST.isdisjoint(self.asked_words)

    @once
    def orders_action(self) -> bool:
        """True where an order waits for more than words; without tools, what is created or changed may be words."""
        return not self.waiting.groups <= (_NO_CALL if self.record.tools else _WORDS)

    def _open(self) -> Iterator["Turn"]:
        for number in range(self._number - 1, max(-1, self._number - 1 - _FARTHEST), -1):
            turn = self._turns[number]
            if turn.worked or turn.wrote:
                return
            yield turn

    @once
    def is_unclear(self) -> bool:
        """True where a call that worked and seems only to tell may have done something."""
        return any(only_tells(call, self.record.tools[call.call.name]) and not call.checks for call in self.done)

    @once
    def done(self) -> list[Call]:
        """The calls that worked."""
        return [call for call in self.calls if not failed(call, self.record.tools[call.call.name])]

    @once
    def used(self) -> frozenset[str]:
        """The words in the names of the tools that worked."""
        return frozenset(word for call in self.done for word in name_words(call.call.name))

    @once
    def failed_action(self) -> Action | None:
        """The last action that failed, where none of its tool worked after it."""
        if self._number not in self._turns.failed:
            return None
        for action in reversed(self.actions):
            if action.failed:
                later = {other.facts.name for other in self.worked if other.call.position > action.call.position}
                return None if action.facts.name in later else action
        return None

    def says_why(self, low: str) -> bool:
        """True where a text has a word of what the failed call answered, which the user did not use: "box 2 is too heavy"."""
        tried = self.failed_action
        if tried is None or tried.call.result is None:
            return False
        own = set(_LONG.findall(tried.call.result.content.lower())) - tried.facts.objects - {"error", "failed"}
        return any(word in low and word not in self.low for word in own)

    def quotes_failure(self, low: str) -> bool:
        """True where a text has two words in a row of what the failed call answered, which stand in nothing that was said or given before."""
        tried = self.failed_action
        if tried is None or tried.call.result is None:
            return False
        before = self.record.index.messages[: tried.message_index]
        known = " ".join([self.low, *(result.content for message in before for result in message.tool_results)]).lower()
        words = _LETTERS.findall(tried.call.result.content.lower())
        pairs = (f"{one} {other}" for one, other in pairwise(words) if len(one) + len(other) >= _LONG_PAIR)
        return any(pair in low and pair not in known for pair in pairs)


class Turns:
    """All turns of a trace, each made when asked for."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._made: dict[int, Turn] = {}

    @once
    def spoken(self) -> set[int]:
        """The turns in which the agent says something."""
        return {self.number(text.message_index) for text in self.record.index.texts if not text.is_copied}

    @once
    def failed(self) -> set[int]:
        """The turns in which a call failed."""
        calls = self.record.index.calls
        return {self.number(call.message_index) for call in calls if call.outcome.state == "failed"}

    def __getitem__(self, number: int) -> Turn:
        if number not in self._made:
            self._made[number] = Turn(self, number)
        return self._made[number]

    def number(self, message_index: int) -> int:
        """Which turn a message of the agent is in; -1 before the first."""
        return bisect_left(self.record.index.asked, message_index) - 1


def _broke(action: Action) -> bool:
    """True for one request of a tool that runs anything, which failed: of a script, a part may have worked."""
    return action.call.outcome.state == "failed" and not _REQUESTS.isdisjoint(name_words(action.facts.name))


_REQUESTS = word_set("api http https request graphql")


def _may_write(call: Call, index: TraceIndex) -> bool:
    """True for a reading tool whose name has a verb that is nothing but one of writing: "create_status"."""
    words = name_words(call.call.name)
    if (facts := index.tools[call.call.name]).effect != "reads" or failed(call, facts):
        return False
    return not _WRITES.isdisjoint(words)


_WRITES = word_set("create update set add post send delete remove edit modify put write publish clear")
