"""Reflection by rules: scores of a finished attempt, computed from its report.

    alignment_score = 1 - max(overall, hallucination, tool_misuse)     did it do what it said, with its tools used well
    drift_score     = loop                                             did it go in circles
    summary_valid   = the report is complete, the run was not cut off, and its last word is an assistant's text
    bias_tags       = the rules of all warnings and errors that were found

An unmeasured signal counts 0, as it does in the overall score. Scores are rounded to 9 places.
"""

import re
from typing import Any, Protocol

import attrs

from sentinel_core.guardrails.facts import Reflection
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact
from sentinel_core.trace import ExecutionTrace

__all__ = ["RULES", "Reflector", "at_worst", "reflect_by_rules", "report_digest", "tag_of"]

RULES = "RULES"
_ALIGNMENT = ("hallucination", "tool_misuse")
_DRIFT = "loop"
_PLACES = 9
_MOST_TAGS = 64
_MOST_FINDINGS = 50
_LONGEST_TEXT = 500
_FINISHED = (None, "completed")
_no_tag = re.compile(r"[^a-z0-9_.:-]+")


class Reflector(Protocol):
    """Looks at a finished attempt and its report."""

    def __call__(self, trace: ExecutionTrace, report: ReliabilityReport) -> Reflection:
        """Scores, tags and the persona that gave them. Never raises because of a trace's content."""


def reflect_by_rules(trace: ExecutionTrace, report: ReliabilityReport) -> Reflection:
    """The formulas above; needs no model and gives the same answer every time."""
    scores = {score.signal_name: score.score or 0.0 for score in report.signal_scores}
    risk = max(report.overall_score or 0.0, *(scores.get(name, 0.0) for name in _ALIGNMENT))
    serious = (finding.rule for finding in report.findings if finding.severity != "note")
    tags = sorted({tag for rule in serious if (tag := tag_of(rule))})
    return Reflection(
        alignment_score=round(1.0 - risk, _PLACES),
        drift_score=round(scores.get(_DRIFT, 0.0), _PLACES),
        summary_valid=report.is_complete and _has_last_word(trace),
        bias_tags=tuple(tags[:_MOST_TAGS]),
        persona=RULES,
    )


def tag_of(text: str) -> str:
    """Text as a bias tag: lower case, other characters as "_", at most 64 characters; empty if nothing is left."""
    return _no_tag.sub("_", text.lower()).strip("_.:-")[:64]


def report_digest(report: ReliabilityReport) -> dict[str, Any]:
    """The parts of a report that the store keeps: verdict, scores and findings, without secrets."""
    return {
        "verdict": report.verdict,
        "overall_score": report.overall_score,
        "reasoning": redact(report.reasoning)[:_LONGEST_TEXT],
        "scores": {score.signal_name: score.score for score in report.signal_scores},
        "findings": [
            {"rule": finding.rule, "severity": finding.severity, "text": redact(finding.text)[:_LONGEST_TEXT]}
            for finding in report.findings[:_MOST_FINDINGS]
        ],
    }


def _has_last_word(trace: ExecutionTrace) -> bool:
    outcome = None if trace.details is None else trace.details.outcome
    if outcome not in _FINISHED or not trace.messages:
        return False
    last = trace.messages[-1]
    return last.role == "assistant" and bool((last.content or "").strip()) and not last.tool_calls


def at_worst(first: Reflection, other: Reflection) -> Reflection:
    """The more critical of two reflections, score by score, with the tags of both and the persona of the first."""
    return attrs.evolve(
        first,
        alignment_score=min(first.alignment_score, other.alignment_score),
        drift_score=max(first.drift_score, other.drift_score),
        summary_valid=first.summary_valid and other.summary_valid,
        bias_tags=tuple(sorted({*first.bias_tags, *other.bias_tags})[:_MOST_TAGS]),
    )
