"""One grammar for "X was done": who says that which deed is done to which object, in whatever verb it is."""

from collections.abc import Iterator
from functools import cache
from itertools import compress, count
from typing import Literal, NamedTuple

from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.aspects import (
    ADVERBS,
    CONDITIONS,
    MODALS,
    OTHERS,
    REACH,
    RELATIVE,
    SELF,
    STOPS,
    aspect_of,
    is_date,
    is_managed,
)  # fmt: skip
from sentinel_signal_hallucination.sentences import Sentence, plain
from sentinel_signal_hallucination.words import COMPLETE, IN_PHRASES, base_of, bases, is_no_deed, lemmas, word_set

__all__ = ["Said", "low_of", "said"]

Voice = Literal["own", "perfect", "state", "past", "brief"]

_BE = word_set("is are am 's 'm 're been be it's that's you're everything's i'm they're we're")
_WAS = word_set("was were got gets get went goes")
_HAVE = word_set("has have had 've i've we've it's that's")
_NEEDS_BE = word_set("through live gone set")
_AFTER = word_set("for to on at and in with as from under until till successfully , - – — ; ( !")
_OPENS = _AFTER | word_set("the your an a it all both you this that these those them everything :")
_GREETS = word_set(
    "great ok okay sure perfect alright yes done thanks thank good excellent wonderful congratulations hi hello and"
)
_VERBS = _BE | _WAS | _HAVE | MODALS | RELATIVE | CONDITIONS | SELF | word_set("do does did being that of by not you")
_AS_BEFORE = word_set("still already automatically always usually currently typically generally normally often")
_READS_NOW = word_set("is are reads has")
_DETERMINERS = word_set("the a an my our your this that each every only")
_NO_ADVERBS = word_set("ally bully rally belly jelly")
_JOINTS = word_set("and , or then")
_PREPOSITIONS = word_set("and so of for to in on at by with from as about into per under over")
# These name no object.
_DULL = _PREPOSITIONS | word_set(
    "the a an this that than these those it its my your our their his her i we you they or has have had been is are was were be will "
    "successfully now just also all both fully finally already recently me us them him any some more new which would there here then "
    "each up out i've we've it's that's you're one"
)
_NO_DEED_BEFORE = {
    "run": ("into", "through", "across"), "booked": ("out", "up", "solid"),
    **dict.fromkeys(("added", "pulled", "brought", "summed"), ("up",)),
}  # fmt: skip
_BRIEF, _FARTHEST, _OBJECT, _PHRASE, _SHORTEST_VERB = 8, 14, 14, 5, 4


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
        return not is_no_deed(self.verb)

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
        words, left = self.sentence.words, list[str]()
        if not self.by_self:
            before = _without_brackets(words[max(0, self.at - _OBJECT) : self.at])
            left = list(_until(before, ("and", "but", "so")))[::-1]
        if not left or left[0] in ("you", "it", "everything") or set(left) <= _DULL:
            left += _until(words[self.at + 1 : self.at + 1 + _OBJECT], ("but", "so", "because"))
        return left

    @property
    def group(self) -> str:
        """The group of the verb; of one that says nothing, that of the noun."""
        table = lemmas()
        group = table.group.get(self.verb, "")
        if group == "light" or (not group and self.verb in COMPLETE):
            return next((table.noun[word] for word in sorted(self.objects) if word in table.noun), "light")
        return group


def _nouns(words: list[str]) -> frozenset[str]:
    done = lemmas().done
    return frozenset(
        singular(word)
        for word in words
        if word not in _DULL and word[0] != "Q" and not word[0].isdigit() and word not in done
    )


def _without_brackets(words: list[str]) -> Iterator[str]:
    """The words from the last to the first, without what stands in brackets."""
    inside = False
    for word in reversed(words):
        inside = word == ")" or (inside and word != "(")
        if not inside and word != "(":
            yield word


