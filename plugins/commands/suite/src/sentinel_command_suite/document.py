"""Results and comparison as one document: the shape that is written as JSON. Pure."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from sentinel_command_suite.compare import Comparison, Entry
from sentinel_command_suite.judge import agreement_in
from sentinel_command_suite.results import EvaluationResults, ScenarioResult, TrialResult
from sentinel_command_suite.statistics import pass_all, pass_at
from sentinel_command_suite.summary import summary_of

__all__ = ["FailOn", "document_of", "exit_code"]

FailOn = Literal["failure", "regression", "never"]
Labels = Mapping[tuple[str, str], bool]
_PLACES = 6


def document_of(
    results: EvaluationResults, comparison: Comparison | None = None, labels: Labels | None = None
) -> dict[str, Any]:
    """``summary``, ``scenarios``, ``regression_analysis``, and the suite, provider, models and versions."""
    return {
        "schema": 1,
        "suite": {"name": results.suite, "version": results.suite_version, "digest": results.suite_digest},
        "provider": results.provider,
        "models": list(results.models),
        "versions": results.versions,
        "incomplete": results.incomplete or None,
        "summary": summary_of(results),
        "scenarios": [_scenario(scenario) for scenario in results.scenarios],
        "judge": _judge(results, labels),
        "regression_analysis": _analysis(comparison),
    }


def _scenario(scenario: ScenarioResult) -> dict[str, Any]:
    ks = range(1, scenario.n + 1)
    return {
        "id": scenario.id,
        "status": scenario.status,
        "scores": scenario.scores,
        "n": scenario.n,
        "passed": scenario.passed,
        "harness_errors": scenario.errors,
        "interval": [round(bound, _PLACES) for bound in scenario.interval],
        "pass@k": {str(k): round(pass_at(scenario.passed, scenario.n, k), _PLACES) for k in ks},
        "pass^k": {str(k): round(pass_all(scenario.passed, scenario.n, k), _PLACES) for k in ks},
        "disagreements": {str(trial): share for trial, share in scenario.disagreements.items()},
        "trials": [_trial(trial) for trial in scenario.trials],
    }


def _trial(trial: TrialResult) -> dict[str, Any]:
    return {
        "trial": trial.trial,
        "status": trial.status,
        "scores": trial.scores,
        "reliability": trial.reliability,
        "severity": list(trial.severity),
        "failures": [
            {
                "check": check.id,
                "dimension": check.dimension,
                "score": round(check.score, _PLACES),
                "evidence": check.evidence,
            }
            for check in trial.failures
        ],
        "opinions": [
            {"check": check.id, "score": round(check.score, _PLACES), "evidence": check.evidence}
            for check in trial.checks
            if not check.certain
        ],
        "error": trial.error,
        "notes": list(trial.notes),
    }


def _judge(results: EvaluationResults, labels: Labels | None) -> dict[str, Any] | None:
    if not results.judge:
        return None
    return {**results.judge, "agreement": None if labels is None else agreement_in(results, labels)}


def _analysis(comparison: Comparison | None) -> dict[str, Any]:
    if comparison is None:
        return {"regressions": [], "improvements": []}
    return {
        "regressions": [_entry(delta) for delta in comparison.regressions],
        "improvements": [_entry(delta) for delta in comparison.improvements],
        "baseline": comparison.baseline,
        "alpha": comparison.alpha,
        "more_than_noise": any(delta.significant for delta in comparison.regressions),
        "less_covered": list(comparison.less_covered),
        "changed_scenarios": list(comparison.changed),
        "changed_versions": {name: list(pair) for name, pair in comparison.versions.items()},
        "deltas": [_entry(delta) for delta in comparison.entries],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return attrs.asdict(entry)


def exit_code(results: EvaluationResults, comparison: Comparison | None, fail_on: FailOn) -> int:
    """0 as expected, 1 a warning, 2 a failure or regression, 3 if something could not be evaluated.

    ``failure``: a scenario that did not pass, or a regression by more than noise, is 2. ``regression``: only the latter
    is, and less coverage; a scenario that did not pass is then a warning where there is nothing to compare with. A
    harness error and a changed scenario warn. What may be noise is told, and changes no code.
    """
    if not results.evaluated or len(results.evaluated) < len(results.scenarios) or results.incomplete:
        return 3
    failed = any(scenario.status != "passed" for scenario in results.scenarios)
    regressed = comparison is not None and comparison.is_regression
    if (fail_on == "failure" and failed) or (fail_on != "never" and regressed):
        return 2
    if fail_on == "never":
        return 0
    warned = failed if comparison is None else comparison.is_warning
    return int(warned or any(one.errors for one in results.scenarios))
