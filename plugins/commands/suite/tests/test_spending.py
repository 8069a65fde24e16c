"""Time, tokens and cost are held against the baseline as scores are."""

import random
import time

import attrs
import pytest

from sentinel_command_suite.document import exit_code
from sentinel_command_suite.evaluation import compare
from sentinel_command_suite.results import TrialResult
from sentinel_command_suite.summary import gather
from sentinel_provider_offline import OfflineModel

SCENARIOS, TRIALS = 20, 3


def simulated(suite, seed, *, slower=0.0, more=1.0, fails=0.2):
    """Results as of a provider whose calls, tokens and success vary by chance."""
    chance = random.Random(seed)
    trials = []
    for scenario in suite.scenarios:
        for number in range(1, TRIALS + 1):
            status = "failed" if chance.random() < fails else "passed"
            tokens = round(more * chance.gauss(3000, 300))
            trials.append(
                TrialResult(
                    scenario=scenario.id,
                    trial=number,
                    status=status,
                    scores={"tool_usage": 1.0 if status == "passed" else 0.5},
                    call_ms=chance.gauss(400, 30) + slower,
                    tokens=tokens,
                    cost_usd=tokens / 1e6,
                )
            )
    return gather(suite, "simulated", {}, trials)


def test_20_pairs_of_equal_noisy_runs_exit_with_0(suite):
    of = suite(SCENARIOS)
    codes = []
    for seed in range(20):
        after = simulated(of, f"after {seed}")
        codes.append(exit_code(after, compare(after, simulated(of, f"before {seed}")), "regression"))
    assert codes.count(0) >= 19


@pytest.mark.parametrize(
    ("change", "metrics"), [({"slower": 40}, ["call_ms"]), ({"more": 1.2}, ["tokens", "cost_usd"])]
)
def test_more_time_or_tokens_is_a_regression(suite, change, metrics):
    of = suite(SCENARIOS)
    for seed in range(5):
        after = simulated(of, f"after {seed}", fails=0, **change)
        comparison = compare(after, simulated(of, f"before {seed}", fails=0))
        assert [entry.metric for entry in comparison.regressions if entry.significant] == metrics
        assert exit_code(after, comparison, "regression") == exit_code(after, comparison, "failure") == 2


def test_less_time_and_fewer_tokens_are_an_improvement(suite):
    of = suite(SCENARIOS)
    comparison = compare(simulated(of, 1, slower=-100, more=0.5), simulated(of, 2))
    assert {"call_ms", "tokens", "cost_usd"} <= {entry.metric for entry in comparison.improvements}
    assert not comparison.is_regression


@attrs.frozen
class Slow(OfflineModel):
    def complete(self, request, on_text=None):
        time.sleep(0.04)
        return OfflineModel.complete(self, request, on_text)


def test_40_ms_a_call_are_found_in_real_trials(suite, run):
    of = suite(12)
    before, after = run(of), run(of, connect=lambda _scenario, _number: Slow())
    slower = next(entry for entry in compare(after, before).entries if (entry.id, entry.metric) == ("*", "call_ms"))
    assert slower.significant
    assert slower.gain < -30
    assert slower.n == 12


def test_a_recording_has_no_time(suite, run, tmp_path):
    of = suite(1)
    tape = tmp_path / "tape.json"
    run(of, record=tape)
    assert [trial.call_ms for scenario in run(of, replay=tape).scenarios for trial in scenario.trials] == [None]
