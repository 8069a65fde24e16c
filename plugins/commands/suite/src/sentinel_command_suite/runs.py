"""One run of the agent, in the form that the checks use. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from sentinel_agent import FILE_REPORT, RunResult, staged_report
from sentinel_command_suite.scenario import SEVERITIES
from sentinel_core import Call, ExecutionTrace, TraceIndex

__all__ = ["Check", "Run"]

_PASSES_AT = 1 - 1e-9


@attrs.frozen(kw_only=True)
class Check:
    """The result of one check: a score in [0, 1], and the evidence in a sentence.

    ``certain`` is False for a judge's opinion. ``threshold`` is the score that passes; a check that is not ``required``
    only lowers the score of its dimension.
    """

    id: str
    dimension: str
    score: float
    evidence: str
    weight: float = 1.0
    certain: bool = True
    threshold: float = 1.0
    required: bool = True

    @property
    def passed(self) -> bool:
        """True if the score reaches the threshold."""
        return self.score >= min(self.threshold, _PASSES_AT)

    def labelled(self, label: str) -> "Check":
        """The same check, with the label of its run in its id."""
        return attrs.evolve(self, id=f"{self.id}[{label}]") if label else self


@attrs.frozen(kw_only=True)
class Run:
    """One run: its trace, how it ended, and the report that the agent decided on (severity and findings).

    ``delivery`` is the status of that report's delivery, None if there was no report.
    """

    trace: ExecutionTrace
    outcome: str
    answer: str
    severity: str | None
    findings: tuple[str, ...]
    report_filed: bool
    delivery: str | None = None
    error: str | None = None
    calls: Sequence[Call] = ()

    @classmethod
    def of(cls, result: RunResult) -> "Run":
        """From the agent's result."""
        staged = staged_report(result.trace.messages, result.release_id)
        calls = tuple(TraceIndex(result.trace).calls)
        given = {} if staged is not None else _last_filing(calls)
        return cls(
            trace=result.trace,
            outcome=result.outcome,
            answer=result.answer,
            severity=given.get("severity") if staged is None else staged.severity,
            findings=tuple(given.get("findings", ())) if staged is None else tuple(staged.findings),
            report_filed=result.report is not None,
            delivery=None if result.delivery is None else result.delivery.status,
            error=result.error,
            calls=calls,
        )

    @property
    def statements(self) -> tuple[str, ...]:
        """Findings, then the answer."""
        return (*self.findings, self.answer)


def _last_filing(calls: Sequence[Call]) -> Mapping[str, Any]:
    """The last report that the agent tried to file, as far as it fits the schema: it was refused, and shows its decision all the same."""
    for call in reversed(calls):
        given = call.call.arguments
        if (
            call.call.name == FILE_REPORT
            and isinstance(given.get("findings"), list)
            and given.get("severity") in SEVERITIES
        ):
            return {**given, "findings": [finding for finding in given["findings"] if isinstance(finding, str)]}
    return {}
