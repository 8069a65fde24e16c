"""One trial: run the agent in a scenario, check what it did, let the signals judge its trace."""

import hashlib
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import attrs

from sentinel_agent import FILE_REPORT, GET_SUMMARY, investigate
from sentinel_command_suite.behaviour import run_scripted, scripted_tools
from sentinel_command_suite.call_clock import CallClock
from sentinel_command_suite.checks_rest import check_decision, check_errors, check_rubric, check_sweep
from sentinel_command_suite.checks_tools import check_tools
from sentinel_command_suite.judge import Judge, Note
from sentinel_command_suite.results import TrialResult
from sentinel_command_suite.runs import Check, Run
from sentinel_command_suite.scenario import DIMENSIONS, Scenario
from sentinel_command_suite.service import release_service
from sentinel_command_suite.statistics import mean
from sentinel_command_suite.wiring import Kit
from sentinel_core import ExecutionTrace, Model, ReliabilityReport, Tool, TraceIndex
from sentinel_core.errors import SentinelError
from sentinel_core.evaluate.agreement import came_to
from sentinel_core.evaluate.evaluator import evaluate
from sentinel_core.host.connect import close_model
from sentinel_core.host.tools import Toolbox
from sentinel_core.runtime.clock import Clock, new_run_id
from sentinel_core.runtime.redact import redact
from sentinel_core.trace import canonical

__all__ = ["Trial", "cases_of", "run_trial"]

_VERDICTS = ("PASS", "WARN", "FAIL")
_PLACES = 6


@attrs.frozen(kw_only=True)
class Trial:
    """A trial to run: the scenario, the trial's number (from 1), the provider's name, and whether back-off waits."""

    scenario: Scenario
    number: int
    provider: str
    waits: bool = True


@attrs.frozen(kw_only=True)
class _Case:
    """One run of a trial. A sweep has several, each with a label."""

    label: str
    release: Mapping[str, Any] | None


def cases_of(scenario: Scenario) -> tuple[_Case, ...]:
    """The runs of one trial, in order."""
    sweep = scenario.sweep
    if sweep is None:
        return (_Case(label="", release=scenario.release),)
    name = sweep.vary.rpartition(".")[2]
    labels = [
        f"{name}={value}" if not isinstance(value, list | dict) else f"{name}:{n}"
        for n, value in enumerate(sweep.values)
    ]
    releases = [_varied(scenario.release or {}, sweep.vary.split("."), value) for value in sweep.values]
    return tuple(_Case(label=label, release=release) for label, release in zip(labels, releases, strict=True))


