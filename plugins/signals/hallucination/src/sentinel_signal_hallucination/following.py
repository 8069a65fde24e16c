"""What follows from calls that worked, though no tool's name says so: text that was edited, and what systems do besides."""

from sentinel_core.evaluate.index import Call, TraceIndex
from sentinel_signal_hallucination.claims import Claim
from sentinel_signal_hallucination.families import FAMILIES, stem
from sentinel_signal_hallucination.ledger import Ledger, LedgersBelow
from sentinel_signal_hallucination.results import failed
from sentinel_signal_hallucination.tables import regex, words
from sentinel_signal_hallucination.tools import ability

__all__ = ["CONSEQUENCES", "Consequence", "Edits", "consequence"]

_EDITING = words("update delete create")
# Things of code, too, are created, booked and cancelled; what others host is not made by an edit.
_OF_CODE = words("book cancel confirm create delete file pay save transfer update")
_HOSTED = words("branch case incident issue pr pull repo repository ticket")
# How a program behaves, after an edit: "payments are now processed in the queue", "the refund was issued twice".
_BEHAVES = regex(
    r"\b(?:twice|when(?:ever)?|because|only|once|instead|per|each|every|after|before|until|asynchronously|with (?:the|its|their)"
    r"|in (?:an? |the )?(?:\w+ )?(?:background|batch(?:es)?|job|queue|time zone|transaction))\b"
)
# What may stand in a file: to take out an entry or a comment of it needs no tool but one that writes text.
_IN_TEXT = words(
    "address comment contact entry event field index item message number permission plan record role row schedule setting "
    "status table version"
)
# "from the file", "in `app.py`", "to the config": what was done was done to a text.
_PLACE = regex(
    r"\b(?:from|in|into|inside|of|on|to|within) (?:(?!and |but |or )[\w'’-]{1,24} ){0,4}?"
    r"(?:`[^`\n]{1,80}`|[\w./-]{0,80}\w\.[a-z]\w{0,4}\b"
    r"|(?:changelog|class|code|codebase|config|configuration|document|file|function|makefile|method|module|notebook|readme"
    r"|script|section|template)s?\b)",
)
_FILE_NAME = regex(r"[\w-]{1,80}\.[a-z]\w{0,4}\b")
_MOST_NAMES = 100
_NEAR = 300
_NEVER = 1 << 62


class Edits:
    """The calls that wrote text and may have worked, with what they wrote; made when first asked for."""

    __slots__ = ("_calls", "_firsts", "_index")

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._calls: list[tuple[int, str]] | None = None
        self._firsts: dict[str, int] = {}

    def backed(self, claim: Claim, content: str, calls: int) -> bool:
        """True where the claim, of the answer ``content``, tells what one of the first ``calls`` calls may have edited."""
        if self._first("") >= calls:
            return False
        if _behaves(claim) or (claim.noun and _may_be_of_code(claim) and self._first(claim.noun) < calls):
            return True
        return _EDITING.issuperset(family.name for family in claim.families) and self._has_place(claim, content, calls)

    def may_be_meant(self, claim: Claim, content: str, calls: int) -> bool:
        """True where something was edited, and the claim may be of what the code does or holds, wherever that is."""
        if not _may_be_of_code(claim) or self._first("") >= calls:
            return False
        sentence = content[claim.begin : claim.begin + len(claim.sentence)]
        return _PLACE.search(sentence, max(0, sentence.find(claim.verb))) is None

    def _has_place(self, claim: Claim, content: str, calls: int) -> bool:
        """True where the sentence says where in a text it was done, or the arguments of an edit hold the thing."""
        sentence = content[claim.begin : claim.begin + len(claim.sentence)]
        names = _FILE_NAME.findall(sentence)
        if _PLACE.search(sentence, max(0, sentence.find(claim.verb))) is not None:
            return any(self._first(name.lower()) < calls for name in names or ("",))
        if claim.noun not in _IN_TEXT:
            return False
        # What is said of a file holds for the next sentences.
        names += _FILE_NAME.findall(content, max(0, claim.begin - _NEAR), claim.begin)
        return any(self._first(word.lower()) < calls for word in (claim.noun, *names))

    def _first(self, word: str) -> int:
        """The position of the first edit whose arguments have the word; never where too many words were asked for."""
        if self._calls is None:
            edits = (call for call in self._index.calls if ability(call.call.name).edits and not failed(call))
            self._calls = [(call.position, _arguments(call)) for call in edits]
        if word not in self._firsts:
            if len(self._firsts) >= _MOST_NAMES:
                return _NEVER
            self._firsts[word] = next((position for position, text in self._calls if word in text), _NEVER)
        return self._firsts[word]


