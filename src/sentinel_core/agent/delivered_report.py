"""The report that a run really filed: what was staged, and what came of it."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core.agent.risk.rules import Risk
from sentinel_core.agent.staging import Delivery, StagedReport, staged_report
from sentinel_core.trace import ExecutionTrace

__all__ = ["FiledReport", "delivered_report", "filed_report"]


@attrs.frozen(kw_only=True)
class FiledReport:
    """A report that was filed: what the model sent, and the id and file that the tool's result gave, if it gave any.

    ``evidence`` is the severity that the data show, None where nobody could read them; the report is ``below_evidence``
    where it says less. ``fetched`` is False where there were no data.
    """

    report_id: str | None
    path: str | None
    severity: Risk
    findings: tuple[str, ...]
    below_evidence: bool = False
    evidence: Risk | None = "medium"
    fetched: bool = True


def filed_report(trace: ExecutionTrace, release_id: str) -> FiledReport | None:
    """The report that a trace shows as taken for this release, the last one; None where no call to file one succeeded.

    In a trace of our own the call staged the report, and ``metadata.delivery`` says what came of it: only one that was
    delivered counts.
    """
    staged = staged_report(trace.messages, release_id)
    if staged is None:
        return None
    delivery = trace.metadata.get("delivery")
    if isinstance(delivery, dict):
        return _report(staged, delivery) if delivery.get("status") == "delivered" else None
    answer = staged.answer
    return None if answer.get("status") == "staged" else _report(staged, answer)


def delivered_report(staged: StagedReport | None, delivery: Delivery | None) -> FiledReport | None:
    """What a run staged, where it was delivered; None where it was not, or nobody can know."""
    if staged is None or delivery is None or delivery.status != "delivered":
        return None
    return _report(staged, {"report_id": delivery.report_id, "path": delivery.path})


def _report(staged: StagedReport, given: Mapping[str, Any]) -> FiledReport:
    return FiledReport(
        report_id=given.get("report_id"),
        path=given.get("path"),
        severity=staged.severity,
        findings=staged.findings,
        below_evidence=staged.below_evidence,
        evidence=staged.evidence,
        fetched=staged.fetched,
    )
