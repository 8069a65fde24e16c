"""The signal: a first look at each text, every rule over the trace and its sub-agents, and one score."""

from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import compress, count
from typing import NamedTuple

import attrs

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Detection, Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, combined
from sentinel_signal_hallucination.lookups import lookups
from sentinel_signal_hallucination.pairing import imitated, orphaned, unanswered
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import plain, sentences
from sentinel_signal_hallucination.statements import statements
from sentinel_signal_hallucination.tool_words import tool_results, tool_uses
from sentinel_signal_hallucination.values import unheld
from sentinel_signal_hallucination.waiting import waiting
from sentinel_signal_hallucination.words import lemmas, word_set

__all__ = ["check_expressions", "detect"]

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


_SAMPLES = {
    "I have filed the report.": ("file", "active", "done"),
    "Your **order** has been successfully cancelled!": ("cancel", "perfect", "done"),
    "Once it is paid, the ticket is booked.": ("pay", "state", "conditional"),
    "Done. Booked the `A-1` room.": ("do", "brief", "done"),
}


@cache
def check_expressions() -> None:
    """Raise ``RuntimeError`` where the sentences are not read as they should be."""
    for sample, expected in _SAMPLES.items():
        found = next((one for part in sentences(plain(sample)) for one in statements(part)), None)
        read = None if found is None else (found.verb, found.voice, found.aspect)
        if read != expected:
            raise RuntimeError(f'this Python\'s re module is broken: "{sample}" was read as {read}; use another Python')


_CLEAN = Detection(score=0.0, details="What the agent says about its tools agrees with the calls that it made.")


def _evidence(index: TraceIndex, settings: Settings, gaps: list[str]) -> list[Evidence]:
    # One text to search costs far less than many, and most searches come to nothing.
    spoken = "\n".join([text.content for text in index.texts])
    looks = looks_at(index.texts)
    record = Record(index)
    claimed = list(_claimed(record, looks, settings)) if looks else []
    return [
        *claimed,
        *waiting(index, record, settings, frozenset(row.finding.message_index or 0 for row in claimed)),
        *(() if claimed else lookups(index, settings)),
        *tool_results(index, settings),
        *unheld(index, settings),
        *_checked(index, [look.text for look in looks if look.checks], settings),
        *imitated(index, settings, gaps, spoken),
        *unanswered(index, settings, gaps),
        *orphaned(index, settings, gaps),
    ]


def _claimed(record: Record, looks: list[Look], settings: Settings) -> Iterable[Evidence]:
    told = set[tuple[str, str]]()
    for look in looks:
        deeds, at = look.groups - _TOOL, look.text.message_index
        rows: list[Evidence] = []
        if (deeds and not record.covers(at, deeds)) or (look.weak and record.may_wait(at)):
            rows += _claims(look.text, record, settings)
        if look.groups & _TOOL:
            rows += tool_uses(record.index, look.text, settings)
        for row in rows:
            what = row.finding.rule, row.finding.text
            if what not in told:  # the first sentence stands for its repetitions
                told.add(what)
                yield row


_TOOL = frozenset(("work",))


def _claims(text: Text, record: Record, settings: Settings) -> Iterable[Evidence]:
    from sentinel_signal_hallucination.verdict import claims

    return claims(text, record, settings)


def _checked(index: TraceIndex, texts: list[Text], settings: Settings) -> Iterable[Evidence]:
    if not texts:
        return ()
    from sentinel_signal_hallucination.checks import passing

    return passing(index, texts, settings)


def detect(index: TraceIndex, settings: Settings) -> Detection:
    """Judge one trace. None where it holds neither an assistant text nor a call: there is nothing to judge."""
    if not (index.texts or index.calls or index.orphans or index.children):
        return Detection(score=None, details="The trace holds no assistant text and no tool call.")
    check_expressions()
    gaps: list[str] = []
    rows = _evidence(index, settings, gaps)
    if not (rows or gaps or index.children):
        return _CLEAN
    score = combined(rows, settings.doubtful_ceiling)
    findings = [row.finding for row in rows]
    for position, child in enumerate(index.children):
        inner = detect(child, settings)
        score = max(score, inner.score or 0.0)
        findings += [attrs.evolve(finding, trace_path=(position, *finding.trace_path)) for finding in inner.findings]
        gaps += [gap for gap in inner.gaps if gap not in gaps]
    return Detection(score=score, findings=findings, details=_summary(findings), gaps=gaps)


def _summary(findings: list[Finding]) -> str:
    if not findings:
        return _CLEAN.details
    rules = sorted({finding.rule for finding in findings})
    counts = (f"{sum(finding.rule == rule for finding in findings)} {rule}" for rule in rules)
    return f"What the agent says or calls is not borne out: {', '.join(counts)}."
