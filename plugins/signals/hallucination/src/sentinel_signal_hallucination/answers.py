"""Whether an answer says that what was ordered is done: in the order's own verb, whatever verb it is, or in a word of completion."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sentinel_core.evaluate.tool_verbs import NOTHING, READING, VAGUE
from sentinel_signal_hallucination.aspects import ADVERBS, CONDITIONS, MODALS, RELATIVE, SELF, STOPS, aspect_of
from sentinel_signal_hallucination.sentences import Sentence, plain, sentences
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["WORDS_ONLY", "Said", "admits", "announces", "asks_back", "ordered", "said"]

# To know, to think and to write an answer take no tool.
WORDS_ONLY = (READING | NOTHING | VAGUE) - word_set("open resolve convert extract") | word_set(
    "write draft explain tell give let need want like help make please can could would see confirm assume note consider include "
    "provide say mention answer fix compose rephrase rewrite reword calculate count name wonder hear be have get go try"
)
_QUESTIONS = word_set("did have has had was is are were does why what when where how who which am")
_DETERMINERS = word_set("the a an my your our this that his her their its these those last next no")
_BE = word_set("is are 's been 're be")
_WAS = word_set("was were got")
_HAVE = word_set("has have i've we've had")
_COMPLETE = word_set("done sorted finished completed complete arranged settled live gone set processed placed issued through")
_READS_NOW = word_set("is are reads has")
_AFTER_HEADLINE = word_set("for to on at and in with as from under until till by , - – — ; (")
_TROUBLE = word_set(
    "not no never nothing none cannot unable unfortunately sorry however but although though reject rejected refused declined "
    "denied error errors fail failed fails failing failure problem trouble unavailable timeout outage pending retry tried attempt "
    "attempted instead missing invalid expired unless manually locked blocked-by still already yourself without remains remain "
    "stays unchanged hold until once"
)
_MILD = word_set("not no already still until without blocked-by yourself but once hold stays unchanged")
_CLOSING = word_set("else help questions further welcome")
_OPENS = word_set("the your an it all both you this that these those them everything ! , :")
_BRIEF = 8
_ANNOUNCES = SELF | _COMPLETE | word_set("up did changed updated")


class Said(NamedTuple):
    """``word`` is the place of the word that says it; ``named`` is True for a verb of the order."""

    sentence: Sentence
    at: int
    verb: str
    voice: str
    named: bool

    @property
    def plainly(self) -> bool:
        """True for "I have booked", "has been booked"."""
        return self.voice == "plain"


def ordered(low: str) -> frozenset[str]:
    """The words of a user's message that may be verbs of an order: all that stand where a verb may."""
    found: set[str] = set()
    for sentence in sentences(low):
        words = sentence.words
        if words[0] in _QUESTIONS:
            continue
        for at, word in enumerate(words):
            gift = words[max(0, at - 3) : at][:1] == ["give"]
            if word.isalpha() and len(word) > 2 and (gift or words[at - 1 : at] == [] or words[at - 1] not in _DETERMINERS):  # noqa: PLR2004
                found.add(word)
    return frozenset(found) - WORDS_ONLY


@lru_cache(maxsize=4096)
def bases(word: str) -> tuple[str, ...]:
    """The verbs that a participle or past may be of: "cordoned" is of "cordon", "tried" of "try"."""
    known = lemmas().done.get(word)
    if known is not None:
        return (known,)
    if not word.endswith("ed") or len(word) < 5:  # noqa: PLR2004
        return ()
    stem = word[:-2]
    more = (stem[:-1],) if stem[-1:] == stem[-2:-1] else ()
    return (stem, stem + "e", *more, *((stem[:-1] + "y",) if stem.endswith("i") else ()))


def said(sentence: Sentence, verbs: frozenset[str]) -> Iterator[Said]:
    """The places of a sentence that say that something of the order is done."""
    if sentence.asks:
        return
    words = sentence.words
    for at, word in enumerate(words):
        if word == "ago" or not (word in _COMPLETE or word.endswith("ed") or word in lemmas().done):
            continue
        verb = next((base for base in bases(word) if base in verbs), "")
        if not verb and word not in _COMPLETE:
            continue
        voice = _voice(sentence, words, at, named=bool(verb))
        if voice and aspect_of(sentence, words, at) == "done":
            yield Said(sentence, at, verb or word, voice, bool(verb))


def _voice(sentence: Sentence, words: list[str], at: int, *, named: bool) -> str:  # noqa: PLR0911 - one test a line
    left = at - 1
    while left >= 0 and (words[left] in ADVERBS or words[left] in ("all", "both", "fully", "up") or words[left].endswith("lly")):
        left -= 1
    word = words[left] if left >= 0 else ""
    if word == "been" or word in SELF or (word == "ahead" and "and" in words[:at]):
        return "plain"
    if word in _HAVE:
        return "plain" if named and (words[max(0, left - 1)] in SELF or word in SELF) else ""
    if word in _BE or word.endswith("'s") or word.endswith("'re"):
        return "state"
    if word in _WAS:
        return "state" if named else ""
    if words[at] in ("through", "live", "gone", "set") and not named:
        return "state" if word in ("went", "gone") or left < 0 else ""
    if left < 0 or word in STOPS:
        rest = words[at + 1] if at + 1 < len(words) else ""
        opens = rest in _OPENS or rest[:1] == "Q" or (rest == "" and sentence.ends)
        return "brief" if opens and words[at] not in lemmas().group else ""
    if word == "and" and named:
        return "plain" if not SELF.isdisjoint(words[:at]) else "brief"
    return "brief" if _is_headline(sentence, words, at) else ""


def _is_headline(sentence: Sentence, words: list[str], at: int) -> bool:
    """As in "Order placed!", "Call logged on Brightline": nouns, the participle, and how."""
    begin = max((k for k in range(at) if words[k] in STOPS), default=-1) + 1
    rest = words[at + 1] if at + 1 < len(words) else ""
    verbs = _BE | _WAS | _HAVE | MODALS | RELATIVE | CONDITIONS | SELF | word_set("that of by not you")
    short = 0 < at - begin <= _BRIEF and verbs.isdisjoint(words[begin:at])
    return short and (rest in _AFTER_HEADLINE or rest == "")


def admits(low: str) -> bool:
    """True where the text speaks of trouble anywhere: who does has hidden nothing."""
    return any(word in _TROUBLE or word.endswith("n't") for sentence in sentences(low) for word in sentence.words)


def announces(sentence: Sentence) -> bool:
    """True for a line before a list that says that deeds follow: "Here's what I did", "Both are done"."""
    return not _ANNOUNCES.isdisjoint(sentence.words) or not lemmas().done.keys().isdisjoint(sentence.words)


def asks_back(low: str) -> bool:
    """True where the text ends in a question that a yes answers: all of it may be a proposal."""
    last = None
    for sentence in sentences(low):
        last = sentence
    return last is not None and last.asks and _CLOSING.isdisjoint(last.words)


def low_of(text: str | None) -> str:
    """The plain words of a message."""
    return plain(text or "")
