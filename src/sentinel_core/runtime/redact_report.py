"""A report without the secrets that its quotes of the trace may hold."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sentinel_core._fast import evolve
from sentinel_core.report import Coverage, Finding, ReliabilityReport, SignalFailure, SignalScore
from sentinel_core.runtime.redact import redact, redact_cut

__all__ = ["redacted"]

_Row = TypeVar("_Row")


def redacted(report: ReliabilityReport) -> ReliabilityReport:
    """The report with secrets taken out of everything that quotes the trace; itself where there are none."""
    found = {
        "trace_id": redact(report.trace_id),
        "findings": _each(_finding, report.findings),
        "failures": _each(_failure, report.failures),
        "signal_scores": _each(_score, report.signal_scores),
        "unread": _each(redact, report.unread),
        "coverage": _each(_coverage, report.coverage),
    }
    changed = {name: value for name, value in found.items() if value != getattr(report, name)}
    return evolve(report, **changed) if changed else report


def _each(change: Callable[[_Row], _Row], rows: Sequence[_Row]) -> Sequence[_Row]:
    return tuple([change(row) for row in rows]) if rows else rows


# A row that holds no secret, as nearly all do, stays what it is: to make it anew costs more than to look.


def _finding(finding: Finding) -> Finding:
    found = (
        redact(finding.text),
        _perhaps(redact_cut, finding.quote),
        _perhaps(redact, finding.call_id),
        _perhaps(redact, finding.origin),
    )
    if found == (finding.text, finding.quote, finding.call_id, finding.origin):
        return finding
    text, quote, call_id, origin = found
    return evolve(finding, text=text, quote=quote, call_id=call_id, origin=origin)


def _perhaps(change: Callable[[str], str], text: str | None) -> str | None:
    return None if text is None else change(text)


def _failure(failure: SignalFailure) -> SignalFailure:
    error = redact_cut(failure.error)
    return failure if error == failure.error else evolve(failure, error=error)


def _score(score: SignalScore) -> SignalScore:
    details = redact(score.details)
    return score if details == score.details else evolve(score, details=details)


def _coverage(row: Coverage) -> Coverage:
    reason, gaps = redact(row.reason) if row.reason else "", _each(redact, row.gaps)
    return row if reason == row.reason and gaps == row.gaps else evolve(row, reason=reason, gaps=gaps)
