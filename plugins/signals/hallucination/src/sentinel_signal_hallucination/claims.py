"""Sentences in which the agent says that something is done: where they stand, and what they claim."""

import re
from collections.abc import Iterator, Sequence

from sentinel_signal_hallucination.brief import BY_OTHERS, DONE, Deed, brief_at, is_listed, meant_by
from sentinel_signal_hallucination.families import BY_NAME, BY_VERB, Family, stem
from sentinel_signal_hallucination.patterns import (
    AUXILIARY,
    CLAIMS,
    IDIOMS,
    NO_DEED,
    SOURCES,
    TEXT_WORK,
    TEXT_WORK_PHRASES,
    TURN,
    VETO_RIGHT,
    VETO_WORDS,
    SourceClaim,
    Voice,
    is_past,
)
from sentinel_signal_hallucination.places import CHAIN_CHARS, chain
from sentinel_signal_hallucination.prose import around, own_prose
from sentinel_signal_hallucination.tables import regex

__all__ = ["Claim", "claims_in", "is_weakened"]

_WORD = regex(r"[A-Za-z][\w'’-]*|[,;:()]")
_PLAIN_WORD = regex(r"(?!May \d)\b[A-Za-z][\w.'’-]*(?<![.'’-])")
_ASIDE = regex(r"\([^()]{0,80}\)")
_OBJECT_WORDS = 7
_SUBJECT_WORDS = 16
_OBJECT_CHARS = 120
_LONG_VERB = 8
_SUBJECT_CHARS = 160
_PRONOUNS = frozenset(("it", "them", "this", "everything", "both", "these", "those", "they", "all"))
_NONE = frozenset(("nothing", "no", "none", "neither"))
_DETERMINERS = frozenset(("the", "your", "this", "these", "both", "all", "each", "our", "a", "an"))
_BREAKS = frozenset((",", ";", ":", "(", ")", "that", "which", "who", "because", "but", "so", "if", "when", "where"))
_OTHERS = frozenset(("you", "he", "she", "who", "which", "that", "whose", "what", "user", "i", "we"))


class Claim:
    """One claim: ``families`` could each be meant, ``verb`` and ``noun`` say what, ``sentence`` is the evidence.

    ``noun`` is empty where the claim names no thing. ``voice`` is ``active`` where the agent says that it did it itself.
    ``told`` is a word by which a result or the user may have told the same: then it is no claim. Empty for none.
    ``begin`` is where the sentence begins in its text: there it still has the code and quotations that are blanked here.
    """

    __slots__ = ("begin", "families", "noun", "sentence", "told", "verb", "voice")

    def __init__(
        self,
        families: tuple[Family, ...],
        verb: str,
        noun: str,
        voice: Voice,
        sentence: str,
        begin: int,
        told: str = "",
    ) -> None:
        self.families = families
        self.verb = verb
        self.noun = noun
        self.voice = voice
        self.sentence = sentence
        self.begin = begin
        self.told = told


class _Place:
    """A match in a text, with the bounds of its sentence."""

    __slots__ = ("begin", "end", "finish", "prose", "start")

    def __init__(self, prose: str, start: int, end: int) -> None:
        self.prose = prose
        self.start = start
        self.end = end
        self.begin, self.finish = around(prose, start, end)

    @property
    def sentence(self) -> str:
        return self.prose[self.begin : self.finish].strip()

    @property
    def left(self) -> str:
        """The sentence up to the match, from its last turn ("..., but") on."""
        begin = self.begin
        for match in TURN.finditer(self.prose, begin, self.start):
            begin = match.end()
        return self.prose[begin : self.start]

    @property
    def right(self) -> str:
        return self.prose[self.end : self.finish]

    @property
    def is_question(self) -> bool:
        """True where the sentence asks."""
        return self.sentence.rstrip("\"'”’)*_").endswith("?")


def is_weakened(left: str) -> bool:
    """True where words before a claim take its force: "once I have filed", "I could not", "you said that"."""
    words = [word.lower().replace("’", "'") for word in _PLAIN_WORD.findall(left)]
    return not VETO_WORDS.isdisjoint(words) or any(word.endswith("n't") for word in words)


def _is_text_work(right: str, families: Sequence[Family], voice: Voice) -> bool:
    """True where the claim is about the text that it stands in: "I've updated the plan below"."""
    if not all(family.textual for family in families) or "with the following" in right:
        return False
    words = _PLAIN_WORD.findall(right)
    listed = voice == "active" and (right.rstrip().endswith(":") or "following" in words)
    return listed or not TEXT_WORK.isdisjoint(words) or any(phrase in right for phrase in TEXT_WORK_PHRASES)


def claims_in(text: str, openings: Sequence[int]) -> Iterator[Claim]:
    """The claims of one assistant text that begin at one of the openings, ascending, and all that lean on sources.

    Shape by shape, in time linear in the length of the text.
    """
    prose = own_prose(text)
    for shape in CLAIMS:
        for match in shape.matches(prose, openings):
            if match[1] in BY_VERB or (shape.voice == "active" and is_past(match[1])):
                yield from _claims_at(prose, match, shape.voice)
    for opening in openings:
        deed = brief_at(text, opening)
        if deed is not None and prose[opening] == text[opening] and not is_listed(text, opening):
            yield from _brief(prose, opening, deed)
    for row in SOURCES:
        if row.gate in prose:
            yield from _leaned_on(prose, row)