def _behaves(claim: Claim) -> bool:
    """True where it may be told how a program behaves now, or misbehaved; what is the user's own is no part of a program."""
    is_told = claim.voice in {"brief", "now"} or (claim.voice == "past" and _may_be_of_code(claim))
    if not is_told or "your" in claim.sentence.lower():
        return False
    return _BEHAVES.search(claim.sentence, claim.sentence.find(claim.verb)) is not None


def _may_be_of_code(claim: Claim) -> bool:
    return claim.noun not in _HOSTED and _OF_CODE.issuperset(family.name for family in claim.families)


def _arguments(call: Call) -> str:
    return call.key[1].decode(errors="replace").lower()


class Consequence:
    """What a call that worked brings with it: whoever books is charged, whoever cancels has changed the order.

    The call is of one of the ``families``, all for none, or has one of the words ``tools`` in its name. Where it is not
    ``sure``, the claim stays a doubtful one. ``passive`` is for what the agent does not say that it did itself.
    """

    __slots__ = ("families", "nouns", "passive", "sure", "tools", "verbs")

    def __init__(
        self, *, verbs: str, nouns: str, families: str = "", tools: str = "", sure: bool = True, passive: bool = True
    ) -> None:
        self.verbs = words(verbs)
        self.nouns = frozenset(map(stem, words(nouns)))
        names = words(families)
        self.families = tuple(
            family for family in FAMILIES if family.strength == "effect" and (not names or family.name in names)
        )
        self.tools = tuple(sorted(words(tools))) or ("",)
        self.sure = sure
        self.passive = passive

    def fits(self, claim: Claim) -> bool:
        """True where the claim is one of the row's."""
        is_meant = claim.noun in self.nouns or (claim.voice == "brief" and not claim.noun)
        return claim.verb in self.verbs and is_meant and not (self.passive and claim.voice == "active")

    def is_backed(self, ledger: Ledger, below: LedgersBelow, calls: int) -> bool:
        """True where one of the first ``calls`` calls, or one of a sub-agent, brings it with it."""
        return any(
            ledger.backed(family, tool, calls) or below.backed(family, tool)
            for family in self.families
            for tool in self.tools
        )


CONSEQUENCES = (
    # "I've refunded the payment, and your order has been updated accordingly."
    Consequence(
        verbs="updated adjusted",
        nouns="order reservation booking account calendar record profile crm inventory schedule status stock",
    ),
    # "I've logged the call and updated the contact record."
    Consequence(verbs="updated", nouns="record crm contact", families="file create", passive=False),
    Consequence(verbs="charged debited paid", nouns="card account payment balance amount fee", families="book confirm"),
    Consequence(verbs="assigned", nouns="seat", families="book"),
    # "Fixes #12" in what was pushed closes the issue.
    Consequence(verbs="closed", nouns="issue ticket case", families="commit push merge", passive=False),
    # "I've submitted your cancellation request", after the cancellation.
    Consequence(
        verbs="submitted filed logged",
        nouns="request",
        families="file",
        tools="book cancel exchange modify pay rebook refill refund request reschedule return",
        passive=False,
    ),
    # What was submitted may be an order, and who is added to a meeting is invited.
    Consequence(verbs="placed", nouns="order", families="file", sure=False, passive=False),
    Consequence(verbs="sent", nouns="invitation invite", families="update", sure=False, passive=False),
    # Systems often send one by themselves; that this one did, nothing shows.
    Consequence(
        verbs="sent emailed e-mailed mailed notified informed",
        nouns="confirmation email e-mail notification receipt invitation invite customer team attendee participant guest applicant "
        "employee owner user buyer manager",
        families="book confirm cancel pay update file create share delete",
        sure=False,
    ),
)


def consequence(claim: Claim, ledger: Ledger, below: LedgersBelow, calls: int) -> Consequence | None:
    """The row by which the claim follows from one of the first ``calls`` calls, or from one of a sub-agent."""
    return next((row for row in CONSEQUENCES if row.fits(claim) and row.is_backed(ledger, below, calls)), None)