def _until(words: Iterator[str] | list[str], stops: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        if word in STOPS or word in stops:
            return
        yield word


_MOST = 50_000


class _Tells(dict[str, bool]):
    """Whether a word may say that a thing is done, found once for each word."""

    def __missing__(self, word: str) -> bool:
        if len(self) > _MOST:
            self.clear()
        table = lemmas()
        is_one = word in COMPLETE or word in IN_PHRASES or word in table.doing or word in table.noun
        found = self[word] = is_one or bool(bases(word))
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
        one = _managed(sentence, at) if words[at] in ("able", "managed") else _one(sentence, at, verbs, last)
        if one is not None:
            joined = last is not None and one.voice == last.voice and words[_before(words, at)] in _JOINTS
            is_done = (is_done or not joined) and aspect_of(sentence, words, one.at) == "done"
            last = one
            if is_done:
                yield one


def _managed(sentence: Sentence, at: int) -> Said | None:
    """As in "I was able to book"."""
    words = sentence.words
    if words[at + 1 : at + 2] != ["to"] or not words[at + 2 : at + 3] or not is_managed(words, at + 2):
        return None
    return Said(sentence, at + 2, base_of(words[at + 2]), "own", named=False)


def _one(sentence: Sentence, at: int, verbs: frozenset[str], last: Said | None) -> Said | None:
    words = sentence.words
    word, found = words[at], bases(words[at])
    if _is_phrase(words, at):
        return Said(sentence, at, "done", "state", named=False)
    if word in lemmas().doing:
        return _playing(sentence, at, lemmas().doing[word])
    if (not found and word not in COMPLETE) or _is_no_claim(words, at):
        return None
    verb = next((base for base in found if base in verbs), "")
    voice = _voice(sentence, words, at, last)
    if voice is None or (voice == "brief" and not verb and _is_weak(word)) or (voice == "own" and word == "gone"):
        return None
    if (voice in ("state", "past") and "already" in words) or (
        voice == "past" and words[at + 1 : at + 2] == ["on"] and is_date(words[at + 2 : at + 4])
    ):
        return None  # how things stand, and since when
    return Said(sentence, at, verb or base_of(word), voice, bool(verb))


def _is_no_claim(words: list[str], at: int) -> bool:
    """As in "still booked", "fully booked", "I run", "ran into"."""
    word, before = words[at], words[max(0, at - 2) : at]
    if not _AS_BEFORE.isdisjoint(before) or "".join(words[at + 1 : at + 2]) in _NO_DEED_BEFORE.get(
        base_of(word), _NO_DEED_BEFORE.get(word, ())
    ):
        return True
    return (word == "booked" and before[-1:] == ["fully"]) or (word == "run" and before[-1:] in (["i"], ["we"]))


def _is_weak(word: str) -> bool:
    """True for a form that begins no headline of a deed."""
    return word in _NEEDS_BE or not (word.endswith("ed") or word in lemmas().done or word in COMPLETE)


def _playing(sentence: Sentence, at: int, verb: str) -> Said | None:
    """As in "Now playing the song", "The stream is starting": what goes on was begun."""
    left = _before(sentence.words, at)
    goes_on = left < 0 or sentence.words[left] in _BE or sentence.words[left] == "started"
    return Said(sentence, at, verb, "state", named=False) if goes_on and lemmas().group[verb] == "play" else None


def _is_phrase(words: list[str], at: int) -> bool:  # noqa: PLR0911 - one test a line
    """As in "is in place", "rent's taken care of", "Yes, I did."."""
    before, word, after = words[max(0, at - _PHRASE) : at], words[at], "".join(words[at + 1 : at + 2])
    if word in ("place", "queue"):
        return "in" in before[-2:] and not _BE.isdisjoint(before) and after != "to"
    if word == "set":
        return "all" in before[-2:]
    if word == "care":
        return before[-1:] == ["taken"]
    if word == "now":
        tells = after.endswith("s") and len(after) >= _SHORTEST_VERB
        return before != [] and (tells or not _READS_NOW.isdisjoint((before[-1], after)))
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
        words[at] in ADVERBS
        or words[at] in ("all", "both", "fully", "up", "a")
        or (words[at].endswith("lly") and words[at] not in _NO_ADVERBS)
    ):
        at -= 1
    return at


def _voice(sentence: Sentence, words: list[str], at: int, last: Said | None) -> Voice | None:  # noqa: PLR0911 - one test a line
    left = _before(words, at)
    word = words[left] if left >= 0 else ""
    if word == "been":
        return "perfect"
    if word in SELF or (words[left - 1 : at] == ["ahead", "and"] and not SELF.isdisjoint(words[:left])):
        return "own"
    if word in _HAVE:
        return _voice_of(words[left - 1] if left else word)
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
        is_end = not rest and sentence.ends
        return "brief" if is_end or rest in _OPENS or (word != ":" and _is_name(rest)) or rest[:1] == "Q" else None
    return "brief" if _is_headline(words, at, rest) else None


def _is_name(word: str) -> bool:
    """True for what an identifier begins with, as in "Voided GC-12"."""
    return word[-1:] == "-" or any(map(str.isdigit, word))


def _voice_of(subject: str) -> Voice | None:
    """The voice of "has booked" after its subject."""
    if subject in SELF:
        return "own"
    if subject == "you":
        return "state"
    return None if subject in OTHERS or singular(subject) not in lemmas().noun else "perfect"


def _is_headline(words: list[str], at: int, rest: str) -> bool:
    """As in "Order placed!", "Call logged on Brightline": nouns, the participle, and how; "Tickets closed: 4" is a label."""
    begin = max((k for k in range(at) if words[k] in STOPS), default=-1) + 1
    if rest == ":":
        ends = words[at] in COMPLETE and not "".join(words[at + 2 : at + 3])[:1].isdigit()
    else:
        ends = rest in _AFTER or rest == ""
    return (
        ends and 0 < at - begin <= _BRIEF and _VERBS.isdisjoint(words[begin:at]) and words[at - 1] not in _DETERMINERS
    )


def low_of(text: str | None) -> str:
    """The plain words of a message."""
    return plain(text or "")
