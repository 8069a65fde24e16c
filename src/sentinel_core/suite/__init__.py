"""Evaluation of agents: scenarios, what the agent scores in them, and whether it got worse.

from sentinel_core.suite import run_evaluation, save_baseline, compare_to_baseline

results = run_evaluation("release-risk")
save_baseline(results, "main")
comparison = compare_to_baseline(run_evaluation("release-risk"), "main")
"""

from sentinel_core.suite.baseline import Baseline, compare_to_baseline, load_baseline, save_baseline
from sentinel_core.suite.compare import Comparison, Entry, compare
from sentinel_core.suite.document import document_of
from sentinel_core.suite.from_trace import scenario_from_trace
from sentinel_core.suite.reading import BUILT_IN, decode_suite, read_suite
from sentinel_core.suite.results import EvaluationResults, ScenarioResult, TrialResult
from sentinel_core.suite.runner import RunOptions, run_evaluation
from sentinel_core.suite.scenario import Scenario, Suite

__all__ = [
    "BUILT_IN",
    "Baseline",
    "Comparison",
    "Entry",
    "EvaluationResults",
    "RunOptions",
    "Scenario",
    "ScenarioResult",
    "Suite",
    "TrialResult",
    "compare",
    "compare_to_baseline",
    "decode_suite",
    "document_of",
    "load_baseline",
    "read_suite",
    "run_evaluation",
    "save_baseline",
    "scenario_from_trace",
]
