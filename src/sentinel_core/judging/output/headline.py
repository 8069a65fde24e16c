"""What is worst about a report, in its own words, and which of many reports is most worth a look."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.printable import clipped

__all__ = ["SEVERITIES", "UNREADABLE", "Rank", "headline", "rank", "worst_first"]

SEVERITIES = ("error", "warning", "note")
_VERDICTS = ("FAIL", None, "WARN", "PASS")
_LONGEST = 220

Rank = tuple[float, ...]
UNREADABLE: Rank = (1.0,)
"""Of what could not be read: after what failed, with what got no verdict."""

_Object = Mapping[str, Any]


def worst_first(findings: Sequence[_Object]) -> list[_Object]:
    """Findings by severity; of equals those with a quote first, then as they stand in the report."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one["severity"]), one["quote"] is None))


def headline(report: _Object) -> tuple[_Object | None, tuple[str, str]]:
    """The worst finding that is no note, and its quote and text; where there is none, the reason of the verdict."""
    worst = next(iter(worst_first(report["findings"])), None)
    if worst is not None and worst["severity"] != "note":
        return worst, (clipped(worst["quote"] or "", _LONGEST), clipped(worst["text"], _LONGEST))
    failures = [f'signal "{one["signal_name"]}" {one["error"]}' for one in report["failures"]]
    return None, ("", clipped("; ".join([*failures, report["reasoning"]]), _LONGEST))


def rank(report: ReliabilityReport) -> Rank:
    """Sorts reports, most worth reading first: by verdict, then triage score, then risk, then how much was found."""
    severities = [finding.severity for finding in report.findings]
    counts = (-severities.count("error"), -severities.count("warning"), -severities.count("note"))
    return (_VERDICTS.index(report.verdict), -(report.triage_score or 0), -(report.overall_score or 0), *counts)
