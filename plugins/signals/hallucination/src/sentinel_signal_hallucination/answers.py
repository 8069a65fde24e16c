"""One grammar for "X was done": who says that which deed is done to which object, in whatever verb it is."""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import compress, count
from typing import Literal, NamedTuple

from sentinel_core.evaluate.tools import NOTHING, READING, VAGUE, WRITING, singular
from sentinel_signal_hallucination.aspects import (
    ADVERBS,
    CONDITIONS,
    MODALS,
    OTHERS,
    RELATIVE,
    SELF,
    STOPS,
    aspect_of,
    is_managed,
)  # fmt: skip
from sentinel_signal_hallucination.sentences import Sentence, plain
from sentinel_signal_hallucination.words import lemmas, word_set, words_of

__all__ = ["COMPLETE", "WORDS_ONLY", "Said", "bases", "low_of", "may_be_deed", "said"]

# To know, to think and to write an answer take no tool.
WORDS_ONLY = (READING | NOTHING | VAGUE) - word_set("open resolve convert extract") | words_of("answer_only")
Voice = Literal["own", "perfect", "state", "past", "brief"]

_BE = word_set("is are am 's 'm 're been be it's that's you're everything's i'm they're we're")
_WAS = word_set("was were got gets get went goes")
_HAVE = word_set("has have had 've i've we've it's that's")
COMPLETE = word_set(
    "done sorted finished completed complete arranged settled live gone set processed placed issued through successful success"
)
_NEEDS_BE = word_set("through live gone set")
_AFTER = word_set("for to on at and in with as from under until till successfully , - – — ; ( !")
_OPENS = word_set("the your an a it all both you this that these those them and for everything ! , :")
_GREETS = word_set(
    "great ok okay sure perfect alright yes done thanks thank good excellent wonderful congratulations hi hello and"
)
_VERBS = _BE | _WAS | _HAVE | MODALS | RELATIVE | CONDITIONS | SELF | word_set("do does did being that of by not you")
_AS_BEFORE = word_set("still already automatically always usually currently typically generally normally often")
_READS_NOW = word_set("is are reads has")
_DETERMINERS = word_set("the a an my your our this that each every only")
_NO_ADVERBS = word_set("ally bully rally belly jelly")
# These name no object.
_DULL = word_set(
    "the a an this that than these those it its my your our their his her i we you they of for to in on at by with from and or as has have had been is are "
    "was were be will successfully now just also all both fully finally already recently me us them him so any some more new per under into about which would there here then each up out i've we've it's that's you're one"
)
_BRIEF, _FARTHEST, _SHORTEST_PAST, _OBJECT, _NEAR = 8, 14, 5, 14, 3


class Said(NamedTuple):
    """``verb`` is the base form, ``at`` the place of the word that says it; ``named`` is True where the verb is one of those asked for."""

    sentence: Sentence
    at: int
    verb: str
    voice: Voice
    named: bool

    @property
    def is_deed(self) -> bool:
        """False for a verb of knowing, reading, speaking and writing the answer: that takes no call."""
        return not _is_no_deed(self.verb)

    @property
    def by_self(self) -> bool:
        """True for "I booked"."""
        return self.voice == "own"

    @property
    def plainly(self) -> bool:
        """True for "I have booked", "has been booked"."""
        return self.voice in ("own", "perfect")

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
        words = self.sentence.words
        left = (
            []
            if self.by_self
            else list(_until(_without_brackets(words[max(0, self.at - _OBJECT) : self.at]), ("and", "but", "so")))[::-1]
        )
        if not left or left[0] in ("you", "it", "everything") or set(left) <= _DULL:
            left += _until(iter(words[self.at + 1 : self.at + 1 + _OBJECT]), ("but", "so", "because"))
        return left

    @property
    def group(self) -> str:
        """The group of the verb; of one that says nothing, that of the noun."""
        table = lemmas()
        group = table.group.get(self.verb, "")
        if group == "light" or (not group and self.verb in COMPLETE):
            return next((table.noun[word] for word in sorted(self.objects) if word in table.noun), "light")
        return group


_PREPOSITIONS = word_set("and so of for to in on at by with from as about into per under over")


def _nouns(words: list[str]) -> frozenset[str]:
    return frozenset(
        singular(word) for word in words
        if word not in _DULL and word[0] != "Q" and not word[0].isdigit() and word not in lemmas().done
    )  # fmt: skip


