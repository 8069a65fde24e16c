"""One grammar for "X was done": who did what to which object, and whether it is done, planned, asked, denied or earlier."""

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
    RELATIVE,
    SELF,
    STOPS,
    Aspect,
    aspect_of,
    is_managed,
)
from sentinel_signal_hallucination.objects import objects_of
from sentinel_signal_hallucination.sentences import Sentence
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Statement", "Voice", "statements"]

Voice = Literal["active", "perfect", "state", "past", "brief", "doing", "ready"]

_BE = word_set("is are am 're it's that's you're everything's i'm they're we're he's she's here's")
_WAS = word_set("was were got gets get")
_HAVE = word_set("has have i've we've it's that's")
# Adjectives that say that a thing is done.
_READY = word_set("successful success complete set done confirmed ready completed finished")
_INTERJECTIONS = word_set(
    "great ok okay sure perfect alright yes done thanks thank good excellent wonderful congrats congratulations hi hello excellent and"
)
_FARTHEST, _LONGEST_BRIEF, _NEAR = 12, 7, 3


class Statement(NamedTuple):
    """``group`` is the deed's group of lemmas, ``objects`` the singular nouns it is done to; ``start`` and ``end`` frame the sentence."""

    verb: str
    group: str
    voice: Voice
    aspect: Aspect
    objects: frozenset[str]
    start: int
    end: int
    at: int
    by_self: bool
    sure: bool


@cache
def _telling() -> frozenset[str]:
    return lemmas().all_forms | lemmas().group.keys() | _READY


def statements(sentence: Sentence) -> Iterator[Statement]:  # noqa: C901 - one branch a kind of word
    """The statements of one sentence, in order, whatever their aspect."""
    words = sentence.words
    table = lemmas()
    last: Statement | None = None
    for at in compress(count(), map(_telling().__contains__, words)):
        word, found = words[at], None
        if word == "set" and "all" in words[max(0, at - 2) : at]:
            found = _ready(sentence, words, at)
        elif word in table.done:
            found = _finished(sentence, words, at, table.done[word], last)
        elif word in table.doing:
            found = _going_on(sentence, words, at, table.doing[word])
        elif word in table.group and is_managed(words, at):
            found = _made(sentence, words, at, word, "active")
        elif word in _READY:
            found = _ready(sentence, words, at)
        elif word in ("way", "headed", "underway") and _is_on_its_way(words, at):
            found = _made(sentence, words, at, word, "ready", subject=max(_before(words, at - 2), 0))
        elif word == "enjoy" and (at == 0 or words[at - 1] in ("you", "please", ".", "and")):
            found = _made(sentence, words, at, "play", "doing", subject=at)
        elif word in ("have", "got", "you've") and words[max(0, at - 1) : at + 1][0] in ("you", "you've", "i", "i've"):
            found = _having(sentence, words, at)
        if found is not None:
            last = found
            yield found


def _before(words: list[str], at: int) -> int:
    """The place of the nearest word to the left that is no adverb; -1 at the sentence's begin."""
    at -= 1
    while at >= 0 and (words[at] in ADVERBS or (words[at].endswith("lly") and words[at] not in _NO_ADVERBS)):
        at -= 1
    return at


_NO_ADVERBS = word_set("ally bully rally belly jelly")


def _finished(sentence: Sentence, words: list[str], at: int, verb: str, last: Statement | None) -> Statement | None:  # noqa: C901, PLR0911 - one test a line
    left = _before(words, at)
    word = words[left] if left >= 0 else ""
    following = words[at + 1] if at + 1 < len(words) else ""
    if (words[at] == "run" and word in ("i", "we")) or (
        verb == "run" and following in ("into", "through", "out", "across")
    ):
        return None
    if word == "been":
        aux = _before(words, left)
        auxiliary = words[aux] if aux >= 0 else ""
        if auxiliary not in _HAVE:
            return None
        return _made(sentence, words, at, verb, "perfect", subject=aux)
    if word in _BE:
        return _made(sentence, words, at, verb, "ready" if verb == "set" else "state", subject=left)
    if word in _WAS:
        return _made(sentence, words, at, verb, "past", subject=left)
    if word in _HAVE:
        whose = words[left - 1] if left else word
        own = word in SELF or whose in SELF
        if whose == "you":
            return _made(sentence, words, at, verb, "state")
        if not own and lemmas().group[verb] == "play" and whose not in OTHERS:
            return _made(sentence, words, at, verb, "doing", subject=left)
        if not own and (whose in OTHERS or lemmas().noun.get(singular(whose)) is None):
            return None
        return _made(sentence, words, at, verb, "active" if own else "perfect", subject=left)
    if word in SELF or (
        word in ("ahead", "and") and "ahead" in words[max(0, left - 1) : left + 1] and not SELF.isdisjoint(words[:left])
    ):
        return _made(sentence, words, at, verb, "active")
    if (
        word in ("and", ",", "or")
        and last is not None
        and last.voice != "brief"
        and at - _token_index(sentence, last) <= _FARTHEST
    ):
        return _made(sentence, words, at, verb, last.voice)._replace(
            aspect=last.aspect if last.aspect != "done" else aspect_of(sentence, words, at)
        )
    return _brief(sentence, words, at, verb, left)


