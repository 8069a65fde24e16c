"""The shapes of a claim, as tables. Each expression begins with a literal, which is what makes its search cheap."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from sentinel_signal_hallucination.tables import either, regex, words

__all__ = [
    "ADVERBS",
    "AUXILIARY",
    "CHAINED",
    "CLAIMS",
    "HEDGE",
    "IDIOMS",
    "IRREGULAR",
    "NO_DEED",
    "SOURCES",
    "STARS",
    "TEXT_WORK",
    "TEXT_WORK_PHRASES",
    "TURN",
    "VETO_RIGHT",
    "VETO_WORDS",
    "ClaimShape",
    "SourceClaim",
    "Voice",
    "is_past",
]

Voice = Literal["active", "brief", "perfect", "now", "past"]

# A word is taken whole or not at all: to give back letter by letter is what a search would spend its time on.
_ADVERBS = ("just", "now", "already", "also", "then", "both", "all", "each", "finally", "been able to")
# Markdown's stars may stand around each: "I've **just cancelled** it".
STARS = r"\*{0,3}"
ADVERBS = rf"{STARS}(?:(?:{either((*_ADVERBS, 'gone ahead and', 'went ahead and'))}|[a-z]{{4,17}}+(?<=ly)){STARS} {STARS}){{0,3}}"


class ClaimShape:
    """One way to say that something is done. ``before`` counts the characters before what a look finds; group 1 is the verb."""

    __slots__ = ("before", "pattern", "voice")

    def __init__(self, voice: Voice, before: int, pattern: str) -> None:
        self.voice = voice
        self.before = before
        self.pattern = regex(pattern)

    def matches(self, text: str, openings: Iterable[int]) -> Iterator[re.Match[str]]:
        """Every match at one of the openings."""
        for opening in openings:
            match = self.pattern.match(text, opening - self.before) if opening >= self.before else None
            if match is not None:
                yield match


_VERB = rf"([a-z-]+)\b{STARS}"
CLAIMS: tuple[ClaimShape, ...] = (
    ClaimShape("active", 0, rf"I(?:['’]ve| have)? {ADVERBS}{_VERB}"),
    ClaimShape("active", 0, rf"We(?:['’]ve| have)? {ADVERBS}{_VERB}"),
    ClaimShape("active", 1, rf" we(?:['’]ve| have)? {ADVERBS}{_VERB}"),
    ClaimShape("active", 0, rf"uccessfully{STARS} {STARS}{_VERB}"),
    ClaimShape("perfect", 1, rf" been {ADVERBS}{_VERB}"),
    ClaimShape("now", 3, rf" now {ADVERBS}{_VERB}"),
    ClaimShape("past", 1, rf" was {ADVERBS}{_VERB}"),
    ClaimShape("past", 1, rf" were {ADVERBS}{_VERB}"),
)


class SourceClaim:
    """One way to lean on what a tool is said to have given. ``family`` names the tools that could have given it.

    ``told`` is a word that no claim is made with where a result or the user brought it up; empty for none.
    """

    __slots__ = ("family", "gate", "pattern", "told")

    def __init__(self, family: Literal["search", "run"], gate: str, pattern: str, told: str = "") -> None:
        self.family = family
        self.gate = gate
        self.pattern = regex(pattern)
        self.told = told


SOURCES: tuple[SourceClaim, ...] = (
    SourceClaim(
        "search",
        "earch",
        r"earch(?<!esearch) results? (?:show|say|state|indicate|suggest|reveal|confirm|mention|list|return|point|provide)(?:s|d|ed)?\b"
        r"|earch(?<!esearch)(?:es)? (?:returned|turned up|showed|revealed|yielded)\b",
    ),
    SourceClaim(
        "search",
        "ccording",
        r"ccording to the (?:web |internet |online |latest )?(?:search|query|lookup|database|api|API|tool)(?: \w{1,20})? "
        r"(?:results?|output|response)\b",
    ),
    SourceClaim("search", "ased on my", r"ased on my (?:\w{2,12} )?(?:search(?:es)?|lookup|query)\b"),
    SourceClaim(
        "search",
        "returned",
        r"\b(?:API|api|database|tool|query|lookup|endpoint)(?: call| query| search)? returned\b",
    ),
    SourceClaim(
        "run",
        "ests ",
        r"ests (?:(?:all|now|have|both|are|is) ){0,3}(?:pass|passed|passing|succeed|succeeded|green)\b",
        told="pass",
    ),
)

# What stands before a claim and takes its force: plans, conditions, negations, hearsay, other people's deeds.
VETO_WORDS = words(
    "if once soon when whenever after until till unless before whether assume assumes assuming suppose supposing imagine "
    "hypothetically provided example e.g ensure ensuring ensures verify double-check "
    "should would could will can may might must shall i'll we'll you'll it'll they'll i'd we'd you'd they'd "
    "hope hoping wish want wants need needs please let let's going "
    "not never no nor neither nothing none nobody cannot unable fail fails failed failing without rather instead "
    "unfortunately sorry apologize apologise apologies regret understand understood "
    "see sees saw notice noticed noticing noted appear appears appeared seem seems seemed look looks "
    "show shows showed shown showing indicate indicates indicated indicating say says said state states stated "
    "mention mentions mentioned mentioning claim claims claimed tell told according because since "
    "why how what which who whose where that pretend pretending draft template "
    "think thought believe believes expect expected wonder wondering you've you you'd user user's"
)
# What stands after it: another doer, a date (a fact that was looked up), or text that is itself the work.
VETO_RIGHT = regex(
    r"\W{0,3}(?:by (?!me\b|us\b|\d|an? |e-?mail\b|phone\b|post\b|sms\b)|on (?:\d|the \d|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|\w+day)"
    r"|in (?:\d{3,4}|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|at \d|yesterday|last \w|previously|earlier|before"
    # Not "a moment ago": so an agent speaks of what it did itself.
    r"|this (?:morning|week|month|year)\b|(?:[\w-]{1,20} ){0,3}(?:hours?|days?|weeks?|months?|years?|time|while|long) ago\b"
    r"|within the|more than|less than|over \d|incorrectly|yet\b|or not|or \w+ed\b)"
)
# What makes a number no statement of what a tool gave: rough figures, limits, other times.
HEDGE = regex(
    r"\b(?:about|around|approximately|approx|roughly|nearly|almost|over|under|above|below|more than|less than|fewer than|at least"
    r"|at most|up to|only|threshold|limit|target|goal|previous\w*|last|earlier|baseline|expected|per|each|every|average)\b|[~<>≈≤≥±]",
    re.IGNORECASE,
)

# The auxiliary before "been" and "now", with nothing like "not" in between.
AUXILIARY = {
    "perfect": regex(
        r"(?<!to )(?:\b(?:has|have)|['’]s)(?: (?:now|just|already|also|since|both|all|each|[a-z]{2,15}ly)){0,2}$"
    ),
    "now": regex(r"(?:\b(?:is|are)|['’]s)$"),
}
# After these the sentence starts anew: what was negated or supposed before holds no longer.
TURN = regex(r", (?:but|so|however|and) | but |; ", re.IGNORECASE)
# Further verbs of the same doer: "I checked the log and filed a report".
CHAINED = regex(r"(?:,(?:| and| then| and then)| (?:and|then|and then)) (?:then |also |successfully )?([a-z-]{3,})\b")
# The work is the text itself: the agent needs no tool for it.
TEXT_WORK = words("below above here mentally")
TEXT_WORK_PHRASES = (
    "as follows",
    "in my head",
    "in this answer",
    "in this response",
    "in this message",
    "in my answer",
)
# Verbs of effects in another sense, by what follows them: what was sorted, looked into or found to be so.
_WORDS = r"(?: (?!(?:and|but|so|as|with|which|who{}) )[\w#'’-]{{1,24}}+){{{}}}?"
_SORTED = regex(
    r"(?! (?:\w{1,12} ){0,2}orders?\b)"
    + _WORDS.format("", "0,9")
    + r" (?:by (?:\w{1,12} )?(?:date|day|time|name|price|cost|fare|total|amount|size|rating|score|length|duration|distance"
    r"|importance|priority|relevance|category|type|status|year|age)\b"
    r"|from (?:the )?(?:[a-z]{2,12}est|most|least|high|low|large|small|old|new) (?:\w{1,20} ){0,2}to\b|(?:chrono|alphabet)[a-z]{4,8}ly\b"
    r"|at the (?:top|bottom|(?:start|end)(?! of))\b|(?:first|last)(?=[.,;:!]|$))"
)
_REVIEWED = regex(
    _WORDS.format("|for|of|by|after|following", "0,4")
    + r" (?:review|analysis|check|audit|assessment|comparison|search|lookup|investigation"
    r"|evaluation|verification|reviewing|analy[sz]ing|checking|comparing)\b(?!-)"
)
_FOUND_SO = regex(
    _WORDS.format("|for|on|at|in|to|by|under|using|from", "0,5")
    + r" (?:details?|status|number(?! [A-Z\d#])|dates?|times?|amount|information|history|total|price|eligibility)\b"
    rf"|{_WORDS.format('', '1,8')} (?:is|are|was|were|has|have|went|(?:\w+ )?(?:accepts|calls|fails|passes|rejects|returns|sends"
    r"|throws|uses|works|still \w+s))\b"
)
IDIOMS = {
    # Back to what was there before, or out to where it runs.
    "rolled": regex(r"(?! (?:\w+ ){0,3}(?:back|out)\b)"),
    "scaled": _FOUND_SO,
    "shared": regex(r"(?: \w+)? (?:my|some|above|below|here|with you)\b"),
    "ran": regex(r" (?:into|through|across|over|out|up|low|late)\b"),
    "placed": _SORTED,
    "ordered": _SORTED,
    "arranged": _SORTED,
    "completed": _REVIEWED,
    "finalized": _REVIEWED,
    "finalised": _REVIEWED,
    "confirmed": _FOUND_SO,
    # A file, whose name may be code, of which nothing but blanks is left.
    "opened": regex(
        r" {3}| (?:the |this |up )?(?:\w{1,12} )?(?:browser|code|config|editor|file|log|module|page|script|source)s?\b"
    ),
}
# "I run the tests" is a habit, "I've run the tests" a deed.
NO_DEED = regex(r"(?:I|We| we) (?:\w+ly )*\**(?:run|rerun|re-run|set|reset)\b")

IRREGULAR = words("found got went took made wrote read did had saw gave put ran left built")


def is_past(word: str) -> bool:
    """True for a word that may be a past form, so that a chain of deeds may follow it."""
    return word in IRREGULAR or (word.endswith("ed") and not word.endswith("eed"))
