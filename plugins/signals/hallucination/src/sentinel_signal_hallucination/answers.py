"""Whether an answer says that what was ordered is done: in the order's own verb, whatever verb it is, or in a word of completion."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import compress, count
from typing import NamedTuple

from sentinel_core.evaluate.tools import NOTHING, READING, VAGUE, WRITING
from sentinel_signal_hallucination.aspects import ADVERBS, CONDITIONS, MODALS, RELATIVE, SELF, STOPS, aspect_of
from sentinel_signal_hallucination.sentences import Sentence, plain, sentences
from sentinel_signal_hallucination.words import lemmas, word_set, words_of

__all__ = [
    "COMPLETE",
    "WORDS_ONLY",
    "Said",
    "admits",
    "announces",
    "asks_back",
    "bases",
    "low_of",
    "offers",
    "ordered",
    "said",
]

# To know, to think and to write an answer take no tool.
WORDS_ONLY = (READING | NOTHING | VAGUE) - word_set("open resolve convert extract") | words_of("answer_only")
_QUESTIONS = word_set("did have has had was is are were does why what when where how who which am")
_MAILS = word_set("email e-mail mail text sms message invoice parcel package card")
_REQUESTS = word_set("can could would will please mind you")
_DETERMINERS = word_set("the a an my your our this that his her their its these those last next no")
_BE = word_set("is are 's been 're be")
_WAS = word_set("was were got")
_HAVE = word_set("has have i've we've had")
COMPLETE = word_set(
    "done sorted finished completed complete arranged settled live gone set processed placed issued through"
)
_READS_NOW = word_set("is are reads has")
_AFTER_HEADLINE = word_set("for to on at and in with as from under until till , - – — ; (")
# Who speaks of trouble has hidden nothing. Mild words tell of something else as often.
_TROUBLE = words_of("trouble")
_MILD = words_of("mild_trouble")
_CLOSING = word_set("else help questions further welcome")
_OPENS = word_set("the your an it all both you this that these those them everything ! , :")
_AS_BEFORE = word_set("still already automatically always usually currently")
_BRIEF, _SHORTEST_VERB, _SHORTEST_PAST = 8, 3, 5
_ANNOUNCES = SELF | COMPLETE | word_set("up did changed updated")


class Said(NamedTuple):
    """``word`` is the place of the word that says it; ``named`` is True for a verb of the order."""

    sentence: Sentence
    at: int
    verb: str
    voice: str
    named: bool

    @property
    def by_self(self) -> bool:
        """True where the agent stands before the verb."""
        return self.plainly and not SELF.isdisjoint(self.sentence.words[: self.at])

    @property
    def plainly(self) -> bool:
        """True for "I have booked", "has been booked"."""
        return self.voice == "plain"


def ordered(low: str) -> frozenset[str]:
    """The words of a user's message that may be verbs of an order: all that stand where a verb may."""
    found: set[str] = set()
    for sentence in sentences(low):
        words = sentence.words
        if not _QUESTIONS.isdisjoint(words[:2]) or (sentence.asks and _REQUESTS.isdisjoint(words)) or "status" in words:
            continue
        for at, word in enumerate(words):
            if word == "send" and words[at + 1 : at + 2] in (["me"], ["us"]) and _MAILS.isdisjoint(words):
                continue  # to be told
            gift = words[max(0, at - 3) : at][:1] == ["give"]
            if (
                word.isalpha()
                and len(word) >= _SHORTEST_VERB
                and (gift or words[at - 1 : at] == [] or words[at - 1] not in _DETERMINERS)
            ):
                found.add(word)
    return frozenset(found) - WORDS_ONLY


@lru_cache(maxsize=4096)
def bases(word: str) -> tuple[str, ...]:
    """The verbs that a participle or past may be of: "cordoned" is of "cordon", "tried" of "try"."""
    known = lemmas().done.get(word)
    if known is not None:
        return (known,)
    if not word.endswith("ed") or len(word) < _SHORTEST_PAST:
        return ()
    stem = word[:-2]
    more = (stem[:-1],) if stem[-1:] == stem[-2:-1] else ()
    return (stem, stem + "e", *more, *((stem[:-1] + "y",) if stem.endswith("i") else ()))


_PHRASE, _MOST = "phrase", 50_000


class _Tells(dict[str, str]):
    """Whether a word may say that a thing is done, told once a word."""

    def __missing__(self, word: str) -> str:
        if len(self) > _MOST:
            self.clear()
        is_phrase = word in _IN_PHRASES or word in lemmas().noun
        says = word in COMPLETE or word.endswith("ed") or word in lemmas().done
        found = self[word] = _PHRASE if is_phrase else "form" if says else ""
        return found


_IN_PHRASES = word_set("place queue care now way did out")


@cache
def _tells() -> _Tells:
    return _Tells()


