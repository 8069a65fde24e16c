"""Suites of a few lines, run in this process, and providers that are worse than the offline one."""

import random
from pathlib import Path

import attrs
import pytest

from sentinel_command_suite.evaluation import RunOptions, decode_suite, run_evaluation
from sentinel_core.errors import ProviderError
from sentinel_core.host.selection import Selection
from sentinel_core.testing.scripted import ScriptedModel
from sentinel_provider_offline import OfflineModel

BAD = Path(__file__).with_name("bad_providers.py")
GOOD = 'release = { version = "v3.0.0", changes = ["New icon"], tests = { passed = 9, failed = 0, skipped = 0 }, '
GOOD += "deployment_metrics = { error_rate = 0.001, response_time_p95 = 300 } }\n"


@pytest.fixture
def suite():
    """A suite of as many scenarios, all alike; ``more`` is added to each, ``head`` to the top."""

    def make(count=1, more="", head=""):
        scenarios = "".join(
            f'[[scenarios]]\nid = "s{number}"\n{GOOD}{more}\n[scenarios.expect.decision_quality]\n'
            'severity = "low"\nknown_numbers = [0.01, 500]\n'
            for number in range(count)
        )
        return decode_suite(f'name = "small"\n{head}\n{scenarios}'.encode(), "small.toml")

    return make


@pytest.fixture
def run():
    """Runs a suite in this process."""

    def go(suite, **options):
        options.setdefault("workers", 0)
        return run_evaluation(suite, RunOptions(**options))

    return go


@pytest.fixture
def run_bad(run):
    """Runs a suite with one of the bad providers."""

    def go(suite, provider, **options):
        return run(suite, provider=provider, selection=Selection.parse(str(BAD)), **options)

    return go


@attrs.frozen
class Unsteady(OfflineModel):
    """Files nothing in some trials, by the throw of a seeded die."""

    fails: bool = False

    def complete(self, request, on_text=None):
        reply = OfflineModel.complete(self, request, on_text)
        return attrs.evolve(reply, tool_calls=(), content="Done.", stop_reason="end_turn") if self.fails else reply


@pytest.fixture
def unsteady():
    """Connects to a model that fails each trial with this probability."""

    def make(seed, probability):
        return lambda scenario, number: Unsteady(
            fails=random.Random(f"{seed} {scenario} {number}").random() < probability
        )

    return make


@pytest.fixture
def scripted():
    """Connects to a model that plays this script from its start in each run."""

    def make(*script):
        return lambda _scenario, _number: ScriptedModel(script)

    return make


@pytest.fixture
def broken():
    """Connects to a model whose provider cannot be reached."""
    return lambda _scenario, _number: ScriptedModel([ProviderError("the server is gone")])
