"""One grammar for "X was done": who says that which action is done to which object, in whatever verb it is."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from sentinel_core.evaluate.tools import WRITING, singular
from sentinel_signal_hallucination.english.lexicon import (
    COMPLETE,
    PHRASES,
    base_of,
    bases,
    is_no_action,
    lemmas,
    word_set,
)
from sentinel_signal_hallucination.english.modality import (
    ADVERBS,
    NO_NOUNS,
    OTHERS,
    REACH,
    SELF,
    STOPS,
    is_done,
    is_managed,
    unhedged,
)
from sentinel_signal_hallucination.english.sentences import Sentence, plain

__all__ = ["Statement", "low_of", "statements"]

Voice = Literal["own", "perfect", "state", "past", "brief"]

_BE = word_set("is are am 's 'm 're been be it's that's you're everything's i'm they're we're")
_WAS = word_set("was were got gets get went goes")
_HAVE = word_set("has have had 've i've we've it's that's")
_NEEDS_BE = word_set("through live gone set")
_AFTER = word_set("for to on at against and in with as from under until till successfully , - – — ; : ( !")
_OPENS = _AFTER | word_set("the your an a it all both you this that these those them everything :")
_FINITE = word_set("is are was were would will could can must should may might has have had does do did")
_CLAUSES = frozenset((*STOPS, "and", "but", "so", "because", "which", "that", "who", "if", "when", "as", "while"))
_VERBS = _BE | _WAS | _HAVE | NO_NOUNS | word_set("do does did being that of by not you")
_AS_BEFORE = word_set(
    "still already automatically always usually currently typically generally normally often fully stays remains"
)
_DETERMINERS = word_set("the a an my our your this that each every only")
_PASSED_OVER = ADVERBS | word_set("all both fully up a")
_JOINTS, _JOINING = word_set("and , or then"), word_set("and so")
_PREPOSITIONS = word_set("and so of for to in on at by with from as about into per under over")
# These name no object.
_DULL = _PREPOSITIONS | word_set(
    "the a an this that than these those it its my your our their his her i we you they or has have had been is are was were be will "
    "successfully now just also all both fully finally already recently me us them him any some more new which would there here then "
    "each up out i've we've it's that's you're one"
)
_NUMBERED = word_set("issue pr mr ticket")
_SINCE = word_set("already last")
_NO_DEED_BEFORE = {
    **dict.fromkeys(("ran", "run"), word_set("into through across")), **dict.fromkeys(("added", "brought", "summed"), word_set("up")),
    "marked": word_set("as"), "gone": word_set("through"), "returned": word_set(":"), "left": word_set("it them everything alone as untouched unchanged where out"), "booked": word_set("out up solid"),
}  # fmt: skip
_LEFT_ENDS, _RIGHT_ENDS = word_set(", ; : – — - and but so"), word_set(", ; : – — - but so because")
# Where a thing is once it was moved or switched.
_PLACES = word_set("on off at to up down in out set open closed live active")
_NONE = frozenset[str]()
_BRIEF, _OBJECT = 8, 14
_NOT = frozenset(("not", "never"))


class Statement(NamedTuple):
    """``verb`` is the base form, ``at`` the place of the word that says it; ``named`` is True where the user used the verb."""

    sentence: Sentence
    at: int
    verb: str
    voice: Voice
    named: bool = False

    @property
    def is_action(self) -> bool:
        """False for a verb of knowing, reading, speaking and writing the answer: that takes no call."""
        return not is_no_action(self.verb)

    @property
    def is_effect(self) -> bool:
        """True for a verb that changes something outside the conversation."""
        group = self.group
        return group not in ("", "work", "play") or (self.verb in WRITING and group != "play")

    @property
    def by_self(self) -> bool:
        """True for "I booked"."""
        return self.voice == "own"

    @property
    def plainly(self) -> bool:
        """True for "I have booked", "has been booked"."""
        return self.voice in ("own", "perfect")

    @property
    def near(self) -> list[str]:
        """The words of the sentence around the verb."""
        return self.sentence.words[max(0, self.at - REACH) : self.at + REACH]

    @property
    def objects(self) -> frozenset[str]:
        """The singular nouns that it is done to: to the right of an active verb, to the left of a passive one."""
        return _nouns(self._phrase())

    @property
    def head(self) -> frozenset[str]:
        """The same without what prepositions add: of "a draft of the letter" the draft."""
        phrase = self._phrase()
        end = next((at for at, word in enumerate(phrase) if word in _PREPOSITIONS and at), len(phrase))
        return _nouns(phrase[:end])

    def _phrase(self) -> list[str]:
        words: list[str] = self.sentence.words
        left: list[str] = []
        if not self.by_self:
            left = _until(words[max(0, self.at - _OBJECT) : self.at][::-1], _LEFT_ENDS)[::-1]
        if _DULL.issuperset(left):
            left += _until(words[self.at + 1 : self.at + 1 + _OBJECT], _RIGHT_ENDS)
        return left

    @property
    def group(self) -> str:
        """The group of the verb; of one that says nothing, that of the noun."""
        table = lemmas()
        group = table.group.get(self.verb, "")
        if group == "general" or (not group and self.verb in COMPLETE):
            return next((table.noun[word] for word in sorted(self.objects) if word in table.noun), "general")
        return group


def _nouns(words: list[str]) -> frozenset[str]:
    return frozenset(singular(word) for word in words if word not in _DULL and word[0] != "Q")


def _until(words: list[str], ends: frozenset[str]) -> list[str]:
    return words[: next((at for at, word in enumerate(words) if word in ends), len(words))]


@lru_cache(maxsize=50_000)
def _tells(word: str) -> bool:
    """True for a word that may say that a thing is done."""
    return word in COMPLETE or word in PHRASES or word in lemmas().doing or bool(bases(word))


def statements(sentence: Sentence) -> Iterator[Statement]:
    """What a sentence says to be done, in order."""
    if sentence.asks:
        return
    words = unhedged(sentence.words)
    if words is not sentence.words:
        sentence = sentence.of(words)
    last, was_done = None, True
    for at, word in enumerate(words):
        if _tells(word) and (one := _one(sentence, at, last)) is not None:
            is_joined = last is not None and words[at - 1] in _JOINTS  # "must be collected and confirmed"
            last, was_done = one, is_done(words, one.at) and (was_done or not is_joined)
            if was_done:
                yield one


def _one(sentence: Sentence, at: int, last: Statement | None) -> Statement | None:
    words = sentence.words
    word = words[at]
    if word in PHRASES and (one := _phrase(sentence, at)) is not None:
        return one
    if word in lemmas().doing:
        return _playing(sentence, at, lemmas().doing[word])
    if (not bases(word) and word not in COMPLETE) or _is_no_claim(words, at):
        return None
    voice = _voice(words, at, last)
    if (
        voice is None
        or (voice == "brief" and _is_weak(word))
        or (voice in ("state", "past") and not _SINCE.isdisjoint(words[max(0, at - REACH) : at + REACH]))
        or (voice == "past" and words[at + 1 : at + 2] == ["on"])
        or (
            voice == "own"
            and words[at + 1 : at + 2] == ["on"]
            and any(word[0].isdigit() for word in words[at + 2 : at + 4])
            and words[at + 2] not in _NUMBERED  # "I replied on issue 77" is no date
        )
        or (
            voice == "state" and "within" in _until(words[at + 1 : at + 1 + _OBJECT], _RIGHT_ENDS)
        )  # a rule: "Refunds are issued within 5 days"
    ):
        return None
    return Statement(sentence, at, base_of(word), voice)


def _phrase(sentence: Sentence, at: int) -> Statement | None:
    """As in "I was able to book it", "I did a search", "You are in the queue", "The refund has gone through"; not so "I went through it"."""
    words = sentence.words
    word, before = words[at], words[max(0, at - 2) : at]
    is_own = word == "through" and not SELF.isdisjoint(words[max(0, at - _BRIEF) : at])
    is_whole = before[1:] == ["i"] and words[at + 1 : at + 2] in (["was"], ["is"])  # "All I did was to look"
    if is_own or (
        word == "did" and (is_whole or _is_auxiliary(words, at) or not _NOT.isdisjoint(words[at + 1 : at + 3]))
    ):
        return None
    if word in ("able", "managed") and at + 2 < len(words) and is_managed(words, at + 2):
        return Statement(sentence, at + 2, base_of(words[at + 2]), "own")
    if (
        word == "did"
        and at
        and words[_before(words, at)] == "i"
        and words[at + 1 : at + 2] in (["a"], ["the"], ["another"])
    ):
        return Statement(sentence, at, "do", "own")
    if word == "ahead" and words[at - 1] == "went" and at > 1 and words[at - 2] in SELF:
        return Statement(sentence, at, "do", "own")
    if _shows(words, at) or not PHRASES[word].isdisjoint(before):
        return Statement(sentence, at, "done", "state")
    return None


def _is_auxiliary(words: list[str], at: int) -> bool:
    """True for "I did only write it"."""
    follows = next((word for word in words[at + 1 :] if word not in ADVERBS and word != "only"), "")
    return follows in bases(follows)


def _shows(words: list[str], at: int) -> bool:
    """As in "The cell now contains 5", "It is now open", "The lights are off now"."""
    if words[at] != "now" or not at:
        return False
    follows, before = "".join(words[at + 1 : at + 2]), words[max(0, at - _BRIEF) : at]
    if bases(follows) or before[-1] in ("right", "by", "until", "for"):
        return False
    ends = (not follows or (follows in STOPS and not before[-1][0].isdigit())) and not _PLACES.isdisjoint(before[-4:])
    return words[at - 1] in ("is", "are") or follows.endswith("s") or (ends and not _BE.isdisjoint(before))


def _is_no_claim(words: list[str], at: int) -> bool:
    """As in "still booked", "I run", "ran into", "the page I sent"."""
    before, after = words[max(0, at - 2) : at], words[at + 1 : at + 2]
    if before[1:] == ["i"] and _is_relative(words[max(0, at - 5) : at - 1]):
        return True
    if words[at] == "saved" and before[-1:] and before[-1][0].isdigit():
        return True  # "so 1,265 saved a year"
    if not _AS_BEFORE.isdisjoint(before) or not _NO_DEED_BEFORE.get(words[at], _NONE).isdisjoint(after):
        return True
    return words[at] == "run" and before[-1:] in (["i"], ["we"])


def _is_relative(left: list[str]) -> bool:
    """As in "the page I sent"; not so "On the site I booked"."""
    at = next((at for at in (len(left) - 2, len(left) - 3) if at >= 0 and left[at] == "the"), -1)
    return at >= 0 and STOPS.isdisjoint(left[at:]) and (_PREPOSITIONS - _JOINING).isdisjoint(left[max(0, at - 1) : at])


def _is_weak(word: str) -> bool:
    """True for a form that begins no headline of a action."""
    return word in _NEEDS_BE or not (word.endswith("ed") or base_of(word) in lemmas().group or word in COMPLETE)


def _playing(sentence: Sentence, at: int, verb: str) -> Statement | None:
    """As in "Now playing the song", "The stream is starting": what goes on was begun."""
    left = _before(sentence.words, at)
    goes_on = left < 0 or sentence.words[left] in _BE or sentence.words[left] == "started"
    return Statement(sentence, at, verb, "state") if goes_on and lemmas().group[verb] == "play" else None


def _before(words: list[str], at: int) -> int:
    """The place of the nearest word to the left that is no adverb; -1 at the sentence's begin."""
    at -= 1
    while at >= 0 and (words[at] in _PASSED_OVER or words[at].endswith("lly")):
        at -= 1
    return at


