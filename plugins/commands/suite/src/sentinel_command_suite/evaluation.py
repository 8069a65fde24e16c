"""Evaluation of agents: scenarios, what the agent scores in them, and whether it got worse.

from sentinel_command_suite.evaluation import run_evaluation, save_baseline, compare_to_baseline

results = run_evaluation("release-risk")
save_baseline(results, "main")
comparison = compare_to_baseline(run_evaluation("release-risk"), "main")
"""

from sentinel_command_suite.baseline import Baseline, compare_to_baseline, load_baseline, save_baseline
from sentinel_command_suite.compare import Comparison, Entry, compare
from sentinel_command_suite.document import document_of
from sentinel_command_suite.from_trace import scenario_from_trace
from sentinel_command_suite.reading import BUILT_IN, decode_suite, read_suite
from sentinel_command_suite.results import EvaluationResults, ScenarioResult, TrialResult
from sentinel_command_suite.runner import RunOptions, run_evaluation
from sentinel_command_suite.scenario import Scenario, Suite

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
