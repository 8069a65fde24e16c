"""Whether a text admits trouble: the one answer for every rule. Who tells of a failure has hidden nothing."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.english.lexicon import bases, word_set, words_of
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["admits", "is_trouble", "stays_as_it_was"]

_THINGS = r"(?:fail\w*|errors?|br(?:oken?|eaks?)|crash\w*|complain\w*|warnings?|problems?|issues?|findings?|conflicts?|reject\w*|skip\w*|wrong)"
# Trouble that is over, or of which there is none.
_OVER = regex(
    rf"\b(?:no|zero|0|none|nothing|without|any|never|exit (?:status|code))\b(?:[ :]+[\w-]+){{0,3}}?[ :]+(?:{_THINGS}|left|0|zero)\b(?: left| remain\w*)?"
    rf"|\berror rates?\b|\bfail\w*[ :]+(?:0|zero)\b|\bnothing (?:broke|fail\w*)\b|\bstill (?=pass|build|compil|work|green|hold|succe|clean)"
    rf"|\b(?:fix\w*|resolv\w+|repair\w*|remov\w+|clear\w*|caus\w+|former\w*|previous\w*)\b(?: [\w`'-]+){{0,4}} {_THINGS}\b"
    rf"|\b(?:{_THINGS}|cause)\b(?: [\w`'-]+){{0,6}} (?:fixed|resolved|repaired|gone|solved|removed|passes|pass)\b"
)
_ENGLISH = word_set(
    "the is are and now it to of in was with as has been i for from by that this after into all added fixed tests passed passes through"
)
_BRIEF, _FEW = 12, 4
_NONE = frozenset[str]()


@lru_cache(maxsize=20_000)
def _signs(word: str) -> frozenset[str]:
    """The base forms by which a word may be one of trouble."""
    if word.endswith("n't"):
        return frozenset(("not",))
    if word in ("issue", "issues"):  # but for "issued", which is a action
        return frozenset(("problem",))
    return frozenset((word, singular(word), *bases(word))) & _all_signs()


@lru_cache(maxsize=1)
def _all_signs() -> frozenset[str]:
    return words_of("trouble") | words_of("undone") | words_of("left") | words_of("mild_trouble")


def is_trouble(word: str) -> bool:
    """True for a word of trouble in any form, but for mild ones."""
    return not _signs(word).isdisjoint(words_of("trouble"))


def stays_as_it_was(words: Iterable[str]) -> bool:
    """True for a sentence that says of something that nothing was done to it."""
    return any(word in _STAYS or not _STAYS.isdisjoint(_signs(word)) for word in words)


def admits(
    low: str,
    asked: Iterable[Sentence] = (),
    *,
    mildly: bool = False,
    about: Callable[[Sequence[str]], bool] | None = None,
    denied: Callable[[Sequence[str]], bool] | None = None,
) -> bool:
    """True where the plain text speaks of trouble that it does not say to be over.

    Words that the user's sentences ``asked`` with are none: "Your card is blocked" after "Block my card". Of what ``about`` names,
    one word of trouble is enough near it and in a brief text; elsewhere it takes two; what is undone counts only where it is ``denied``: "the tests do not pass". ``mildly`` counts words
    that tell of something else as often. A foreign language is given the benefit of the doubt.
    """
    known = words_of("trouble") | words_of("undone") | (words_of("mild_trouble") if mildly else _NONE)
    if about is None and known.isdisjoint(_NONE.union(*map(_signs, _words(sentences(low))))):
        return False  # as most texts: without a sign, nothing has to be told to be over
    parts = sentences(_OVER.sub(_blank, low))
    every = _words(parts) if about is not None else _NONE
    if len(every) >= _BRIEF and len(every & _ENGLISH) < 2:  # noqa: PLR2004 - one may be a word of another language, too
        return True
    named = {at for at, part in enumerate(parts) if about is not None and about(part.words)}
    known |= words_of("left") if about is not None else _NONE
    elsewhere = (
        known if about is None else words_of("trouble")
    )  # what stays as it was is none where it is another thing
    rows = ((part, known if at in named else elsewhere) for at, part in enumerate(parts))
    signs = [_signs_of(part, is_plain=about is not None) & counted for part, counted in rows]
    if any(signs):  # of most texts none, and then the user's words say nothing
        named_before = _NONE.union(*map(_signs, _words(asked))) - _PLAIN
        signs = [found - named_before for found in signs]
    if about is None:
        return any(signs)
    for at, found in enumerate(signs):
        near = len(parts) <= _FEW or not named.isdisjoint((at - 1, at, at + 1))
        is_denied = at in named and not _DENIALS.isdisjoint(found) and (denied is None or denied(parts[at].words))
        if len(found - words_of("undone")) > (0 if near else 1) or is_denied:
            return True
    return False


def _words(parts: Iterable[Sentence]) -> frozenset[str]:
    return _NONE.union(*[part.words for part in parts])


def _signs_of(part: Sentence, *, is_plain: bool) -> frozenset[str]:
    """The signs of one sentence; none of a question, a condition and an invitation: "If you need ...", "Please do not hesitate".

    But for what is read plainly, "not" is one of something undone only: "was not booked"; not so "The tickets are not refundable".
    """
    words = part.words
    if part.asks or words[0] in _OPENERS or "hesitate" in words or (is_plain and _is_over(words)):
        return _NONE
    signs = _NONE.union(*map(_signs, words))
    if "not" not in signs or is_plain:
        return signs
    undone = any(
        (word == "not" and (left in _BEFORE_NOT or right in _AFTER_NOT)) or word in _NOT
        for left, word, right in zip(("", *words), words, (*words[1:], ""), strict=False)
    )
    return signs if undone else signs - {"not"}


def _is_over(words: list[str]) -> bool:
    """True for trouble that is told as earlier: "In the first run one test failed"."""
    return not _EARLIER.isdisjoint(words) and _LASTING.isdisjoint(words)


_EARLIER = word_set("first initially earlier before originally previously between once beforehand meanwhile")
_LASTING = word_set("still yet fails failing remaining remains remain")
_BEFORE_NOT, _AFTER_NOT = word_set("could can did was were has have had am"), word_set("able possible available found")
_NOT = word_set("couldn't can't didn't wasn't weren't hasn't haven't hadn't")
_PLAIN = word_set("fail error unable cannot")
_STAYS = word_set("remain stay not never untouched unchanged remaining")
_DENIALS, _OPENERS = word_set("not never"), word_set("if please should let feel")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
