"""What the data that a run fetched show of a release's risk: the floor below which no report may say so unmarked.

The rules are those of the offline provider, at their default thresholds, applied to each release summary in the trace.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sentinel_core.agent.prompts import GET_SUMMARY
from sentinel_core.risk.rules import RISKS, Assessment, Risk, assess
from sentinel_core.risk.settings import RiskThresholds
from sentinel_core.trace import Message, from_json

__all__ = ["evidence_of", "is_below"]


def evidence_of(messages: Sequence[Message], release_id: str, thresholds: RiskThresholds | None = None) -> Assessment:
    """The worst assessment of the summaries that were fetched for the release; that of an empty one where none was.

    An empty summary is of medium risk: what nobody looked at makes no release less risky.
    """
    rules = thresholds or RiskThresholds()
    found = [assess(summary, rules) for summary in _summaries(messages, release_id)] or [assess({}, rules)]
    return max(found, key=lambda assessment: RISKS.index(assessment.severity))


def is_below(severity: Risk, evidence: Assessment) -> bool:
    """Whether a report says less than the data show."""
    return RISKS.index(severity) < RISKS.index(evidence.severity)


def _summaries(messages: Sequence[Message], release_id: str) -> Iterator[dict[str, Any]]:
    wanted = {
        call.id
        for message in messages
        for call in message.tool_calls
        if call.name == GET_SUMMARY and call.arguments.get("release_id") == release_id
    }
    for message in messages:
        for result in message.tool_results:
            if result.tool_call_id in wanted and result.success is True:
                value = _json(result.content)
                yield value if isinstance(value, dict) else {}


def _json(text: str) -> object:
    try:
        return from_json(text)
    except (ValueError, RecursionError):
        return None
