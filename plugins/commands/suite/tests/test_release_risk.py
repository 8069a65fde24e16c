"""The built-in suite: the offline provider passes it, and each scenario catches somebody."""

import functools
import json
from collections import Counter
from pathlib import Path

import pytest

from sentinel_command_suite.document import exit_code
from sentinel_command_suite.evaluation import RunOptions, compare, document_of, read_suite, run_evaluation
from sentinel_core.host.selection import Selection

pytestmark = pytest.mark.unmeasured

BAD = Path(__file__).with_name("bad_providers.py")
CAUGHT_IN = {"careless": "decision_quality", "inventive": "decision_quality", "silent": "tool_usage"}


@functools.cache
def results_of(provider, workers=0):
    selection = Selection() if provider == "offline" else Selection.parse(str(BAD))
    return run_evaluation("release-risk", RunOptions(provider=provider, selection=selection, workers=workers))


def failed(results):
    return {one.id for one in results.scenarios if one.status == "failed"}


def test_every_scenario_passes_offline():
    results = results_of("offline")
    assert [one.id for one in results.scenarios if one.status != "passed"] == []
    assert exit_code(results, None, "failure") == 0


@pytest.mark.process
def test_the_same_bytes_whoever_works():
    documents = [json.dumps(document_of(results_of("offline", workers))) for workers in (0, 1, 3)]
    assert len(set(documents)) == 1


def test_it_covers_what_it_says():
    scenarios = read_suite("release-risk").scenarios
    tags = Counter(tag for one in scenarios for tag in one.tags)
    assert len(scenarios) >= 30
    assert all(tags[tag] >= 3 for tag in ("high", "medium", "low", "missing", "boundary", "fault", "sweep"))
    faults = [step for one in scenarios for script in one.tools.values() for step in script.steps]
    assert any(step.timeout for step in faults)
    assert any(step.text for step in faults)
    assert any(step.error for step in faults)


def test_each_scenario_catches_somebody():
    caught = set().union(*(failed(results_of(provider)) for provider in CAUGHT_IN))
    assert caught == {one.id for one in read_suite("release-risk").scenarios}


@pytest.mark.parametrize("provider", CAUGHT_IN)
def test_a_worse_provider_is_caught_in_the_right_dimension(provider):
    results, before = results_of(provider), results_of("offline")
    comparison = compare(results, before)
    worse = {entry.metric: entry for entry in comparison.regressions if entry.id == "*"}
    assert worse[CAUGHT_IN[provider]].significant
    assert worse["pass_rate"].significant
    assert {entry.id for entry in comparison.regressions if entry.metric == "pass_rate"} == {"*", *failed(results)}
    assert exit_code(results, comparison, "regression") == exit_code(results, comparison, "failure") == 2


@pytest.mark.parametrize("provider", ["careless", "inventive"])
def test_and_in_every_scenario_that_it_fails(provider):
    trials = [trial for one in results_of(provider).scenarios for trial in one.trials if trial.status == "failed"]
    assert all(
        any(check.id.startswith("grounded") for check in trial.failures) for trial in trials if provider == "inventive"
    )
    assert all("decision_quality" in {check.dimension for check in trial.failures} for trial in trials)


def test_getting_better_is_no_regression():
    comparison = compare(results_of("offline"), results_of("careless"))
    assert comparison.improvements
    assert not comparison.is_regression
    assert exit_code(results_of("offline"), comparison, "failure") == 0


@pytest.mark.process
def test_tool_faults_over_real_http(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = ("fault-summary-unavailable", "fault-summary-times-out", "fault-summary-cut-off", "fault-report-refused")
    results = run_evaluation("release-risk", RunOptions(toolset="http", only=ids, workers=2))
    assert [(one.id, one.status, [trial.error for trial in one.trials]) for one in results.scenarios] == [
        (name, "passed", [None]) for name in sorted(ids, key=[one.id for one in results.scenarios].index)
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_a_bad_provider_fails_over_http_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = RunOptions(
        toolset="http", only=("high-many-failed-tests",), provider="careless", selection=Selection.parse(str(BAD))
    )
    (scenario,) = run_evaluation("release-risk", options).scenarios
    assert {check.id for check in scenario.trials[0].failures} >= {"severity", "risks_found", "never_1", "grounded"}
