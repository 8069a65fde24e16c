"""A report without the secrets that its quotes of the trace may hold."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sentinel_core._fast import evolve
from sentinel_core.redact import redact
from sentinel_core.report import Coverage, Finding, ReliabilityReport, SignalFailure, SignalScore

__all__ = ["redacted"]

_Row = TypeVar("_Row")


def redacted(report: ReliabilityReport) -> ReliabilityReport:
    """The report with secrets taken out of everything that quotes the trace."""
    return evolve(
        report,
        findings=_each(_finding, report.findings),
        failures=_each(_failure, report.failures),
        signal_scores=_each(_score, report.signal_scores),
        unread=_each(redact, report.unread),
        coverage=_each(_coverage, report.coverage),
    )


def _each(change: Callable[[_Row], _Row], rows: Sequence[_Row]) -> tuple[_Row, ...]:
    return tuple([change(row) for row in rows]) if rows else ()


# A row that holds no secret, as nearly all do, stays what it is: to make it anew costs more than to look.


def _finding(finding: Finding) -> Finding:
    text, quote = redact(finding.text), finding.quote
    quote = None if quote is None else redact(quote)
    return finding if (text, quote) == (finding.text, finding.quote) else evolve(finding, text=text, quote=quote)


def _failure(failure: SignalFailure) -> SignalFailure:
    error = redact(failure.error)
    return failure if error == failure.error else evolve(failure, error=error)


def _score(score: SignalScore) -> SignalScore:
    details = redact(score.details)
    return score if details == score.details else evolve(score, details=details)


def _coverage(row: Coverage) -> Coverage:
    reason, gaps = redact(row.reason) if row.reason else "", _each(redact, row.gaps)
    return row if reason == row.reason and gaps == row.gaps else evolve(row, reason=reason, gaps=gaps)