def _token_index(sentence: Sentence, statement: Statement) -> int:
    return next((k for k in range(len(sentence.words)) if sentence.place(k) == statement.at), 0)


def _brief(sentence: Sentence, words: list[str], at: int, verb: str, left: int) -> Statement | None:
    """A headline without an auxiliary: "Booked!", "Booking confirmed", "You have tickets reserved"."""
    rest = words[at + 1] if at + 1 < len(words) else ""
    if left < 0 or (words[left] in STOPS and left < _NEAR) or (words[left] in _INTERJECTIONS and left <= 1):
        opens = rest in _OPENING or rest[:1] == "Q" or (not rest and sentence.ends)
        return _made(sentence, words, at, verb, "brief", subject=at) if opens else None
    if sentence.is_item or words[0] == "#":
        return None
    begin = max((k for k in range(left) if words[k] in STOPS), default=-1) + 1
    subject = words[begin : left + 1]
    if begin > 0 and words[begin - 1] not in STOPS:
        return None
    ends = rest in ("", "for", "to", "on", "at", ",", "and", "!", "-", "with", "successfully", "in", ";", "–", "—")
    # A verb inside makes it a clause of its own, but for "you have".
    if 0 < len(subject) <= _LONGEST_BRIEF and ends and _VERBS.isdisjoint(subject):
        return _made(sentence, words, at, verb, "brief", subject=left + 1)
    return None


_OPENING = word_set("the your a an it all both you this that these those them and for everything")
_VERBS = _BE | _WAS | MODALS | SELF | RELATIVE | CONDITIONS | word_set("be been has had do does did by being not of")


def _going_on(sentence: Sentence, words: list[str], at: int, verb: str) -> Statement | None:
    left = _before(words, at)
    if lemmas().group[verb] != "play" or not (at == 0 or left < 0 or words[left] in _BE):
        return None
    if at == 0 and words[1:2] not in ([], ["now"], ["it"], ["the"], ["your"], ["movie"], ["song"]):
        return None
    return _made(sentence, words, at, verb, "doing", subject=left)


def _ready(sentence: Sentence, words: list[str], at: int) -> Statement | None:
    left = _before(words, at)
    while left >= 0 and words[left] in ("a", "all"):
        left = _before(words, left)
    word = words[left] if left >= 0 else ""
    if words[at] in ("set", "ready") and "all" not in words[max(0, at - 2) : at] and words[at] != "ready":
        return None
    short = sentence.ends and words[at] == "successful" and 0 < at <= _NEAR and at == len(words) - 1
    if word in _BE | _WAS | {"be", "been"} or left < 0 or short:
        return _made(sentence, words, at, words[at], "ready", subject=max(left, 0))
    return None


def _is_on_its_way(words: list[str], at: int) -> bool:
    if words[at] == "way":
        return words[at - 2 : at - 1] == ["on"] and words[at - 1 : at] != ["no"]
    return words[_before(words, at)] in _BE


_DETERMINED = ([["your"], ["that"], ["the"]], [["a"], ["an"], ["your"], ["the"], ["that"]])


def _having(sentence: Sentence, words: list[str], at: int) -> Statement | None:
    """As in "You have a reservation": what only such a deed brings about."""
    nouns = lemmas().noun.keys() | lemmas().kept
    yours = words[max(0, at - 1)].startswith("you")
    if words[at + 1 : at + 2][0:1] not in _DETERMINED[yours] or (words[at] == "have" and not yours):
        return None
    for place in range(at + 2, min(at + 5, len(words))):
        if words[place] in nouns:
            return _made(sentence, words, place, words[place], "ready", subject=at)
    return None


def _made(
    sentence: Sentence, words: list[str], at: int, verb: str, voice: Voice, *, subject: int | None = None
) -> Statement:
    table = lemmas()
    group = "light" if voice == "ready" else table.group.get(verb, "light")
    objects = objects_of(words, at, subject if voice != "active" else None) | (
        frozenset((verb,)) if voice == "ready" else frozenset()
    )
    if group == "light":
        group = next((table.noun[word] for word in sorted(objects) if word in table.noun), "light")
    by_self = voice == "active" or (voice == "brief" and subject == at)
    sure = "successfully" in words[max(0, at - 4) : at + 4] or (
        voice == "state" and "now" in words[max(0, at - 2) : at]
    )
    return Statement(
        verb,
        group,
        voice,
        aspect_of(sentence, words, at),
        objects,
        sentence.start,
        sentence.end,
        sentence.place(at),
        by_self,
        sure,
    )
