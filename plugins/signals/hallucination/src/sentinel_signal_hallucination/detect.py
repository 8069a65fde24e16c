"""The signal: a first look at each text, every rule over the trace and its sub-agents, and one score."""

from collections.abc import Iterable
from functools import cache

import attrs

from sentinel_core.evaluate.index import Text, TraceIndex
from sentinel_core.report import Detection, Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, combined
from sentinel_signal_hallucination.looks import Look, looks_at
from sentinel_signal_hallucination.lookups import lookups
from sentinel_signal_hallucination.pairing import imitated, orphaned, unanswered
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.sentences import plain, sentences
from sentinel_signal_hallucination.statements import statements
from sentinel_signal_hallucination.tool_words import tool_results, tool_uses
from sentinel_signal_hallucination.values import unheld
from sentinel_signal_hallucination.waiting import waiting

__all__ = ["check_expressions", "detect"]

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


_CLEAN = Detection(score=0.0, details="Nothing that the agent says contradicts the record.")


def _evidence(index: TraceIndex, settings: Settings, gaps: list[str]) -> list[Evidence]:
    # One text to search costs far less than many, and most searches come to nothing.
    spoken = "\n".join([text.content for text in index.texts])
    looks = looks_at(index.texts)
    record = Record(index)
    claimed = list(_claimed(record, looks, settings)) if looks else []
    checked = list(_checked(index, [look for look in looks if look.checks], settings))
    errors = (row for row in (*claimed, *checked) if row.finding.severity == "error")
    claimed += _swallowed(index, settings, _places(errors))
    return [
        *claimed,
        *waiting(record, looks, settings, _places(claimed)),
        *(() if claimed else lookups(index, settings)),
        *tool_results(index, [look.text for look in looks if look.gave], settings),
        *unheld(index, settings),
        *checked,
        *imitated(index, settings, gaps, spoken),
        *unanswered(index, settings, gaps),
        *orphaned(index, settings, gaps),
    ]


def _places(rows: Iterable[Evidence]) -> frozenset[int]:
    return frozenset(row.finding.message_index or 0 for row in rows)


def _claimed(record: Record, looks: list[Look], settings: Settings) -> Iterable[Evidence]:
    told = set[tuple[str, str]]()
    for look in looks:
        deeds, at = look.groups - _TOOL, look.text.message_index
        rows: list[Evidence] = []
        if record.has_business and ((deeds and not record.covers(at, deeds)) or (look.weak and record.may_wait(at))):
            rows += _claims(look.text, record, settings)
        if look.groups & _TOOL and not record.has_run(at):
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


def _checked(index: TraceIndex, looks: list[Look], settings: Settings) -> Iterable[Evidence]:
    ran = bool(looks) and any(call.checks for call in index.calls)
    texts = [look.text for look in looks if look.named or ran]
    if not texts:
        return ()
    from sentinel_signal_hallucination.checks import passing

    return passing(index, texts, settings)


def _swallowed(index: TraceIndex, settings: Settings, known: frozenset[int]) -> Iterable[Evidence]:
    if not any(call.outcome.state == "failed" or call.checks for call in index.calls):
        return ()
    from sentinel_signal_hallucination.swallowed import swallowed

    return swallowed(index, settings, known)


def detect(index: TraceIndex, settings: Settings) -> Detection:
    """Judge one trace. None where it holds neither an assistant text nor a call: there is nothing to judge."""
    if not (index.texts or index.calls or index.orphans or index.children):
        return Detection(score=None, details="The trace contains no assistant text and no tool call.")
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
    return f"The record does not support what the agent says or calls: {', '.join(counts)}."
