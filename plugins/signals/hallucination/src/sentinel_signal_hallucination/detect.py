"""The signal: every rule over the trace and its sub-agents, and one score."""

from collections.abc import Iterable

import attrs

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import Detection, Finding
from sentinel_signal_hallucination._settings import Settings
from sentinel_signal_hallucination.evidence import Evidence, combined
from sentinel_signal_hallucination.fabrication import fabricated
from sentinel_signal_hallucination.imitation import imitated
from sentinel_signal_hallucination.numbers import contradicted
from sentinel_signal_hallucination.pairing import orphaned, unanswered
from sentinel_signal_hallucination.tools import RUN, ability

__all__ = ["detect"]


_CLEAN = Detection(score=0.0, details="What the agent says about its tools agrees with the calls that it made.")


def _evidence(index: TraceIndex, settings: Settings, gaps: list[str]) -> list[Evidence]:
    # One text to search costs far less than many, and most searches come to nothing.
    spoken = "\n".join([text.content for text in index.texts])
    return [
        *fabricated(index, settings, spoken),
        *imitated(index, settings, gaps, spoken),
        *contradicted(index, settings),
        *_broken(index, settings, spoken),
        *unanswered(index, settings, gaps),
        *orphaned(index, settings, gaps),
    ]


def _broken(index: TraceIndex, settings: Settings, spoken: str) -> Iterable[Evidence]:
    """What is said to pass and failed: only tools that run something could have told."""
    if not any(RUN in ability(tool).families for tool in {call.call.name for call in index.calls}):
        return ()
    from sentinel_signal_hallucination.broken import broken_checks  # most traces have no such tool
    from sentinel_signal_hallucination.passing import broken_tests

    return *broken_tests(index, settings, spoken), *broken_checks(index, settings)


def detect(index: TraceIndex, settings: Settings) -> Detection:
    """Judge one trace. None where it holds neither an assistant text nor a call: there is nothing to judge."""
    if not (index.texts or index.calls or index.orphans or index.children):
        return Detection(score=None, details="The trace holds no assistant text and no tool call.")
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
