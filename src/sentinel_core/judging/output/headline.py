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
    """The worst finding that is no note, of a signal that counts if there is one, and its quote and text; else the reason of the verdict."""
    ordered = worst_first([one for one in report["findings"] if one["severity"] != "note"])
    worst = next((one for one in ordered if _counts(one, report["profile"])), next(iter(ordered), None))
    if worst is not None:
        return worst, (clipped(worst["quote"] or "", _LONGEST), clipped(worst["text"], _LONGEST))
    failures = [f'signal "{one["signal_name"]}" {one["error"]}' for one in report["failures"]]
    return None, ("", clipped("; ".join([*failures, report["reasoning"]]), _LONGEST))


def _counts(finding: _Object, profile: _Object) -> bool:
    """Whether the finding's signal has a weight, or a critical rule names it."""
    name = finding["rule"].partition(".")[0]
    return name in profile.get("weights", ()) or any(
        rule["signal_name"] == name for rule in profile.get("critical", ())
    )


def rank(report: ReliabilityReport) -> Rank:
    """Sorts reports, most worth reading first: by verdict, then triage score, then risk, then how much was found."""
    severities = [finding.severity for finding in report.findings]
    counts = (-severities.count("error"), -severities.count("warning"), -severities.count("note"))
    return (_VERDICTS.index(report.verdict), -(report.triage_score or 0), -(report.overall_score or 0), *counts)
