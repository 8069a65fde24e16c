"""Sentinel as a score in the tools that people evaluate agents with: one module for each tool, imported by whoever uses it.

from sentinel_evals.inspect_ai import sentinel           # Inspect: a scorer
from sentinel_evals.pydantic_evals import Sentinel       # Pydantic Evals: an evaluator
from sentinel_evals.deepeval import SentinelMetric       # DeepEval: a metric
from sentinel_evals.langfuse import score_trace          # Langfuse: scores of traces, and an evaluator for experiments
from sentinel_evals.phoenix import annotate_trace        # Phoenix: an annotation of a trace's first span
from sentinel_evals.promptfoo import get_assert          # promptfoo: a Python assertion
"""

from sentinel_evals.scores import Judging, Score, score

__all__ = ["Judging", "Score", "score"]
