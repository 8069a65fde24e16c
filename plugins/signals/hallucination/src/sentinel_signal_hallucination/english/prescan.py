"""A first look at each text, in one pass over its bytes: which actions it may tell of, and whether it can be of checks that pass, or of what a tool gave."""

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
    "failing works working fine ok fixed"
)
_CHECKED = word_set(
    "test tests testsuite suite specs everything build builds compilation compiles mypy pyright typecheck typechecking typing typescript tsc types type-check "
    "type-checks lint linter linting eslint ruff flake8 pylint linters clippy golangci-lint phpstan rubocop stylelint shellcheck hadolint ktlint pytest phpunit rspec vitest ctest vet"
)
GIVING = word_set(
    "returned returns say says said show shows showed gave gives reported reports responded indicate indicates confirmed lists listed found flagged detected produced"
)
_GAVE = GIVING | word_set("came turned according using via per through result")
# Common words that say something only before these.
_NEXT = dict.fromkeys(("able", "managed"), frozenset((b"to",)))
_LONGEST, _MOST = 24, 50_000


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
    """The words that say something, but for the regular participles."""
    words = _ANSWERS.union(COMPLETE, PHRASES, lemmas().done, _CHECKS, _CHECKED, _GAVE, _NEXT)
    return frozenset(map(str.encode, words))


class _Marked(dict[bytes, _Marks | None]):
    """What each word says, told once a word; None for most."""

    def __missing__(self, end: bytes) -> _Marks | None:
        if len(end) > _LONGEST:
            return None
        if len(self) > _MOST:
            self.clear()
        stem = end.rstrip(_END)
        if not stem.endswith(b"ed") and stem not in telling():  # most words
            self[end] = None
            return None
        word = stem.decode()
        is_action = word in _ANSWERS or word in COMPLETE or word in PHRASES or bool(bases(word))
        after = frozenset(map(str.encode, PHRASES[word])) if PHRASES.get(word) else None
        found = _Marks(is_action, word in _CHECKS, word in _CHECKED, word in _GAVE, _NEXT.get(word), after)
        self[end] = marks = found if any(found) else None
        return marks


_marked = _Marked()


def scan(texts: "Iterable[Text]") -> list[Scan]:
    """The texts that may hold a statement, with what it may be of."""
    found = []
    for text in texts:
        content = text.content.encode("utf-8", "replace").replace(b"\xe2\x80\x99", b"'").replace(b"\n", b". ")
        words = content.translate(_TABLE).split()
        hits = list(compress(count(), map(_marked.__getitem__, words)))
        if hits and not text.is_copied:
            look = _look(text, words, hits)
            if look.forms or look.checks or look.gave:
                found.append(look)
    return found


def _look(text: "Text", words: list[bytes], hits: list[int]) -> Scan:
    forms, passes, checked, gave = set[str](), False, False, False
    for at in hits:
        marks, word, right = _marked[words[at]], words[at], words[at + 1 : at + 2]
        if marks is None or (marks.before is not None and right and right[0] not in marks.before):
            continue
        passes, checked, gave = passes or marks.check, checked or marks.checked, gave or marks.gave
        if marks.is_action:
            left = words[at - 1] if at else _END
            begins = left in _BEFORE or left[-1:] == _END or left[-2:] == b"ly" or not left[:1].isalnum()
            says = begins or word[-1:] == _END or not right or right[0].rstrip(_END) in _AFTER or right[0][:1] == _END
            if marks.after is not None:
                says = not marks.after.isdisjoint(words[max(0, at - 2) : at])
            if says:
                forms.add(word.rstrip(_END).decode())
    return Scan(text, frozenset(forms), passes, checked, gave)
