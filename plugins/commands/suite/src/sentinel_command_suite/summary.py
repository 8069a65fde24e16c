"""Figures from trials: per scenario, per dimension, and overall, each with n and an interval. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from sentinel_command_suite.results import EvaluationResults, ScenarioResult, Status, TrialResult
from sentinel_command_suite.scenario import DIMENSIONS, Scenario, Suite, digest_of
from sentinel_command_suite.statistics import bootstrap_interval, mean, pass_all, pass_at, wilson_interval

__all__ = ["agrees_with_trials", "figure", "gather", "summary_of"]

_PLACES = 6
_MOST_K = 10


def gather(
    suite: Suite, provider: str, versions: Mapping[str, str], trials: Iterable[TrialResult], incomplete: str = ""
) -> EvaluationResults:
    """The results of the suite's scenarios, in the suite's order, from trials in any order."""
    by_scenario: dict[str, list[TrialResult]] = {scenario.id: [] for scenario in suite.scenarios}
    for trial in sorted(trials, key=lambda result: result.trial):
        by_scenario[trial.scenario].append(trial)
    scenarios = tuple(_scenario(scenario, by_scenario[scenario.id]) for scenario in suite.scenarios)
    models = {trial.model for scenario in scenarios for trial in scenario.trials if trial.model}
    return EvaluationResults(
        suite=suite.name,
        suite_version=suite.version,
        suite_digest=suite.digest,
        provider=provider,
        versions=dict(versions),
        scenarios=scenarios,
        models=tuple(sorted(models)),
        incomplete=incomplete,
        judge={} if suite.judge is None else attrs.asdict(suite.judge),
    )


def _scenario(scenario: Scenario, trials: Sequence[TrialResult]) -> ScenarioResult:
    figures = _figures(trials)
    return ScenarioResult(
        id=scenario.id,
        status=_status(figures["passed"], figures["n"], scenario.pass_rate),
        digest=digest_of({**attrs.asdict(scenario), "trials": None}),
        trials=tuple(trials),
        **figures,
    )


def _figures(trials: Sequence[TrialResult]) -> dict[str, Any]:
    """The figures that depend on the trials alone."""
    counted = [trial for trial in trials if trial.status != "error"]
    passed = sum(trial.status == "passed" for trial in counted)
    return {
        "scores": _means([trial.scores for trial in counted]),
        "n": len(counted),
        "passed": passed,
        "errors": len(trials) - len(counted),
        "interval": wilson_interval(passed, len(counted)),
    }


def agrees_with_trials(scenario: ScenarioResult) -> bool:
    """True if the figures of a scenario match its trials."""
    return all(getattr(scenario, name) == value for name, value in _figures(scenario.trials).items())


def _status(passed: int, n: int, wanted: float) -> Status:
    if not n:
        return "error"
    if passed / n >= wanted:
        return "passed"
    return "flaky" if passed else "failed"


def _means(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for dimension in DIMENSIONS:
        values = [row[dimension] for row in scores if dimension in row]
        if values:
            found[dimension] = round(mean(values), _PLACES)
    return found


def figure(value: float, n: int, interval: tuple[float, float]) -> dict[str, Any]:
    """A value with its number of observations and its 95% interval."""
    return {"value": round(value, _PLACES), "n": n, "interval": [round(bound, _PLACES) for bound in interval]}


def summary_of(results: EvaluationResults) -> dict[str, Any]:
    """The figures of a whole run. Rates are None if nothing could be evaluated."""
    evaluated = results.evaluated
    passed = sum(scenario.status == "passed" for scenario in evaluated)
    trials, good = sum(scenario.n for scenario in evaluated), sum(scenario.passed for scenario in evaluated)
    scores = {name: [scenario.scores[name] for scenario in evaluated if name in scenario.scores] for name in DIMENSIONS}
    scores = {name: values for name, values in scores.items() if values}
    return {
        "pass_rate": round(passed / len(evaluated), _PLACES) if evaluated else None,
        "total_scenarios": len(results.scenarios),
        "avg_scores": {name: round(mean(values), _PLACES) for name, values in scores.items()},
        "passed": passed,
        "failed": sum(scenario.status == "failed" for scenario in evaluated),
        "flaky": sum(scenario.status == "flaky" for scenario in evaluated),
        "not_evaluated": len(results.scenarios) - len(evaluated),
        "harness_errors": sum(scenario.errors for scenario in results.scenarios),
        "trials": trials,
        "figures": {
            "pass_rate": figure(passed / len(evaluated), len(evaluated), wilson_interval(passed, len(evaluated))),
            "trial_pass_rate": figure(good / trials, trials, wilson_interval(good, trials)),
            **{name: figure(mean(values), len(values), bootstrap_interval(values)) for name, values in scores.items()},
        }
        if evaluated
        else {},
        "pass@k": _over_k(evaluated, pass_at),
        "pass^k": _over_k(evaluated, pass_all),
        "tokens": _total(trial.tokens for scenario in results.scenarios for trial in scenario.trials),
        "cost_usd": _total(trial.cost_usd for scenario in results.scenarios for trial in scenario.trials),
        "judge_cost_usd": _total(trial.judge_cost_usd for scenario in results.scenarios for trial in scenario.trials),
    }


def _over_k(evaluated: Sequence[ScenarioResult], chance: Callable[[int, int, int], float]) -> dict[str, Any]:
    """For each k, the mean over the scenarios with at least k trials."""
    most = min(_MOST_K, max((scenario.n for scenario in evaluated), default=0))
    found = {}
    for k in range(1, most + 1):
        values = [chance(scenario.passed, scenario.n, k) for scenario in evaluated if scenario.n >= k]
        found[str(k)] = figure(mean(values), len(values), bootstrap_interval(values))
    return found


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