def _voice(words: list[str], at: int, last: Statement | None) -> Voice | None:  # noqa: PLR0911 - one test a line
    left = _before(words, at)
    word = words[left] if left >= 0 else ""
    if word == "been":
        return "perfect"
    if word in SELF:
        return "own"
    if word in _HAVE and word not in _BE:
        goes_on = lemmas().group.get(base_of(words[at])) == "play"  # "Navigation has started"
        return _voice_of(words[left - 1] if left else word) or ("state" if goes_on else None)
    if word in _BE or word.endswith("'s"):
        return "state"
    if word in _WAS:
        return "past"
    if word in _JOINTS and words[at] in bases(words[at]):
        return None  # "to edit or run", "change and set"
    if word in _JOINTS and last is not None and last.voice != "brief":
        return last.voice
    rest = words[at + 1] if at + 1 < len(words) else ""
    if left < 0 or word in STOPS:
        if words[at] in bases(words[at]):
            return None  # an order: "Put the kettle on"
        return "brief" if not rest or rest in _OPENS or rest[0] == "Q" or rest[0].isdigit() else None
    return "brief" if _is_headline(words, at, rest) else None


def _voice_of(subject: str) -> Voice | None:
    """The voice of "has booked" after its subject."""
    if subject in SELF:
        return "own"
    return None if subject in OTHERS or singular(subject) not in lemmas().noun else "perfect"


def _is_headline(words: list[str], at: int, rest: str) -> bool:
    """As in "Order placed!", "Call logged on Brightline": nouns, the participle, and how."""
    before = _until(words[max(0, at - _BRIEF) : at][::-1], STOPS)
    is_label = any(word[0].isdigit() for word in words[at + 2 : at + 4])  # "Tickets closed: 4", "Last updated: May 3"
    ends = not rest or (rest in _AFTER and not (rest == ":" and is_label))
    return (
        ends
        and before != []
        and before[0] not in OTHERS
        and _VERBS.isdisjoint(before)
        and before[0] not in _DETERMINERS
        and _FINITE.isdisjoint(_until(words[at + 1 :], _CLAUSES))  # "goods invoiced at 6,200 would be"
    )


def low_of(text: str | None) -> str:
    """The plain words of a message."""
    return plain(text or "")