def _varied(release: Mapping[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    head, *rest = path
    inner = release.get(head)
    return {**release, head: _varied(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}


def run_trial(
    trial: Trial,
    kit: Kit,
    *,
    connect: Callable[[], Model],
    judge: Judge | None = None,
    keep: Callable[[str, ExecutionTrace], None] = lambda _label, _trace: None,
) -> TrialResult:
    """Run one trial. A failure of the harness is a result with the status ``error``, never an exception.

    ``keep`` is given the trace of each run of a trial that did not pass; if it raises ``OSError`` or
    ``ValueError``, a note says so.
    """
    notes: list[str] = []
    try:
        clock = CallClock()
        runs = [
            _run(trial, case, kit, lambda: clock.timed(connect()), notes.append) for case in cases_of(trial.scenario)
        ]
        result = attrs.evolve(
            _judged(trial, runs, kit, judge, notes.append), call_ms=clock.median_ms if trial.waits else None
        )
    except (SentinelError, OSError) as error:
        runs = []
        result = TrialResult(scenario=trial.scenario.id, trial=trial.number, status="error", error=redact(str(error)))
    if result.status != "passed" and runs:
        _keep(cases_of(trial.scenario), runs, keep, notes.append)
    return attrs.evolve(result, notes=tuple(dict.fromkeys(map(redact, notes))))


def _keep(cases: Sequence[_Case], runs: Sequence[Run], keep: Callable[[str, ExecutionTrace], None], note: Note) -> None:
    for case, run in zip(cases, runs, strict=True):
        try:
            keep(case.label, run.trace)
        except (OSError, ValueError) as error:  # the disk, or an id that is too long for a file's name
            note(f"the trace could not be stored: {getattr(error, 'strerror', None) or error}")


def _run(trial: Trial, case: _Case, kit: Kit, connect: Callable[[], Model], note: Note) -> Run:
    scenario = trial.scenario
    clock = _clock(trial, case)
    with ExitStack() as stack:
        tools, toolbox = _tools(scenario, case, kit, clock, stack)
        model = connect()
        stack.callback(close_model, model, trial.provider, note)
        return Run.of(
            investigate(scenario.release_id, model, tools, provider=trial.provider, toolbox=toolbox, clock=clock)
        )


def _tools(scenario: Scenario, case: _Case, kit: Kit, clock: Clock, stack: ExitStack) -> tuple[list[Tool], Toolbox]:
    if scenario.toolset == "scripted":
        return scripted_tools(scenario, case.release), Toolbox(run=run_scripted, clock=clock)
    overrides = {} if scenario.toolset == "installed" else _over_http(scenario, case, stack)
    return kit.bound_tools(overrides), Toolbox(clock=clock)


def _over_http(scenario: Scenario, case: _Case, stack: ExitStack) -> dict[str, dict[str, Any]]:
    """Settings that point the installed tools at a service for this run, with a reports folder of its own."""
    base = stack.enter_context(release_service(scenario, case.release))
    places = {
        GET_SUMMARY: {"releases": base},
        FILE_REPORT: {"reports": base, "outbox": stack.enter_context(tempfile.TemporaryDirectory())},
    }
    limits = {name: script.timeout_ms / 1000 for name, script in scenario.tools.items()}
    return {
        name: {**given, "timeout": limits[name]} if name in limits else dict(given) for name, given in places.items()
    }


def _clock(trial: Trial, case: _Case) -> Clock:
    """Ids, times and random numbers that are the same each time the trial runs; a replayed trial does not wait.

    Real tools get new ids each time, because a report's idempotency key is made of them.
    """
    seconds, ids = itertools.count(), itertools.count(1)
    name = "-".join(
        filter(None, (trial.scenario.id, case.label.replace("=", "-").replace(":", "-"), str(trial.number)))
    )
    plain = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)
    return Clock(
        now=lambda: f"2026-01-01T00:{(second := next(seconds)) // 60 % 60:02}:{second % 60:02}Z",
        new_id=(lambda: f"{plain}-{next(ids)}") if trial.scenario.toolset == "scripted" else new_run_id,
        sleep=time.sleep if trial.waits else lambda _seconds: None,
        random=random.Random(plain).random,  # noqa: S311 - jitter, no secret
    )


def _judged(trial: Trial, runs: Sequence[Run], kit: Kit, judge: Judge | None, note: Note) -> TrialResult:
    scenario = trial.scenario
    reports = [evaluate(TraceIndex(run.trace), kit.panel) for run in runs]
    checks = tuple(_checks(scenario, runs))
    opinions = judge.opinions(scenario, runs, note) if judge is not None else ()
    checks = (*checks, *opinions)
    worst = max((_VERDICTS.index(report.verdict) for report in reports if report.verdict), default=0)
    error = _blame(runs, reports)
    passed = worst <= _VERDICTS.index(scenario.expect.worst_verdict) and all(
        check.passed for check in checks if check.required
    )
    return TrialResult(
        scenario=scenario.id,
        trial=trial.number,
        status="error" if error else "passed" if passed else "failed",
        scores=_scores(checks),
        checks=tuple(attrs.evolve(check, evidence=redact(check.evidence)) for check in checks),
        reliability=_reliability(reports, worst),
        severity=tuple(run.severity for run in runs),
        outcome=tuple(run.outcome for run in runs),
        came_to=_came_to(runs, reports),
        model=_model(runs),
        tokens=_sum(run.trace.token_usage.total for run in runs if run.trace.token_usage is not None),
        cost_usd=_sum(cost for run in runs for cost in _costs(run.trace)),
        judge_cost_usd=judge.spent() if judge is not None else None,
        error=error and redact(error),
    )


def _came_to(runs: Sequence[Run], reports: Sequence[ReliabilityReport]) -> str:
    """A digest of what all runs of the trial came to; empty where one ended badly."""
    keys = [came_to(TraceIndex(run.trace), report) for run, report in zip(runs, reports, strict=True)]
    return "" if None in keys else hashlib.sha256(canonical(keys)).hexdigest()[:16]


def _checks(scenario: Scenario, runs: Sequence[Run]) -> Iterator[Check]:
    expect, cases = scenario.expect, cases_of(scenario)
    for case, run in zip(cases, runs, strict=True):
        of_run = itertools.chain(
            check_tools(run, expect.tool_usage),
            check_decision(run, expect.decision_quality, scenario.release_id),
            check_errors(run, expect.error_handling),
            check_rubric(run, scenario.rubric),
        )
        yield from (check.labelled(case.label) for check in of_run)
    if scenario.sweep is not None:
        yield from check_sweep([case.label for case in cases], runs, scenario.sweep.severity)


def _blame(runs: Sequence[Run], reports: Sequence[ReliabilityReport]) -> str | None:
    """The failure of the harness, not of the agent, that makes the trial an error; None if there is none."""
    for run in runs:
        if run.outcome == "model_error":
            return run.error or "the provider failed"
    for report in reports:
        for failure in report.failures:
            if not failure.advisory:
                return f'signal "{failure.signal_name}" {failure.error}'
        if report.verdict is None:
            return "the reliability signals gave no verdict"
    return None


def _scores(checks: Sequence[Check]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for dimension in DIMENSIONS:
        own = [check for check in checks if check.dimension == dimension and check.weight]
        if own:
            total = sum(check.weight for check in own)
            scores[dimension] = round(sum(check.weight * check.score for check in own) / total, _PLACES)
    return scores


def _reliability(reports: Sequence[ReliabilityReport], worst: int) -> dict[str, Any]:
    """The worst verdict, and the mean of each risk over the runs of the trial."""
    risks: dict[str, list[float]] = {}
    for report in reports:
        for score in report.signal_scores:
            if score.score is not None:
                risks.setdefault(score.signal_name, []).append(score.score)
    overall = [report.overall_score for report in reports if report.overall_score is not None]
    return {
        "verdict": _VERDICTS[worst] if overall else None,
        "overall": round(mean(overall), _PLACES) if overall else None,
        "signals": {name: round(mean(values), _PLACES) for name, values in sorted(risks.items())},
    }


def _model(runs: Sequence[Run]) -> str | None:
    named = [message.details.model for run in runs for message in run.trace.messages if message.details]
    return next((name for name in named if name), None)


def _costs(trace: ExecutionTrace) -> Iterator[float]:
    for message in trace.messages:
        if message.details is not None and message.details.cost_usd is not None:
            yield message.details.cost_usd


def _sum(values: Iterator[Any]) -> Any:
    known = list(values)
    return sum(known) if known else None
