"""Whether a statement says that a thing is done: or planned, asked, conditional, denied, earlier, somebody else's."""

from itertools import pairwise
from typing import Literal

from sentinel_signal_hallucination.sentences import Sentence
from sentinel_signal_hallucination.words import word_set

__all__ = [
    "ADVERBS",
    "CONDITIONS",
    "MODALS",
    "OTHERS",
    "REACH",
    "RELATIVE",
    "SELF",
    "STOPS",
    "Aspect",
    "aspect_of",
    "is_date",
    "is_managed",
]


Aspect = Literal["done", "planned", "asked", "conditional", "denied", "other", "earlier", "described", "read"]


ADVERBS = word_set(
    "successfully now just also all both fully finally officially automatically promptly manually already recently since "
    "then still indeed hereby immediately directly safely correctly properly both each once actually currently newly "
    "previously originally initially only even again simply"
)


_EARLIER = word_set("previously originally earlier initially")


_PAST, _SPANS = word_set("ago yesterday"), word_set("night week month year spring summer autumn winter")


SELF = word_set("i we i've we've i'm we're")


OTHERS = word_set("you you've they they've he she who customer user airline company seller merchant someone they're")


MODALS = word_set(
    "will would could should must may might can cannot can't shall i'll we'll you'll it'll they'll to let's let need needs "
    "want wants going gonna i'd we'd you'd won't"
)


_DENIALS = word_set(
    "not never no cannot unable without nothing neither nor none failed fails cannot nobody hardly unfortunately"
)


CONDITIONS = word_set(
    "if once when until unless whether assuming whenever provided upon after before while where how why should please in-case"
)


RELATIVE = word_set("that which who whom what whatever whose")


_READ = word_set(
    "understand understood hear heard sorry aware know confirmed verified see sees saw shows show shown showing indicates indicate indicating says say appears seems looks notice noticed find found according records listed"
)


STOPS = frozenset(",;:()–—-")


# Words before and after the verb: a text without a full stop is one sentence, and may have thousands of verbs.
REACH = 200


def is_managed(words: list[str], at: int) -> bool:
    """As in "I was able to book", "I managed to book", "I did book"."""
    before = [word for word in words[max(0, at - 5) : at] if word not in ADVERBS]
    return before[-3:] in (["was", "able", "to"], ["were", "able", "to"]) or before[-2:] in (
        ["managed", "to"],
        ["i", "did"],
    )


_MONTHS = word_set(
    "jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october november december"
)


def is_date(words: list[str]) -> bool:
    """As in "2 may", "june 5"."""
    return not _MONTHS.isdisjoint(words) and any(word[0].isdigit() for word in words)


def _plans(clause: list[str]) -> bool:
    """A modal near the deed; "May 17" and the "to" of "a flight to Rome" are none."""
    return "to" in clause[-2:] or any(
        word in MODALS and word != "to" and not (word == "may" and following[:1].isdigit())
        for word, following in pairwise((*clause[-6:], ""))
    )


def aspect_of(sentence: Sentence, words: list[str], at: int) -> Aspect:  # noqa: PLR0911 - one test a line
    """The aspect of the statement whose verb stands at a place: the first test that holds decides."""
    words, at = words[max(0, at - REACH) : at + REACH], min(at, REACH)
    before = words[:at]
    clause = before[
        max((k for k, word in enumerate(before) if word in STOPS or word in ("and", "but", "so")), default=-1) + 1 :
    ]
    after = words[at + 1 : at + 6]
    if sentence.asks:
        return "asked"
    if not CONDITIONS.isdisjoint(before) or ("soon", "as") in pairwise(before):
        return "conditional"
    if any(word in _DENIALS or word.endswith("n't") for word in clause) or after[:1] in (["nothing"], ["no"], ["none"]):
        return "denied"
    own = is_managed(words, at)
    if not own and (_plans(clause) or "being" in clause[-2:]):
        return "planned"
    if (
        next((word for word in after if word != ":"), "") in _MONTHS
        or not _EARLIER.isdisjoint(before)
        or not _PAST.isdisjoint(words)
        or any(pair[0] == "last" and pair[1] in _SPANS for pair in pairwise(words))
        or not _EARLIER.isdisjoint(after)
        or "had" in clause[-3:]
    ):
        return "earlier"
    if ("now", "that") in pairwise(before):
        return "earlier"
    if any(word in RELATIVE for word in clause[-5:] if word is not clause[0] or word != "that"):
        return "described"
    if not _READ.isdisjoint(clause if not SELF.isdisjoint(clause) else before):
        return "read"
    return "done"
