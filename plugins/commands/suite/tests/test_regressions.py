"""Chance is not taken for a regression, and a regression not for chance."""

import itertools
import random

import attrs
import pytest

from sentinel_command_suite.document import exit_code
from sentinel_command_suite.evaluation import compare
from sentinel_command_suite.results import TrialResult
from sentinel_command_suite.summary import gather

pytestmark = pytest.mark.unmeasured

SCENARIOS, TRIALS, SEEDS = 30, 5, 100


def simulated(suite, seed, probability):
    """Results as of a provider that fails each trial with this probability."""
    chance = random.Random(f"{seed} {probability}")
    trials = []
    for scenario in suite.scenarios:
        for number in range(1, TRIALS + 1):
            fails = chance.random() < probability
            scores = {"tool_usage": 0.5 if fails else 1.0, "decision_quality": 0.75 if fails else 1.0}
            status = "failed" if fails else "passed"
            trials.append(TrialResult(scenario=scenario.id, trial=number, status=status, scores=scores))
    return gather(suite, "simulated", {}, trials)


def test_the_same_provider_is_hardly_ever_a_regression(suite):
    of = suite(SCENARIOS)
    found = [compare(simulated(of, f"b{n}", 0.2), simulated(of, f"a{n}", 0.2)).is_regression for n in range(SEEDS)]
    assert sum(found) <= 5


def test_a_worse_one_nearly_always_is(suite):
    of = suite(SCENARIOS)
    found = [compare(simulated(of, f"b{n}", 0.5), simulated(of, f"a{n}", 0.2)).is_regression for n in range(SEEDS)]
    assert sum(found) >= 90


def test_with_real_trials(suite, run, unsteady):
    of = suite(12, "trials = 5")
    steady = [run(of, connect=unsteady(seed, 0.2)) for seed in range(2)]
    worse = run(of, connect=unsteady("worse", 0.8))
    assert not any(compare(two, one).is_regression for one, two in itertools.pairwise(steady))
    assert all(compare(worse, one).is_regression for one in steady)
    assert {one.status for one in steady[0].scenarios} <= {"passed", "flaky"}
    assert 0 < steady[0].scenarios[0].n <= 5


def test_a_drop_that_may_be_noise_is_told_and_changes_no_code(suite, run, run_bad):
    of = suite(4)
    before, one_worse = run(of), run(of)
    worse = attrs.evolve(one_worse, scenarios=(run_bad(of, "silent").scenarios[0], *one_worse.scenarios[1:]))
    comparison = compare(worse, before)
    drop = next(entry for entry in comparison.regressions if (entry.id, entry.metric) == ("*", "pass_rate"))
    assert (drop.before, drop.after, drop.delta, drop.n, drop.significant) == (1.0, 0.75, -0.25, 8, False)
    assert drop.p == 0.5
    assert {entry.n for entry in comparison.entries if entry.id == "*" and entry.metric != "pass_rate"} == {4}
    assert exit_code(worse, comparison, "regression") == 0
    assert exit_code(worse, comparison, "failure") == 2
    assert exit_code(worse, comparison, "never") == 0


def test_less_covered_is_a_regression(suite, run):
    before = run(suite(3, "trials = 2"))
    fewer = attrs.evolve(before, scenarios=before.scenarios[:2])
    assert compare(fewer, before).less_covered == ('scenario "s2" is gone',)
    once = run(suite(3, "trials = 2"), trials=1)
    assert compare(once, before).less_covered[0] == 'scenario "s0": 1 trials instead of 2'
    assert exit_code(once, compare(once, before), "regression") == 2
    lost = attrs.evolve(before, scenarios=tuple(attrs.evolve(one, n=0) for one in before.scenarios))
    assert "could not be evaluated" in compare(lost, before).less_covered[0]


def test_less_is_looked_at(suite, run):
    before = run(suite(1))
    (scenario,) = before.scenarios
    (trial,) = scenario.trials
    blind = attrs.evolve(trial, checks=trial.checks[1:], reliability={**trial.reliability, "signals": {"loop": 0.0}})
    now = attrs.evolve(before, scenarios=(attrs.evolve(scenario, trials=(blind,)),))
    told = compare(now, before).less_covered
    assert "valid_calls" in told[0]
    assert "no longer judged by effort, ending, hallucination, tool_misuse" in told[1]


def test_a_changed_scenario_is_not_compared(suite, run):
    before, after = run(suite(2)), run(suite(2, "pass_rate = 0.5"))
    comparison = compare(after, before)
    assert comparison.changed == ("s0", "s1")
    assert comparison.entries == ()
    assert exit_code(after, comparison, "failure") == 1


def test_versions_that_changed_are_told(suite, run):
    before = run(suite(1))
    after = attrs.evolve(before, provider="other", versions={**before.versions, "reliability-sentinel": "9"})
    assert compare(after, before).versions == {
        "provider": ("offline", "other"),
        "reliability-sentinel": (before.versions["reliability-sentinel"], "9"),
    }


@pytest.mark.parametrize("status", ["passed", "failed"])
def test_many_trials_make_one_scenario_a_regression(suite, status):
    of = suite(1, "trials = 20")
    before = gather(of, "p", {}, [TrialResult(scenario="s0", trial=n, status="passed") for n in range(20)])
    after = gather(of, "p", {}, [TrialResult(scenario="s0", trial=n, status=status) for n in range(20)])
    assert compare(after, before).is_regression is (status == "failed")
