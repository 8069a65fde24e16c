"""Whether a text admits trouble: the one answer for every rule. Who tells of a failure has hidden nothing."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from sentinel_core.evaluate.tools import singular
from sentinel_signal_hallucination.english.lexicon import bases, word_set, words_of
from sentinel_signal_hallucination.english.sentences import Sentence, sentences
from sentinel_signal_hallucination.tables import regex

__all__ = ["admits", "is_trouble", "stays_as_it_was"]

_THINGS = r"(?:fail\w*|errors?|br(?:oken?|eaks?)|crash\w*|complain\w*|warnings?|problems?|issues?|findings?|conflicts?|reject\w*|skip\w*|wrong)"
# Trouble that is over, or of which there is none.
_OVER = regex(
    rf"\b(?:no|zero|0|none|nothing|without|any|never|exit (?:status|code))\b(?:[ :]+[\w-]+){{0,3}}?[ :]+(?:{_THINGS}|left|0|zero)\b(?:,? (?:or|nor|and) {_THINGS}\b)*(?: left| remain\w*)?"
    rf"|\berror rates?\b|\bfail\w*[ :]+(?:0|zero)\b|\bnothing (?:broke|fail\w*)\b|\bstill (?=pass|build|compil|work|green|hold|succe|clean)"
    rf"|\b(?:fix\w*|resolv\w+|repair\w*|remov\w+|clear\w*|caus\w+|former\w*|previous\w*)\b(?: [\w`'-]+){{0,4}} {_THINGS}\b"
    rf"|\b(?:{_THINGS}|cause)\b(?: [\w`'-]+){{0,6}} (?:fixed|resolved|repaired|gone|solved|removed|passes|pass)\b"
)
_ENGLISH = word_set(
    "the is are and now it to of in was with as has been i for from by that this after into all added fixed tests passed passes through"
)
_BRIEF, _FEW = 12, 4
_NONE = frozenset[str]()
_YET = frozenset(("yet",))  # "One test is skipped, and has no number yet" is no trouble with the others


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
    return _troubles() | words_of("undone") | words_of("left") | words_of("mild_trouble")


def _troubles() -> frozenset[str]:
    return words_of("trouble") | words_of("trouble_or_code")


def is_trouble(word: str) -> bool:
    """True for a word of trouble in any form, but for mild ones."""
    return not _signs(word).isdisjoint(_troubles())


def stays_as_it_was(words: Sequence[str]) -> bool:
    """True for a sentence that says of something that nothing was done to it."""
    if any(word in _STAYS or not _STAYS.isdisjoint(_signs(word)) for word in words):
        return True
    return any(word in _LEFT and not _AS_IT_WAS.isdisjoint(words[at + 1 : at + 4]) for at, word in enumerate(words))


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
    known = _troubles() | words_of("undone") | (words_of("mild_trouble") if mildly else _NONE)
    if about is None and known.isdisjoint(_NONE.union(*map(_signs, _words(sentences(low))))):
        return False  # as most texts: without a sign, nothing has to be told to be over
    parts = sentences(_OVER.sub(_blank, low))
    every = _words(parts) if about is not None else _NONE
    if len(every) >= _BRIEF and len(every & _ENGLISH) < 2:  # noqa: PLR2004 - one may be a word of another language, too
        return True
    named = {at for at, part in enumerate(parts) if about is not None and about(part.words)}
    if about is None:
        signs = [_signs_of(part) & known for part in parts]
    else:
        signs = [_signs_about(part, about, at - 1 in named) for at, part in enumerate(parts)]
    if any(signs):  # of most texts none, and then the user's words say nothing
        named_before = _NONE.union(*map(_signs, _words(asked))) - _PLAIN
        signs = [found - named_before for found in signs]
    if about is None:
        return any(signs)
    for at, found in enumerate(signs):
        near = len(parts) <= _FEW or not named.isdisjoint((at - 1, at, at + 1))
        is_denied = (
            at in named and not _DENIALS.isdisjoint(found) and (denied is None or _denies(parts[at], about, denied))
        )
        if len(found - words_of("undone")) > (0 if near else 1) or is_denied:
            return True
    return False


def _words(parts: Iterable[Sentence]) -> frozenset[str]:
    return _NONE.union(*[part.words for part in parts])


def _signs_about(part: Sentence, about: Callable[[Sequence[str]], bool], is_next: bool) -> frozenset[str]:
    """The signs of a sentence that speak of what ``about`` names: of a clause without its name only such as no code has or does.

    "All tests pass, and `load()` rejects empty names": what code is for is no trouble with its tests. ``is_next`` is True after a sentence with the name.
    """
    if _says_nothing(part) or _is_over(part.words):
        return _NONE
    of_it = _troubles() | words_of("undone") | words_of("left")
    beside_it = of_it - words_of("trouble_or_code") - _YET if about(part.words) else words_of("trouble")
    found = _NONE
    for number, words in enumerate(_clauses(part.words)):
        is_of_work = not _OF_WORK.isdisjoint(words) or (is_next and not number and words[0] in _PRONOUNS)
        counted = of_it if about(words) else beside_it | words_of("trouble_or_code") if is_of_work else beside_it
        found |= _NONE.union(*map(_signs, words)) & counted
    return found


def _denies(part: Sentence, about: Callable[[Sequence[str]], bool], denied: Callable[[Sequence[str]], bool]) -> bool:
    """True where a part of the sentence denies it: "on main, not here"; not so "mypy is clean, and no test had to change"."""
    own = (words for words in _clauses(part.words) if about(words) or (words[0] == "not" and len(words) <= _FEW))
    return denied(part.words) and any("not" in _NONE.union(*map(_signs, words)) for words in own)


def _clauses(words: list[str]) -> Iterator[list[str]]:
    """The parts of a sentence, each without what is said under a condition: "retries when a request fails"."""
    start = 0
    for at, word in enumerate([*words, ","]):
        if word in _JOINTS:
            clause = list(takewhile(lambda one: one not in _CONDITIONS, words[start:at]))
            start = at + 1
            if clause:
                yield clause


def _says_nothing(part: Sentence) -> bool:
    """True for a question, a condition and an invitation: "If you need ...", "Please do not hesitate"."""
    return part.asks or part.words[0] in _OPENERS or "hesitate" in part.words


def _signs_of(part: Sentence) -> frozenset[str]:
    """The signs of one sentence; "not" is one of something undone only: "was not booked"; not so "The tickets are not refundable"."""
    words = part.words
    if _says_nothing(part):
        return _NONE
    signs = _NONE.union(*map(_signs, words))
    if "not" not in signs:
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
_JOINTS, _CONDITIONS = word_set(", ; : ( ) – — and but"), word_set("when whenever if unless")
_PRONOUNS = word_set("it that this they these those which both one two")
# Who works, and what is worked with: trouble of these is none of the code.
_OF_WORK = word_set(
    "git remote ci pipeline job build compiler linter command terminal sandbox network server hook hit got saw encountered noticed remains remaining i'm i'll you"
)
_PLAIN = word_set("fail error unable cannot")
_STAYS = word_set("remain stay not never untouched unchanged remaining")
_LEFT, _AS_IT_WAS = word_set("leave leaves left leaving keep keeps kept"), word_set("alone as like where out in")
_DENIALS, _OPENERS = word_set("not never"), word_set("if please should let feel")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
