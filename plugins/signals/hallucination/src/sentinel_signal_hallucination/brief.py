"""Deeds that are told without a doer: "Cancelled the order.", "- Refund issued", "Pushed."."""

import re
from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from sentinel_signal_hallucination.families import BY_VERB, Family, stem
from sentinel_signal_hallucination.tables import regex, words

__all__ = ["BY_OTHERS", "DONE", "Deed", "brief_at", "briefs_in", "is_listed", "meant_by"]

DONE = ("✅", "✔", "☑", "🎉")
"""What marks a deed as done."""
# What may stand before the first word of a line or sentence: "- ✅ **Cancelled** your order", "2. Cancelled the order".
_MARKS = r"[ \t]*+(?:(?:[-*•+]|\d{1,2}[.)]) )?+[*_✅✔☑️🎉🚀📦🔄 ]*+"
# The first word of a sentence that begins with the deed: "Cancelled", "Paid", "Ran", "Sent", "Bought". "Run" and "Set" are orders.
_FIRST_VERB = r"[A-Z](?:[a-z-]*+(?<=[^e]ed)|a(?:id|n)|e(?:nt|-ran)|ought)(?![\w'’-])"
_AT_START = regex(f"{_MARKS}({_FIRST_VERB})")
# The first look takes whatever is no letter for such marks.
_VERB_FIRST = tuple(
    (gate, regex(rf"{re.escape(gate)}[^A-Za-z\n]{{0,12}}+({_FIRST_VERB})")) for gate in ("\n", ". ", "! ")
)
_BEGINNING = regex(rf"(?:\A|\n|[.!] ){_MARKS}\Z")
_FARTHEST = 14
# What follows a deed whose thing stands before it: "Refund issued", "Email sent to Dana".
_TAIL = r"(?=\*{0,2}(?:[.!,;:\n]|\Z|\W{1,3}[\u2300-\u2bff\U0001f300-\U0001faff—–(-]| (?:successfully|and|to|for|as|with|in|on|at)\b))"
_THING_FIRST = tuple(
    (gate, regex(rf"{gate}(?:[.!,;:\n*]|\Z| (?:\W|(?:successfully|and|to|for|as|with|in|on|at)\b))"))
    for gate in ("ed", " sent")
)
_WORD = regex(r"[A-Za-z][a-z-]*")
_TAILED = regex(rf"[a-z-]+{_TAIL}")
_THING = regex(rf"{_MARKS}(?:[^,.!?:\n]{{1,60}}, (?:and )?)?((?:[\w#@'’./-]{{1,40}}+\*{{0,2}} ){{1,6}})\Z")
_LONGEST_THING = 80
_ENDS = ("\n", ". ", "! ", "? ")
# And what follows one whose thing stands after it. "Cancelled orders: 3" is a heading.
_BRIEFLY = regex(
    r"\*{0,3}(?:[.!](?!\w)| \*{0,3}(?:(?:and|then|also|both|each|all|successfully) ){0,2}(?:(?:the|your|an?|this|that|these|those|both|all"
    r"|each|it|them|you|my|our|one|two|three|to|and|onto|into|from|for)\b"
    r"|[`#@\"]|v?\d|[A-Z]+-?\d|[\w.*]{1,40}+[@/]\S|(?:(?!(?:is|are|was|were|has|have|had|can|will|must|should)\b)[\w.'’-]{1,20}+ ){1,3}(?:[`#\d*(→]|[A-Z]+-\d|(?:to|for|from|with|into|on|and)\b)"
    r"|[\w-]{1,20}+(?: [\w-]{1,20}+){0,2}[.!,]))"
)
# Whom a message was sent to may stand there by name, as in "Emailed Dana".
_PERSONAL = words("emailed e-mailed mailed texted messaged notified alerted informed invited paid booked")
_PERSON = regex(r" [A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?(?:[.:,!]| (?:about|and|for|of|on|that|the|to|with)\b|\n|\Z)")
# Who else did it, or when: a state or a history.
_DATED = regex(
    r"\*{0,2}[:,]? ?\*{0,2}(?:(?:on|at|in|since|before) )?(?:\d{4}\b|\d{1,2}[:/]\d|\d{1,2}\.\d{1,2}\.\d{2}|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d"
    r"|\((?:day|phase|step|week) \d|yesterday|last |earlier|previously|\(?by (?!e-?mail\b|phone\b|post\b|sms\b))"
)
BY_OTHERS = regex(r"\bby (?:the|an?|its|their|your) (?!way\b)")
"""Who else did it, further on in the sentence."""
_IDENTIFIER = regex(r"#\d|\b[A-Z]{2,10}-\d|\bv?\d+\.\d+|\S@\S|→|\b[A-Z]+\d+\b|https?://")
_FINITE = words(
    "is are was were be been being am has have had having will would can could should may might must shall do does did not no never none "
    "nothing i we you he she they it who which that what why how where there if when once after before until unless while since "
    "because get gets got need needs first last already next then to "
    "by or date time amount total number count status so"
)
_ARTICLES = words("the a an your this that these those our my its their any")
# Verbs that say enough by themselves.
_CLEAR = words(
    "booked rebooked rescheduled scheduled reserved cancelled canceled unsubscribed revoked refunded reimbursed emailed e-mailed "
    "mailed texted sent pushed force-pushed committed merged squash-merged deployed redeployed reverted rolled restarted rebooted "
    "published filed submitted ordered purchased bought paid notified forwarded cherry-picked backported rotated renewed paused "
    "archived snoozed escalated scaled"
)


