"""What speaks for a claim: a call that could have done it, what the agent was told, what was asked and what follows."""

from typing import Literal

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_signal_hallucination.asked import Asked
from sentinel_signal_hallucination.claims import Claim
from sentinel_signal_hallucination.following import Edits, consequence
from sentinel_signal_hallucination.ledger import Ledger, LedgersBelow
from sentinel_signal_hallucination.results import told_by_tools
from sentinel_signal_hallucination.retold import Retold
from sentinel_signal_hallucination.tables import regex

__all__ = ["Judge", "Standing"]

_AMOUNT = regex(r"\d[\d,]{2,}")
_TELLER = regex(r"\b(?:was|were|been|got|is|are|(?:i|we|they)(?:['’]ve| have)?|already|he|she) (?:\w+ )?\Z")
_TELLER_CHARS = 40
_MOST_AMOUNTS = 5
_MOST_WORDS = 100
_SPELLINGS = {"cancelled": ("cancelled", "canceled"), "canceled": ("canceled", "cancelled")}


class _Reported:
    """Words that tool results or the user brought into the trace: what they told, the agent may repeat."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._first: dict[str, int] = {}
        self._sources: tuple[list[str], list[str]] | None = None

    def before(self, word: str, position: int) -> bool:
        """True where the word was told before the message; also where too many different words were asked for."""
        if word not in self._first:
            if len(self._first) >= _MOST_WORDS:
                return True
            self._first[word] = self._find(word)
        return self._first[word] < position

    def _find(self, word: str) -> int:
        if self._sources is None:
            self._sources = _lowered(self._index)
        given, said = self._sources
        first = next((position for position, source in enumerate(given) if word in source), len(given))
        for position, source in enumerate(said[:first]):
            if word in source and _is_told(word, source):
                return position
        return first


def _lowered(index: TraceIndex) -> tuple[list[str], list[str]]:
    """What tools gave and what users said, in lower case, message by message."""
    said = [message.content.lower() if message.role == "user" and message.content else "" for message in index.messages]
    return told_by_tools(index), said


def _is_told(word: str, source: str) -> bool:
    """True where the user says that it was done, or that somebody did it."""
    at = source.find(word)
    while at >= 0:
        if _TELLER.search(source, max(0, at - _TELLER_CHARS), at):
            return True
        at = source.find(word, at + 1)
    return False


def _is_reported(claim: Claim, reported: _Reported, position: int) -> bool:
    told = list(_SPELLINGS.get(claim.told, (claim.told,))) if claim.told else []
    if claim.voice == "past":
        told += _AMOUNT.findall(claim.sentence)[:_MOST_AMOUNTS]
    return any(reported.before(word, position) for word in told)


Standing = Literal["backed", "doubtful", "unbacked"]


class Judge:
    """What of a trace may speak for a claim: its calls, those of its sub-agents, what was told and what was asked."""

    def __init__(self, index: TraceIndex, ledger: Ledger) -> None:
        self._ledger = ledger
        self._below = LedgersBelow(index)
        self._asked = Asked(index)
        self._reported = _Reported(index)
        self._edits = Edits(index)
        self._retold = Retold(index, self._asked)

    def standing(self, claim: Claim, text: Text, calls: int) -> Standing:
        """``backed`` by a call, or by what it was told; ``doubtful`` where what is asked or followed may be behind it."""
        position = text.message_index
        if (
            any(
                self._ledger.backed(family, claim.noun, calls) or self._below.backed(family, claim.noun)
                for family in claim.families
            )
            or _is_reported(claim, self._reported, position)
            or self._edits.backed(claim, text.content, calls)
            or self._retold.tells(claim, position)
            or (claim.voice != "active" and self._asked.ran(claim.verb, position))
            or self._asked.recalls(claim.verb, position)
            or (claim.voice == "brief" and not self._is_asked_for(claim, position))
        ):
            return "backed"
        is_draft = self._retold.is_drafted(claim, text.content, position)
        if is_draft and self._retold.has_verb(claim, position, "write"):
            return "backed"
        follows = consequence(claim, self._ledger, self._below, calls)
        # What is told in passing, without a doer, may have come with it.
        if follows is not None and (follows.sure or claim.voice == "brief"):
            return "backed"
        is_state = claim.voice != "active" and self._asked.only_about(claim.verb, position)
        if not claim.told and not self._asked.ends_in_question(position):
            is_state = False  # what was done "successfully" is no state, but to a question it may be an answer
        may_follow = follows is not None or self._edits.may_be_meant(claim, text.content, calls)
        is_in_doubt = claim.voice == "brief" and self._is_in_doubt(claim, position)
        return "doubtful" if is_draft or is_state or may_follow or is_in_doubt else "unbacked"

    def _is_asked_for(self, claim: Claim, position: int) -> bool:
        """True where a sentence without a doer may be meant to tell the user what was done for him."""
        asked = self._asked
        return asked.for_deeds(position) and (
            asked.orders(position) or asked.speaks_of(claim.verb, claim.sentence, position)
        )

    def _is_in_doubt(self, claim: Claim, position: int) -> bool:
        """True where a sentence without a doer tells what nobody asked for, or what a result may say in other words."""
        return not self._asked.speaks_of(claim.verb, claim.sentence, position) or self._retold.has_verb(
            claim, position, "know"
        )

    def tried(self, claim: Claim, calls: int) -> bool:
        """True where a call that could have done it failed."""
        return any(
            self._ledger.tried(family, claim.noun, calls) or self._below.tried(family, claim.noun)
            for family in claim.families
        )
