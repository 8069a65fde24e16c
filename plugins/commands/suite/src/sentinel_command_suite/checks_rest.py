"""The dimensions ``decision_quality`` and ``error_handling``, and what holds for a sweep. Pure."""

import itertools
from collections.abc import Iterator, Sequence

from sentinel_command_suite.numbers import facts_of, names_in, numbers_in
from sentinel_command_suite.predicates import finds, told_as
from sentinel_command_suite.runs import Check, Run
from sentinel_command_suite.scenario import SEVERITIES, Criterion, DecisionQuality, ErrorHandling, Predicate

__all__ = ["check_decision", "check_errors", "check_rubric", "check_sweep"]

_QUOTE = 160
_TOLD = 3


def check_decision(run: Run, expect: DecisionQuality) -> Iterator[Check]:
    """Severity, risks, and that nothing was made up."""
    if expect.severities:
        right = run.severity in expect.severities
        wanted = " or ".join(expect.severities)
        yield _decision("severity", right, f"{run.severity or 'no report'}, and {wanted} is right")
    if expect.risks:
        yield _risks(run, expect.risks)
    for number, predicate in enumerate(expect.never, 1):
        said = finds(predicate, run)
        yield _decision(
            f"never_{number}", said is None, told_as(predicate) if said is None else f"said: {said[:_QUOTE]!r}"
        )
    if expect.grounded:
        yield _grounded(run, expect.known_numbers)


def _decision(name: str, score: float, evidence: str) -> Check:
    return Check(id=name, dimension="decision_quality", score=float(score), evidence=evidence)


def _risks(run: Run, risks: Sequence[Predicate]) -> Check:
    missing = [predicate for predicate in risks if finds(predicate, run) is None]
    told = f"not found: {'; '.join(map(told_as, missing[:_TOLD]))}" if missing else f"all {len(risks)} found"
    return _decision("risks_found", 1 - len(missing) / len(risks), told)


def _grounded(run: Run, known: Sequence[float]) -> Check:
    """Numbers and names of findings and answer that neither task nor tools gave, and that follow from nothing given."""
    facts = facts_of(run.given, (*known, len(run.findings)))
    numbers = [number for text in run.told for number in numbers_in(text)]
    names = [name for text in run.told for name in names_in(text)]
    invented = [number.written for number in numbers if not facts.gives(number)]
    invented += [name for name in names if not facts.names(name)]
    total = len(numbers) + len(names)
    if invented:
        told = ", ".join(repr(one[:_QUOTE]) for one in list(dict.fromkeys(invented))[:_TOLD])
        return _decision("grounded", 1 - len(invented) / total, f"in no tool's result: {told}")
    return _decision("grounded", 1.0, f"{total} numbers and names, all from the task and the tools")


def check_errors(run: Run, expect: ErrorHandling) -> Iterator[Check]:
    """How the run ended, whether a report came of it, and whether what went wrong was told."""
    yield _error("degrades", run.outcome in expect.outcomes, f'the run ended as "{run.outcome}"')
    if expect.report != "any":
        told = "a report was filed" if run.report_filed else "no report was filed"
        yield _error("report", run.report_filed == (expect.report == "filed"), f"{told}, expected {expect.report}")
    if expect.delivery:
        wanted = " or ".join(expect.delivery)
        yield _error(
            "delivery", run.delivery in expect.delivery, f"delivery: {run.delivery or 'none'}; right: {wanted}"
        )
    if expect.told:
        missing = [predicate for predicate in expect.told if finds(predicate, run) is None]
        evidence = f"not told: {'; '.join(map(told_as, missing[:_TOLD]))}" if missing else "what went wrong is told"
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
                evidence=f"not said: {told_as(row.predicate)}" if said is None else f"said: {said[:_QUOTE]!r}",
                weight=row.weight,
                threshold=row.threshold,
                required=row.required,
            )


def check_sweep(labels: Sequence[str], runs: Sequence[Run], wanted: Sequence[str]) -> Iterator[Check]:
    """Worse data never lowers the severity; and, where it is given, each severity is the right one."""
    seen = [run.severity for run in runs]
    told = ", ".join(f"{label}: {severity or 'no report'}" for label, severity in zip(labels, seen, strict=True))
    ranks = [SEVERITIES.index(one) for one in seen if one in SEVERITIES]
    falls = sum(later < earlier for earlier, later in itertools.pairwise(ranks))
    yield _decision("never_falls", 1 - falls / max(1, len(ranks) - 1), told)
    if wanted:
        right = sum(one == two for one, two in zip(seen, wanted, strict=True))
        yield _decision("severities", right / len(wanted), f"{told}; right are {', '.join(wanted)}")
