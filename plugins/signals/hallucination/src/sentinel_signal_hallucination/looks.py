"""A first look at each text: whether it may hold a statement at all. Most do not, and are not read any further."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import compress, count
from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["Look", "looks_at"]

# One pass over bytes: capitals become small, a sentence's end is marked on its last word, other marks are white space.
_END = b"\x01"
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'-")
_TABLE = bytes(
    1 if byte in b".!?:" else (byte | 32 if 65 <= byte <= 90 else byte) if byte in _LETTERS or byte > 127 else 32  # noqa: PLR2004 - ASCII
    for byte in range(256)
)  # fmt: skip
_BEFORE = frozenset(
    word.encode()
    for word in word_set(
        "is are am was were got gets get been has have had i we i've we've it's that's you're everything's i'm they're and or ahead you've all a "
        "successfully now just also both fully finally officially automatically promptly already recently then directly safely correctly able to now "
        "'re actually currently newly only did"
    )
)
_READY = word_set("successful success complete set ready underway headed succeeded able managed")
_WEAK = word_set("way enjoy have got you've playing starting started")
_CHECKS = word_set(
    "pass passes passed passing green succeed succeeds succeeded successful successfully clean cleanly compiles builds happy errors works fine"
)


_CHECKED = word_set(
    "test tests testsuite suite specs everything build builds compilation compiles mypy pyright typecheck typechecking typing typescript tsc types type-check "
    "type-checks lint linter linting eslint ruff flake8 pylint linters"
)


# Common words that say something only before these.
_HELD = frozenset((b"a", b"an", b"your", b"the", b"that"))
_NEXT = {**dict.fromkeys(("have", "got", "you've"), _HELD), **dict.fromkeys(("able", "managed"), frozenset((b"to",)))}


class Look(NamedTuple):
    """``groups`` are those of the deeds that the text may tell of; ``weak`` is True for words that only answer an order."""

    text: Text
    groups: frozenset[str]
    weak: bool
    checks: bool


class _Marks(NamedTuple):
    group: str
    weak: bool
    check: bool
    checked: bool
    before: frozenset[bytes]


@lru_cache(maxsize=1)
def _marked() -> dict[bytes, _Marks]:
    table = lemmas()
    words = {**{form: table.group[verb] for form, verb in table.done.items()}, **dict.fromkeys(_READY, "light")}
    found = {
        word: _Marks(
            words.get(word, ""), word in _WEAK, word in _CHECKS, word in _CHECKED, _NEXT.get(word, frozenset())
        )
        for word in {*words, *_WEAK, *_CHECKS, *_CHECKED}
    }
    return {word.encode() + end: marks for word, marks in found.items() for end in (b"", _END)}


def looks_at(texts: Iterable[Text]) -> list[Look]:
    """The texts that may hold a statement, with what it may be of."""
    marked, found = _marked(), []
    for text in texts:
        content = text.content
        words = (
            content.encode("utf-8", "replace")
            .replace(b"\xe2\x80\x99", b"'")
            .replace(b"\n", b" . ")
            .translate(_TABLE)
            .split()
        )
        hits = list(compress(count(), map(marked.__contains__, words)))
        if hits and not text.is_copied:
            look = _look(text, words, hits, marked)
            if look.groups or look.weak or look.checks:
                found.append(look)
    return found


def _look(text: Text, words: list[bytes], hits: list[int], marked: dict[bytes, _Marks]) -> Look:
    groups, weak, passes, checked = set[str](), False, False, False
    for at in hits:
        marks = marked[words[at]]
        if marks.before and words[at + 1 : at + 2] != [] and words[at + 1] not in marks.before:
            continue
        weak, passes, checked = weak or marks.weak, passes or marks.check, checked or marks.checked
        if marks.group and (
            at == 0
            or words[at][-1:] == _END
            or words[at - 1] in _BEFORE
            or words[at - 1][-1:] == _END
            or words[at - 1][-2:] == b"ly"
        ):
            groups.add(marks.group)
    return Look(text, frozenset(groups), weak, passes and checked)