def _without_brackets(words: list[str]) -> Iterator[str]:
    """The words from the last to the first, without what stands in brackets."""
    inside = False
    for word in reversed(words):
        inside = word == ")" or (inside and word != "(")
        if not inside and word != "(":
            yield word


def _until(words: Iterator[str], stops: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        if word in STOPS or word in stops:
            return
        yield word


@lru_cache(maxsize=4096)
def bases(word: str) -> tuple[str, ...]:
    """The verbs that a participle or past may be of: "cordoned" is of "cordon", "tried" of "try"."""
    known = lemmas().done.get(word) or lemmas().irregular.get(word)
    if known is not None:
        return (known,)
    if not word.endswith("ed") or word.endswith("eed") or len(word) < _SHORTEST_PAST:
        return ()
    stem = word[:-2]
    more = (stem[:-1],) if stem[-1:] == stem[-2:-1] else ()
    return (stem, stem + "e", *more, *((stem[:-1] + "y",) if stem.endswith("i") else ()))


@lru_cache(maxsize=4096)
def may_be_deed(form: str) -> bool:
    """False for a form of a verb of knowing, reading, speaking and writing the answer: that takes no call."""
    if form in COMPLETE or form in _IN_PHRASES or form in lemmas().noun or form in lemmas().doing:
        return True
    found = bases(form)
    return bool(found) and not _is_no_deed(_base(found))


def _is_no_deed(verb: str) -> bool:
    group = lemmas().group.get(verb)
    return group == "work" or (verb in WORDS_ONLY and verb not in COMPLETE and group != "light")


_MOST = 50_000
_IN_PHRASES = word_set("set place queue care now way did out able managed ahead")


class _Tells(dict[str, bool]):
    """Whether a word may say that a thing is done, found once for each word."""

    def __missing__(self, word: str) -> bool:
        if len(self) > _MOST:
            self.clear()
        found = self[word] = (
            bool(bases(word))
            or word in lemmas().doing
            or word in COMPLETE
            or word in _IN_PHRASES
            or word in lemmas().noun
        )
        return found


@cache
def _tells() -> _Tells:
    return _Tells()


def said(sentence: Sentence, verbs: frozenset[str]) -> Iterator[Said]:
    """What a sentence says to be done, in order; where a form may be of several verbs, one of ``verbs`` goes first."""
    if sentence.asks:
        return
    words, last, is_done = sentence.words, None, True
    for at in compress(count(), map(_tells().__getitem__, words)):
        one = _managed(sentence, at) if words[at] in ("able", "managed") else _one(sentence, words, at, verbs, last)
        if one is not None:
            joined = last is not None and one.voice == last.voice and words[_before(words, at)] in _JOINTS
            is_done = (is_done or not joined) and aspect_of(sentence, words, one.at) == "done"
            last = one
            if is_done:
                yield one


_JOINTS = word_set("and , or then")


def _managed(sentence: Sentence, at: int) -> Said | None:
    words = sentence.words
    if words[at + 1 : at + 2] != ["to"] or not words[at + 2 : at + 3] or not is_managed(words, at + 2):
        return None
    word = words[at + 2]
    return Said(sentence, at + 2, _base(bases(word) or (word,)), "own", named=False)


def _base(found: tuple[str, ...]) -> str:
    """The likeliest: one that is known."""
    return next((base for base in found if base in WRITING or base in WORDS_ONLY or base in lemmas().group), found[0])


def _one(sentence: Sentence, words: list[str], at: int, verbs: frozenset[str], last: Said | None) -> Said | None:
    word, found = words[at], bases(words[at])
    if _is_phrase(words, at):
        return Said(sentence, at, "done", "state", named=False)
    if word in lemmas().doing:
        return _playing(sentence, words, at, lemmas().doing[word])
    if not found and word not in COMPLETE:
        return None
    if not _AS_BEFORE.isdisjoint(words[max(0, at - 2) : at]):
        return None  # how things stand
    if (
        (word == "run"
        and words[at - 1 : at] in (["i"], ["we"]))
        or words[at + 1 : at + 2] in (["into"], ["through"], ["across"])
    ):
        return None
    if words[at + 1 : at + 2] == ["up"] and word in ("added", "pulled", "brought", "summed"):
        return None  # to count, and to look up
    if word == "booked" and (words[at - 1 : at] == ["fully"] or words[at + 1 : at + 2] in (["out"], ["up"], ["solid"])):
        return None  # others have booked it
    verb = next((base for base in found if base in verbs), "")
    voice = _voice(sentence, words, at, last)
    is_weak = word in _NEEDS_BE or not (word.endswith("ed") or word in lemmas().done or word in COMPLETE)
    if not voice or (is_weak and not verb and voice == "brief") or (voice in ("state", "past") and "already" in words):
        return None
    return Said(
        sentence, at, verb or lemmas().done.get(word) or (word if word in COMPLETE else _base(found)), voice, bool(verb)
    )


def _playing(sentence: Sentence, words: list[str], at: int, verb: str) -> Said | None:
    """As in "Now playing the song", "The stream is starting": what goes on was begun."""
    left = _before(words, at)
    goes_on = left < 0 or words[left] in _BE or words[left] == "started"
    return Said(sentence, at, verb, "state", named=False) if goes_on and lemmas().group[verb] == "play" else None


def _is_phrase(words: list[str], at: int) -> bool:  # noqa: PLR0911 - one test a line
    """As in "is in place", "rent's taken care of", "Yes, I did."."""
    before, word = words[max(0, at - 5) : at], words[at]
    if word in ("place", "queue"):
        return "in" in before[-2:] and not _BE.isdisjoint(before) and words[at + 1 : at + 2] != ["to"]
    if word == "set":
        return "all" in before[-2:]
    if word == "care":
        return before[-1:] == ["taken"]
    if word == "now":
        follows = "".join(words[at + 1 : at + 2])
        return before != [] and (
            not _READS_NOW.isdisjoint((before[-1], follows))
            or (follows.endswith("s") and len(follows) >= _SHORTEST_PAST - 1)
        )
    if word == "way":
        return before[-2:-1] == ["on"] and "no" not in before
    if word in lemmas().noun:
        return {"went", "ahead", "with"} <= {*before}
    if word == "did":
        return before[-1:] == ["i"] and at == len(words) - 1
    return word == "out" and before[-1:] == ["gone"]


def _before(words: list[str], at: int) -> int:
    """The place of the nearest word to the left that is no adverb; -1 at the sentence's begin."""
    at -= 1
    while at >= 0 and (
        words[at] in ADVERBS or words[at] in ("all", "both", "fully", "up", "a")
        or (words[at].endswith("lly") and words[at] not in _NO_ADVERBS)
    ):  # fmt: skip
        at -= 1
    return at


def _voice(sentence: Sentence, words: list[str], at: int, last: Said | None) -> Voice | None:  # noqa: C901, PLR0911 - one test a line
    left = _before(words, at)
    word = words[left] if left >= 0 else ""
    if word == "been":
        return "perfect"
    if word in SELF or (words[left - 1 : at] == ["ahead", "and"] and not SELF.isdisjoint(words[:left])):
        return "own"
    if word in _HAVE:
        whose = words[left - 1] if left else word
        if whose in SELF:
            return "own"
        if whose == "you":
            return "state"
        return None if whose in OTHERS or singular(whose) not in lemmas().noun else "perfect"
    if word in _BE or word.endswith(("'s", "'re")):
        return "state"
    if word in _WAS:
        return "past"
    if word in _JOINTS and words[at] in bases(words[at]):
        return None  # "to edit or run", "change and set"
    if word in _JOINTS and last is not None and last.voice != "brief" and at - last.at <= _FARTHEST:
        return last.voice
    if word == "and" and last is None and not _BE.isdisjoint(words[:left]):
        return "state"
    rest = words[at + 1] if at + 1 < len(words) else ""
    if left < 0 or word in STOPS or (word in _GREETS and left <= 1):
        opens = rest in _OPENS or rest in _AFTER or rest[:1] == "Q" or (not rest and sentence.ends)
        return "brief" if opens else None
    return "brief" if _is_headline(words, at, rest) else None


def _is_headline(words: list[str], at: int, rest: str) -> bool:
    """As in "Order placed!", "Call logged on Brightline": nouns, the participle, and how."""
    if rest == ":":  # "Tickets closed: 4" is a label
        rest = "," if words[at] in COMPLETE and not "".join(words[at + 2 : at + 3])[:1].isdigit() else rest
    begin = max((k for k in range(at) if words[k] in STOPS), default=-1) + 1
    return (
        0 < at - begin <= _BRIEF
        and _VERBS.isdisjoint(words[begin:at])
        and words[at - 1] not in _DETERMINERS
        and (rest in _AFTER or rest == "")
    )


def low_of(text: str | None) -> str:
    """The plain words of a message."""
    return plain(text or "")
