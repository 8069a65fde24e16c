"""A first look at each text, in one pass over its bytes: which deeds it may tell of, and whether it can be of checks that pass, or of what a tool gave."""

from collections.abc import Iterable
from functools import cache
from itertools import compress, count
from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination.words import COMPLETE, bases, lemmas, word_set

__all__ = ["Look", "looks_at"]

# Capitals become small, a sentence's or a clause's end is marked on its last word, other marks are white space.
_END = b"\x01"
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'-")
_TABLE = bytes(
    1 if byte in b".!?:,;()" else (byte | 32 if 65 <= byte <= 90 else byte) if byte in _LETTERS or byte > 127 else 32  # noqa: PLR2004 - ASCII
    for byte in range(256)
)  # fmt: skip
_BEFORE = frozenset(
    word.encode()
    for word in word_set(
        "is are am was were got gets get been has have had i we i've we've it's that's you're everything's i'm they're and or ahead you've all a "
        "successfully now just also both fully finally officially automatically promptly already recently then directly safely correctly able to now "
        "'re actually currently newly only did up on in – —"
    )
)
_AFTER = frozenset(
    word.encode()
    for word in word_set("for to on at and in with as from under until till care of - – — the your an it all")
)
_READY = word_set("successful success complete set ready underway headed succeeded able managed")
_ANSWERS = word_set("way enjoy have got you've playing starting started")
_CHECKS = word_set(
    "pass passes passed passing green succeed succeeds succeeded success successful successfully clean cleanly compiles builds happy errors failures issues problems "
    "failing works working fine ok fixed"
)
_CHECKED = word_set(
    "test tests testsuite suite specs everything build builds compilation compiles mypy pyright typecheck typechecking typing typescript tsc types type-check "
    "type-checks lint linter linting eslint ruff flake8 pylint linters"
)
_GAVE = word_set(
    "returned returns say says said show shows showed gave give gives reported reports responded indicate indicates confirmed came according"
)
# Common words that say something only before these.
_HELD = frozenset((b"a", b"an", b"your", b"the", b"that"))
_NEXT = {**dict.fromkeys(("have", "got", "you've"), _HELD), **dict.fromkeys(("able", "managed"), frozenset((b"to",)))}
# Words that complete a phrase after these: "in place", "taken care of", "I did".
_PHRASES = {
    **dict.fromkeys(COMPLETE, frozenset[bytes]()),
    "place": frozenset((b"in",)), "queue": frozenset((b"in", b"the")), "care": frozenset((b"taken",)), "way": frozenset((b"its", b"the", b"their", b"on", b"your")),
    "out": frozenset((b"gone",)), "did": frozenset((b"i",)), "now": frozenset(), "ahead": frozenset((b"went",)),
}  # fmt: skip
_MOST = 50_000
_LONGEST = 24


class Look(NamedTuple):
    """``forms`` are the words that may tell of a deed, ``verbs`` their base forms.

    ``checks`` is True for words that all is well, ``named`` for kinds of checks, ``gave`` for words about what a tool gave.
    """

    text: Text
    verbs: frozenset[str]
    forms: frozenset[str]
    checks: bool
    named: bool
    gave: bool


class _Marks(NamedTuple):
    says: bool
    verbs: tuple[str, ...]
    check: bool
    checked: bool
    gave: bool
    before: frozenset[bytes]
    after: frozenset[bytes] | None


class _Marked(dict[bytes, "_Marks | None"]):
    """What each word says, told once a word; None for most."""

    def __missing__(self, word: bytes) -> "_Marks | None":
        if len(self) > _MOST:
            self.clear()
        found = self[word] = _marks(word.rstrip(_END).decode())
        return found


def _marks(word: str) -> "_Marks | None":
    says = word in _READY or word in _ANSWERS or word in lemmas().done
    verbs = bases(word) if len(word) <= _LONGEST else ()
    after = _PHRASES.get(word)
    found = _Marks(
        says,
        verbs,
        word in _CHECKS,
        word in _CHECKED,
        word in _GAVE,
        _NEXT.get(word, frozenset()),
        after,
    )
    return found if any(found) or after is not None else None


@cache
def _marked() -> _Marked:
    return _Marked()


def looks_at(texts: Iterable[Text]) -> list[Look]:
    """The texts that may hold a statement, with what it may be of."""
    marked, found = _marked(), []
    for text in texts:
        words = (
            text.content.encode("utf-8", "replace")
            .replace(b"\xe2\x80\x99", b"'")
            .replace(b"\n", b" . ")
            .translate(_TABLE)
            .split()
        )
        hits = list(compress(count(), map(marked.__getitem__, words)))
        if hits and not text.is_copied:
            look = _look(text, words, hits, marked)
            if look.forms or look.checks or look.gave:
                found.append(look)
    return found


def _look(text: Text, words: list[bytes], hits: list[int], marked: _Marked) -> Look:
    verbs, forms, passes, checked, gave = set[str](), set[str](), False, False, False
    for at in hits:
        marks = marked[words[at]]
        if marks is None or (marks.before and words[at + 1 : at + 2] != [] and words[at + 1] not in marks.before):
            continue
        passes, checked, gave = passes or marks.check, checked or marks.checked, gave or marks.gave
        left, word, right = words[at - 1 : at], words[at], words[at + 1 : at + 2]
        ends = word[-1:] == _END or not right
        begins = (
            not left or left[0] in _BEFORE or left[0][-1:] == _END or left[0][-2:] == b"ly" or not left[0][:1].isalnum()
        )
        if begins or ends or right[0].rstrip(_END) in _AFTER:
            verbs.update(marks.verbs)
            forms.add(word.rstrip(_END).decode())
            if marks.after is not None and (not marks.after or not marks.after.isdisjoint(left)):
                verbs.add("")
    return Look(text, frozenset(verbs), frozenset(forms), passes, checked, gave)
