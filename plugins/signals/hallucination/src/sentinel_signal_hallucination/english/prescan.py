"""A first look at each text, in one pass over its bytes: which actions it may tell of, and whether it can be of checks that pass, or of what a tool gave."""

import re
from functools import lru_cache
from itertools import compress, count
from typing import TYPE_CHECKING, NamedTuple

from sentinel_signal_hallucination.english.lexicon import COMPLETE, PHRASES, bases, lemmas, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sentinel_core.evaluate.index import Text

__all__ = ["GIVING", "Scan", "scan", "telling"]

# Capitals become small, a sentence's or a clause's end is marked on its last word, other marks are white space.
_END = b"\x01"
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'-")
_TABLE = bytes(
    1 if byte in b".!?:,;()" else (byte | 32 if 65 <= byte <= 90 else byte) if byte in _LETTERS or byte > 127 else 32  # noqa: PLR2004 - ASCII
    for byte in range(256)
)  # fmt: skip
_BEFORE = frozenset(
    (
        "is are am was were got gets get been has have had i we i've we've it's that's you're everything's i'm they're and or ahead you've all a "
        "successfully now just also both fully finally officially automatically promptly already recently then directly safely correctly able to now "
        "'re actually currently newly only did up on in – —"
    ).encode().split()
)  # fmt: skip
_AFTER = frozenset(
    "for to on at and in with as from under until till care of - – — the your an it all".encode().split()
)
_ANSWERS = word_set("playing starting")
_CHECKS = word_set(
    "pass passes passed passing green succeed succeeds succeeded success successful successfully clean cleanly compiles builds happy errors failures issues problems "
    "failing works working fine ok fixed findings complaints vulnerabilities"
)
_CHECKED = word_set(
    "test tests testsuite suite specs everything build builds compilation compiles mypy pyright typecheck typechecking typing typescript tsc types type-check "
    "type-checks lint linter linting eslint ruff flake8 pylint linters clippy golangci-lint phpstan rubocop stylelint shellcheck hadolint ktlint pytest phpunit rspec vitest ctest vet bandit semgrep"
)
GIVING = word_set(
    "returned returns say says said show shows showed gave gives reported reports responded indicate indicates confirmed lists listed found flagged detected produced"
)
_GAVE = GIVING | word_set("came turned according using via per through result")
# Common words that say something only before these.
_NEXT = dict.fromkeys(("able", "managed"), frozenset((b"to",)))
# What may be a regular participle; marks that stand for one.
_PAST, _ENDS = re.compile(rb"ed\x01?(?![^ ])"), re.compile(rb"\x01\x01+")
_LONGEST = 24


class Scan(NamedTuple):
    """``forms`` may tell of a action; ``checks`` is True for words that all is well, ``named`` for kinds of checks, ``gave`` for what a tool gave."""

    text: "Text"
    forms: frozenset[str]
    checks: bool
    named: bool
    gave: bool


class _Marks(NamedTuple):
    """What a word may say, and before which words and after which ones it says that; None where any will do."""

    is_action: bool
    check: bool
    checked: bool
    gave: bool
    before: frozenset[bytes] | None
    after: frozenset[bytes] | None


@lru_cache(maxsize=1)
def telling() -> frozenset[bytes]:
    """The words that say something, with the mark of an end and without; but for the regular participles."""
    words = _ANSWERS.union(COMPLETE, PHRASES, lemmas().done, _CHECKS, _CHECKED, _GAVE, _NEXT)
    return frozenset(stem + end for stem in map(str.encode, words) for end in (b"", _END))


@lru_cache(maxsize=4096)
def _marks_of(word: bytes) -> _Marks:
    stem = word.rstrip(_END).decode()
    is_action = stem in _ANSWERS or stem in COMPLETE or stem in PHRASES or bool(bases(stem))
    after = frozenset(map(str.encode, PHRASES[stem])) if PHRASES.get(stem) else None
    return _Marks(is_action, stem in _CHECKS, stem in _CHECKED, stem in _GAVE, _NEXT.get(stem), after)


def scan(texts: "Iterable[Text]") -> list[Scan]:
    """The texts that may hold a statement, with what it may be of."""
    found = []
    for text in texts:
        content = text.content.encode("utf-8", "replace").replace(b"\xe2\x80\x99", b"'").replace(b"\n", b". ")
        content = _ENDS.sub(_END, content.translate(_TABLE))
        words = content.split()
        past = map(re.Match.span, _PAST.finditer(content))
        marked = {content[content.rfind(b" ", 0, at) + 1 : end] for at, end in past} | telling().intersection(words)
        if marked and not text.is_copied:
            look = _look(text, words, list(compress(count(), map(marked.__contains__, words))))
            if look.forms or look.checks or look.gave:
                found.append(look)
    return found


def _look(text: "Text", words: list[bytes], hits: list[int]) -> Scan:
    forms: set[bytes] = set()
    passes = checked = gave = False
    for at in hits:
        word = words[at]
        if len(word) > _LONGEST:
            continue
        marks = _marks_of(word)
        if marks.before is not None and at + 1 < len(words) and words[at + 1] not in marks.before:
            continue
        passes, checked, gave = passes or marks.check, checked or marks.checked, gave or marks.gave
        if marks.is_action and word not in forms and _says(words, at, marks.after):
            forms.add(word)
    return Scan(text, frozenset([form.rstrip(_END).decode() for form in forms]), passes, checked, gave)


def _says(words: list[bytes], at: int, after: frozenset[bytes] | None) -> bool:
    """True where a word stands as one does that says that a thing is done."""
    if after is not None:
        return not after.isdisjoint(words[max(0, at - 2) : at])
    left = words[at - 1] if at else _END
    if left in _BEFORE or left[-1:] == _END or left[-2:] == b"ly" or not left[:1].isalnum():
        return True
    if words[at][-1:] == _END or at + 1 == len(words):
        return True
    right = words[at + 1]
    return right[:1] == _END or right.rstrip(_END) in _AFTER
