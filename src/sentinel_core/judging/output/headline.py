"""What is worst about a report, in its own words, and which of many reports is most worth a look."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentinel_core.runtime.printable import clipped

__all__ = ["SEVERITIES", "headline", "rank", "worst_first"]

SEVERITIES = ("error", "warning", "note")
_VERDICTS = ("FAIL", None, "WARN", "PASS")
_LONGEST = 220

_Object = Mapping[str, Any]


def worst_first(findings: Sequence[_Object]) -> list[_Object]:
    """Findings by severity; of equals those with a quote first, then as they stand in the report."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one["severity"]), one["quote"] is None))


def headline(report: _Object) -> tuple[str, str]:
    """The quote and the text of the worst finding that is no note; where there is none, the reason of the verdict."""
    for finding in worst_first(report["findings"])[:1]:
        if finding["severity"] != "note":
            return clipped(finding["quote"] or "", _LONGEST), clipped(finding["text"], _LONGEST)
    failures = [f'signal "{one["signal_name"]}" {one["error"]}' for one in report["failures"]]
    return "", clipped("; ".join([*failures, report["reasoning"]]), _LONGEST)


def rank(report: _Object) -> tuple[float, ...]:
    """Sorts reports, most worth a look first: by verdict, then triage score, then risk, then how much was found."""
    counts = [sum(one["severity"] == severity for one in report["findings"]) for severity in SEVERITIES]
    triage, risk = report.get("triage_score"), report["overall_score"]
    return (_VERDICTS.index(report["verdict"]), -(triage or 0), -(risk or 0), *(-count for count in counts))