_ITEM = regex(r"[ \t]*(?:[-*•+]|\d{1,2}[.)]) ")
_LONGEST_LIST = 20
# What announces a list of deeds.
_OF_DEEDS = regex(
    r"\b(?:actions?|all set|changes|complete[d]?|did|do(?:ne|ing)|finished|handled|happened|here(?:['’]s| is| are)|outcome|progress|recap"
    r"|results?|so far|status|summary|taken|today|update[ds]?|what i)\b"
)


class Deed(NamedTuple):
    """A deed told without a doer. ``things`` are the words before it, empty where what it was done to follows."""

    verb: str
    end: int
    things: tuple[str, ...]


def briefs_in(spoken: str) -> list[tuple[int, Deed]]:
    """Every deed that is told so, with the place of its verb."""
    first = _AT_START.match(spoken)
    places = [] if first is None else [first.start(1)]
    for gate, look in _VERB_FIRST:
        if gate in spoken:
            places += [match.start(1) for match in look.finditer(spoken)]
    for gate, look in _THING_FIRST:
        for match in look.finditer(spoken) if gate in spoken else ():
            end = match.start() + len(gate)
            place = spoken.rfind(" ", 0, end) + 1
            # Most are in whole sentences, which the word before mostly shows: "been booked".
            if spoken[place:end] in BY_VERB:
                before = spoken[spoken.rfind(" ", 0, place - 1) + 1 : place - 1]
                if before not in _FINITE and not before.endswith("ly"):
                    places.append(place)
    return [(place, deed) for place in places if (deed := brief_at(spoken, place)) is not None]


def brief_at(text: str, place: int) -> Deed | None:
    """The deed whose verb stands at the place."""
    match = _WORD.match(text, place)
    if match is None or (place and text[place - 1].isalnum()):
        return None
    verb, end = match[0], match.end()
    if verb[0].isupper():
        return Deed(verb.lower(), end, ()) if _opens(text, place, end) else None
    if verb not in BY_VERB or text[place - 1 : place] != " ":
        return None
    things = _things_before(text, place)
    if not things or _TAILED.match(text, place) is None or _DATED.match(text, end) is not None:
        return None
    is_label = text[end : end + 3].lstrip("*").startswith(":") and any(thing.endswith("s") for thing in things)
    return None if is_label else Deed(verb, end, things)


def is_listed(text: str, place: int) -> bool:
    """True where the deed stands in a list that some line announces, and not as what was done: "Acceptance criteria:"."""
    line = text.rfind("\n", 0, place) + 1
    if _ITEM.match(text, line) is None:
        return False
    for _ in range(_LONGEST_LIST):
        end = line - 1
        if end < 0:
            return False
        line = text.rfind("\n", 0, end) + 1
        above = text[line:end].strip(" *_")
        if above and _ITEM.match(text, line) is None:
            return above.endswith(":") and _OF_DEEDS.search(above.lower()) is None
    return False


def _opens(text: str, place: int, end: int) -> bool:
    """True where a line, an item or a sentence begins with the verb, and what follows makes it a deed."""
    if _AT_START.match(text, place) is None or _BEGINNING.search(text, max(0, place - _FARTHEST), place) is None:
        return False
    if _DATED.match(text, end) is not None:
        return False
    if _BRIEFLY.match(text, end) is not None:
        return True
    return text[place:end].lower() in _PERSONAL and _PERSON.match(text, end) is not None


def _things_before(text: str, place: int) -> tuple[str, ...]:
    """The words from the beginning of the line or sentence to the place; none where they hold a verb, or another doer."""
    low = max(0, place - _LONGEST_THING)
    end = max(map(text.rfind, _ENDS, repeat(low), repeat(place)))
    if low and end < 0:
        return ()
    begin = text.find(" ", end, place) + 1 if end >= 0 and text[end] != "\n" else end + 1
    match = _THING.match(text, begin, place)
    if match is None:
        return ()
    things = tuple(match[1].replace("*", "").split())
    said = {word.lower() for word in text[begin:place].split()}
    is_sentence = not _FINITE.isdisjoint(said) or any(word.endswith(("n't", "ly")) for word in said)
    # "Find the paper submitted to it" is an order: headlines have no article but the first.
    return () if is_sentence or not _ARTICLES.isdisjoint(things[1:]) else things


def meant_by(verb: str, things: Sequence[str], written: str) -> tuple[tuple[Family, ...], str]:
    """The families that a deed may be of, and the thing; ``things`` are words beside it, as ``written``."""
    stems = [stem(word) for word in things]
    named = [(family, next((word for word in stems if word in family.objects), None)) for family in BY_VERB[verb]]
    known = tuple([family for family, noun in named if noun is not None])
    if known:
        return known, next(noun for _, noun in named if noun is not None)
    if verb in _CLEAR or _IDENTIFIER.search(written) is not None:
        return BY_VERB[verb], ""
    return (), ""