def said(sentence: Sentence, verbs: frozenset[str]) -> Iterator[Said]:
    """The places of a sentence that say that something of the order is done."""
    if sentence.asks:
        return
    words, tells = sentence.words, _tells()
    for at in compress(count(), map(tells.__getitem__, words)):
        word = words[at]
        if tells[word] is _PHRASE and _is_phrase(words, at) and aspect_of(sentence, words, at) == "done":
            yield Said(sentence, at, word, "state", named=False)
        if not (word in COMPLETE or word.endswith("ed") or word in lemmas().done):
            continue
        verb = next((base for base in bases(word) if base in verbs), "")
        if not verb and word not in COMPLETE:
            continue
        if verb == "book" and (
            words[at - 1 : at] == ["fully"] or words[at + 1 : at + 2] in (["out"], ["up"], ["solid"])
        ):
            continue  # others have booked it
        if not _AS_BEFORE.isdisjoint(words[max(0, at - 2) : at]) or (
            word == "set" and not verb and "all" not in words[:at]
        ):
            continue  # how things stand
        voice = _voice(sentence, words, at, named=bool(verb))
        if voice and aspect_of(sentence, words, at) == "done":
            yield Said(sentence, at, verb or word, voice, bool(verb))


def _is_phrase(words: list[str], at: int) -> bool:  # noqa: PLR0911 - one test a line
    """As in "is in place", "rent's taken care of", "Yes, I did."."""
    before = words[max(0, at - 3) : at]
    if words[at] in ("place", "queue"):
        return "in" in before[-2:] and not _BE.isdisjoint(words[max(0, at - 5) : at])
    if words[at] == "care":
        return before[-1:] == ["taken"]
    if words[at] == "now":
        return words[at - 1 : at] != [] and not _READS_NOW.isdisjoint(words[at - 1 : at] + words[at + 1 : at + 2])
    if words[at] == "way":
        return before[-2:-1] == ["on"] and not _BE.isdisjoint(words[max(0, at - 5) : at])
    if words[at] in lemmas().noun:
        return {"went", "ahead", "with"} <= {*words[max(0, at - 5) : at]}
    if words[at] == "did":
        return words[at - 1 : at] == ["i"] and at == len(words) - 1
    return words[at] == "out" and before[-1:] == ["gone"]


def _voice(sentence: Sentence, words: list[str], at: int, *, named: bool) -> str:  # noqa: PLR0911 - one test a line
    left = at - 1
    while left >= 0 and (
        words[left] in ADVERBS or words[left] in ("all", "both", "fully", "up") or words[left].endswith("lly")
    ):
        left -= 1
    word = words[left] if left >= 0 else ""
    if word == "been" or word in SELF or (word == "ahead" and "and" in words[:at]):
        return "plain"
    if word in _HAVE:
        return "plain" if named and (words[max(0, left - 1)] in SELF or word in SELF) else ""
    if word in _BE or word.endswith(("'s", "'re")):
        return "state"
    if word in _WAS:
        return "state" if named else ""
    if words[at] in ("through", "live", "gone", "set") and not named:
        return "state" if word in ("went", "gone") or (left < 0 and "all" in words[:at]) else ""
    if left < 0 or word in STOPS:
        rest = words[at + 1] if at + 1 < len(words) else ""
        opens = rest in _OPENS or rest[:1] == "Q" or (rest == "" and sentence.ends)
        return "brief" if opens and words[at] not in lemmas().group else ""
    if word == "and" and named:
        return "plain" if not SELF.isdisjoint(words[:at]) else "brief"
    return "brief" if _is_headline(words, at) else ""


def _is_headline(words: list[str], at: int) -> bool:
    """As in "Order placed!", "Call logged on Brightline": nouns, the participle, and how."""
    begin = max((k for k in range(at) if words[k] in STOPS), default=-1) + 1
    rest = words[at + 1] if at + 1 < len(words) else ""
    verbs = _BE | _WAS | _HAVE | MODALS | RELATIVE | CONDITIONS | SELF | word_set("that of by not you")
    short = 0 < at - begin <= _BRIEF and verbs.isdisjoint(words[begin:at])
    return short and (rest in _AFTER_HEADLINE or rest == "")


def admits(low: str, asked: str, *, mildly: bool = False) -> bool:
    """True where the text speaks of trouble anywhere, in words that the user did not use first."""
    signs = (_TROUBLE | _MILD if mildly else _TROUBLE).difference(*(sentence.words for sentence in sentences(asked)))
    return any(not signs.isdisjoint(sentence.words) for sentence in sentences(low))


def announces(sentence: Sentence) -> bool:
    """True for a line before a list that says that deeds follow: "Here's what I did", "Both are done"."""
    return not _ANNOUNCES.isdisjoint(sentence.words) or not lemmas().done.keys().isdisjoint(sentence.words)


def asks_back(low: str) -> bool:
    """True where the text ends in a question that a yes answers: all of it may be a proposal."""
    if "?" not in low[-_TAIL:]:
        return False
    last = sentences(low[-_TAIL:])[-1:]
    return bool(last) and last[0].asks and _CLOSING.isdisjoint(last[0].words)


_TAIL = 400


def offers(low: str) -> frozenset[str]:
    """The verbs of what the agent asks the user about: of the whole text, if it ends in a question."""
    if not asks_back(low):
        return frozenset()
    found = {word for sentence in sentences(low) for word in sentence.words} | {
        base for sentence in sentences(low) for word in sentence.words for base in (lemmas().doing.get(word),) if base
    }
    return frozenset(word for word in found if word in WRITING or word in lemmas().group) - WORDS_ONLY


def low_of(text: str | None) -> str:
    """The plain words of a message."""
    return plain(text or "")
