"""The checks of ``decision_quality`` and ``error_handling``, of rubrics and of sweeps. Pure."""

import itertools
from collections.abc import Iterator, Sequence

from sentinel_command_suite.predicates import description_of, finds
from sentinel_command_suite.runs import Check, Run
from sentinel_command_suite.scenario import SEVERITIES, Criterion, DecisionQuality, ErrorHandling, Predicate
from sentinel_core.evaluate.facts.reports import Report, contradictions

__all__ = ["check_decision", "check_errors", "check_rubric", "check_sweep"]

_QUOTE = 160
_SHOWN = 3


def check_decision(run: Run, expect: DecisionQuality, release_id: str = "") -> Iterator[Check]:
    """Check the severity, the risks, and that nothing in the report on the release is invented."""
    if expect.severities:
        right = run.severity in expect.severities
        wanted = " or ".join(expect.severities)
        yield _decision("severity", right, f"{run.severity or 'no report'}; expected {wanted}")
    if expect.risks:
        yield _risks(run, expect.risks)
    for number, predicate in enumerate(expect.never, 1):
        said = finds(predicate, run)
        yield _decision(
            f"never_{number}", said is None, description_of(predicate) if said is None else f"said: {said[:_QUOTE]!r}"
        )
    if expect.grounded:
        yield _grounded(run, release_id, expect.known_numbers)


def _decision(name: str, score: float, evidence: str) -> Check:
    return Check(id=name, dimension="decision_quality", score=float(score), evidence=evidence)


def _risks(run: Run, risks: Sequence[Predicate]) -> Check:
    missing = [predicate for predicate in risks if finds(predicate, run) is None]
    shown = f"not found: {'; '.join(map(description_of, missing[:_SHOWN]))}" if missing else f"all {len(risks)} found"
    return _decision("risks_found", 1 - len(missing) / len(risks), shown)


def _grounded(run: Run, release_id: str, known: Sequence[float]) -> Check:
    """Check that the tools' results contradict nothing that the agent says, and hold its numbers and names."""
    report = Report(release_id=release_id, severity=run.severity or "", findings=run.findings, answer=run.answer)
    found = contradictions(run.trace.messages, report, known)
    if not found:
        return _decision("grounded", 1.0, "the tools' results support the findings and the answer")
    shown = "; ".join(row.told[:_QUOTE] for row in found[:_SHOWN])
    return _decision("grounded", max(0.0, 1 - len(found) / len(run.statements)), shown)


def check_errors(run: Run, expect: ErrorHandling) -> Iterator[Check]:
    """Check how the run ended, whether a report was filed, and whether the agent reported what went wrong."""
    yield _error("degrades", run.outcome in expect.outcomes, f'the run ended as "{run.outcome}"')
    if expect.report != "any":
        seen = "a report was filed" if run.report_filed else "no report was filed"
        yield _error("report", run.report_filed == (expect.report == "filed"), f"{seen}; expected {expect.report}")
    if expect.delivery:
        wanted = " or ".join(expect.delivery)
        yield _error(
            "delivery", run.delivery in expect.delivery, f"delivery: {run.delivery or 'none'}; expected {wanted}"
        )
    if expect.told:
        missing = [predicate for predicate in expect.told if finds(predicate, run) is None]
        evidence = (
            f"not reported: {'; '.join(map(description_of, missing[:_SHOWN]))}"
            if missing
            else "the agent reports what went wrong"
        )
        yield _error("told", 1 - len(missing) / len(expect.told), evidence)


def _error(name: str, score: float, evidence: str) -> Check:
    return Check(id=name, dimension="error_handling", score=float(score), evidence=evidence)


def check_rubric(run: Run, rubric: Sequence[Criterion]) -> Iterator[Check]:
    """The rows of a rubric that need no judge."""
    for row in rubric:
        if row.predicate is not None:
            said = finds(row.predicate, run)
            yield Check(
                id=f"rubric.{row.id}",
                dimension=row.dimension,
                score=float(said is not None),
                evidence=f"not said: {description_of(row.predicate)}" if said is None else f"said: {said[:_QUOTE]!r}",
                weight=row.weight,
                threshold=row.threshold,
                required=row.required,
            )


def check_sweep(labels: Sequence[str], runs: Sequence[Run], wanted: Sequence[str]) -> Iterator[Check]:
    """Check that worse data never lowers the severity, and that the severities are those ``wanted``, if given."""
    seen = [run.severity for run in runs]
    shown = ", ".join(f"{label}: {severity or 'no report'}" for label, severity in zip(labels, seen, strict=True))
    ranks = [SEVERITIES.index(severity) for severity in seen if severity in SEVERITIES]
    falls = sum(later < earlier for earlier, later in itertools.pairwise(ranks))
    yield _decision("never_falls", 1 - falls / max(1, len(ranks) - 1), shown)
    if wanted:
        right = sum(severity == expected for severity, expected in zip(seen, wanted, strict=True))
        yield _decision("severities", right / len(wanted), f"{shown}; expected {', '.join(wanted)}")