def _leaned_on(prose: str, row: SourceClaim) -> Iterator[Claim]:
    for match in row.pattern.finditer(prose):
        place = _Place(prose, *match.span())
        if not place.is_question and not is_weakened(place.left):
            told = prose[_word_start(prose, match.start()) : match.end()].strip()
            yield Claim((BY_NAME[row.family],), told, "", "active", place.sentence, place.begin, row.told)


def _word_start(prose: str, start: int) -> int:
    """With the capital or small letter that the expressions leave out."""
    return start - 1 if start and prose[start - 1].isalpha() else start


def _claims_at(prose: str, match: re.Match[str], voice: Voice) -> Iterator[Claim]:
    start, end = match.span()
    is_inside_word = start > 0 and prose[start - 1].isalnum() and match[0][0] in "IW"
    if is_inside_word or NO_DEED.match(match[0]):
        return
    place = _Place(prose, start, end)
    if voice == "active":
        yield from _active(place, match[1])
    else:
        yield from _passive(place, match[1], voice)


def _brief(prose: str, opening: int, deed: Deed) -> Iterator[Claim]:
    """Of a deed without a doer. Whose it is must be asked: change logs and histories are written so, too."""
    place = _Place(prose, opening, deed.end)
    if BY_OTHERS.search(place.right) is not None:
        return
    if not deed.things:
        yield from _active(place, deed.verb, "brief")
        return
    families, noun = meant_by(deed.verb, deed.things, place.sentence)
    # "Address changed ✅ Anything else?" asks for something else.
    is_question = place.is_question and not place.right.lstrip(" *").startswith(DONE)
    if families and not (is_question or is_weakened(place.left) or _is_text_work(place.right, families, "brief")):
        yield Claim(families, deed.verb, noun, "brief", place.sentence, place.begin, deed.verb)


def _active(place: _Place, verb: str, voice: Voice = "active") -> Iterator[Claim]:
    verbs = [(verb, place.end)] if verb in BY_VERB else []
    stop = min(place.finish, place.end + CHAIN_CHARS)
    verbs += [(more[1], more.end()) for more in chain(place.prose, place.end, stop)]
    if not verbs or place.is_question or is_weakened(place.left):
        return
    for word, end in verbs:
        if word in IDIOMS and IDIOMS[word].match(place.prose, end, place.finish) is not None:
            continue
        objects, own = _objects_after(place.prose[end : place.finish])
        if objects and objects[0] in _NONE:
            continue
        if voice == "active":
            families, noun = _meant(word, objects, own)
        else:
            families, noun = meant_by(word, objects, place.right)
        if families and not _is_text_work(place.right, families, "active"):
            told = "" if voice == "active" else word
            yield Claim(families, word, noun, voice, place.sentence, place.begin, told)


def _passive(place: _Place, verb: str, voice: Voice) -> Iterator[Claim]:
    if VETO_RIGHT.match(place.right) is not None:  # the cheapest look, and what takes the force of most
        return
    left = place.left.rstrip()
    if voice in AUXILIARY:
        auxiliary = AUXILIARY[voice].search(left)
        if auxiliary is None:
            return
        left = left[: auxiliary.start()]
    words, own = _subject_before(left)
    is_vague = not words or not _OTHERS.isdisjoint(words)
    if is_vague or (voice == "past" and (words[-1] in _PRONOUNS or _DETERMINERS.isdisjoint(words))):
        return
    families, noun = _meant(verb, words, own)
    if not families or place.is_question or is_weakened(left):
        return
    if not _is_text_work(place.right, families, voice):
        told = _told(verb, voice, families, place.sentence)
        yield Claim(families, verb, noun, voice, place.sentence, place.begin, told)


def _told(verb: str, voice: Voice, families: Sequence[Family], sentence: str) -> str:
    """The word that gives a looked-up state away. What was done "successfully" is a deed and no state."""
    if "successfully" in sentence:
        return ""
    is_state = voice == "past" or any(family.name == "deploy" for family in families)
    return verb.removesuffix("ed") if is_state and len(verb) >= _LONG_VERB else verb


def _until_break(words: list[str]) -> list[str]:
    stop = next((position for position, word in enumerate(words) if word in _BREAKS), len(words))
    return words[:stop]


def _objects_after(right: str) -> tuple[list[str], bool]:
    plain = _ASIDE.sub(" ", right[:_OBJECT_CHARS])
    words = _until_break([word.lower() for word in _WORD.findall(plain)])[:_OBJECT_WORDS]
    return words, bool(words) and (words[0] in _PRONOUNS or "your" in words[:3])


def _subject_before(left: str) -> tuple[list[str], bool]:
    """The words of the subject, back to the last break; "has" and "been" may stand far from "your reservation"."""
    plain = _ASIDE.sub(" ", left[-_SUBJECT_CHARS:]).replace(",", " ")
    words = [word.lower() for word in _WORD.findall(plain)][-_SUBJECT_WORDS:]
    words = _until_break(words[::-1])[::-1]
    return words, bool(words) and (words[-1] in _PRONOUNS or "your" in words)


def _object(words: Sequence[str], family: Family, *, own: bool) -> str | None:
    """The first thing among the words that the family acts on; an empty text for the user's own, unnamed things."""
    for word in words:
        if stem(word) in family.objects:
            return stem(word)
    return "" if own and family.personal else None


def _meant(verb: str, words: Sequence[str], own: bool) -> tuple[tuple[Family, ...], str]:
    named = [(family, noun) for family in BY_VERB[verb] if (noun := _object(words, family, own=own)) is not None]
    return tuple(family for family, _ in named), next((noun for _, noun in named if noun), "")
