"""The minimum severity of a report, from the data that the run fetched; a report below it is marked.

Each release summary in the trace is assessed by the risk rules, at their default thresholds or those given. A summary that was
too long is assessed before it is cut. If one cannot be read, the risk is unknown.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sentinel_agent.prompts import GET_SUMMARY
from sentinel_agent.risk.facts import RISKS, Assessment, Risk, RiskThresholds
from sentinel_agent.risk.rules import assess
from sentinel_core.trace import Message, ToolCall, ToolResult, from_json

__all__ = [
    "assessments_in",
    "is_below",
    "minimum_severity",
    "risk_in",
    "risk_of_whole",
    "summaries_in",
    "whole_risk",
    "why_unreadable",
]

_FULL_RISK = "full_risk"  # in the metadata of a result that was cut
_DEFAULT = RiskThresholds()
_UNSEEN: Risk = "medium"


def minimum_severity(
    messages: Sequence[Message], release_id: str, thresholds: RiskThresholds = _DEFAULT
) -> Risk | None:
    """The worst risk of the summaries that were fetched for the release; None if it is unknown.

    It is unknown if one of them is not a JSON object and none shows high risk. Without any summary it is medium, because
    missing data make no release less risky.
    """
    found = [risk_in(result, thresholds) for result in summaries_in(messages, release_id)]
    known = [risk for risk in found if risk is not None]
    return None if len(known) < len(found) and "high" not in known else max(known, key=RISKS.index, default=_UNSEEN)


def is_below(severity: Risk, evidence: Risk | None) -> bool:
    """Whether a report's severity is below the evidence; unknown evidence counts as medium."""
    return RISKS.index(severity) < RISKS.index(evidence or _UNSEEN)


def risk_of_whole(thresholds: RiskThresholds, call: ToolCall, content: str) -> dict[str, Risk]:
    """Metadata for a summary that will be cut: the risk of the whole; empty for any other result."""
    summary = _object(content) if call.name == GET_SUMMARY else None
    return {} if summary is None else {_FULL_RISK: assess(summary, thresholds).severity}


def whole_risk(result: ToolResult) -> Risk | None:
    """The risk that ``risk_of_whole`` noted before the summary was cut; None if it was not cut."""
    metadata = result.metadata or {}
    noted = metadata.get(_FULL_RISK) if metadata.get("cut") is True else None
    return next((risk for risk in RISKS if risk == noted), None)


def why_unreadable(result: ToolResult) -> str:
    """Why the summary cannot be read, and what to do if it was cut; empty if it can be read."""
    if _object(result.content) is not None:
        return ""
    metadata = result.metadata or {}
    if metadata.get("cut") is not True:
        return "the summary is not a JSON object"
    whole = metadata.get("full_chars")
    return f"the summary has {whole} characters and was cut; --set agent.max_result_chars={whole} keeps all of it"


def summaries_in(messages: Sequence[Message], release_id: str) -> Iterator[ToolResult]:
    """The results of the calls that fetched a summary of the release."""
    wanted = {
        call.id
        for message in messages
        for call in message.tool_calls
        if call.name == GET_SUMMARY and call.arguments.get("release_id") == release_id
    }
    for message in messages:
        for result in message.tool_results:
            if result.tool_call_id in wanted and result.success is True:
                yield result


def risk_in(result: ToolResult, thresholds: RiskThresholds = _DEFAULT) -> Risk | None:
    """The risk that a fetched summary shows; None if it cannot be read."""
    if (noted := whole_risk(result)) is not None:
        return noted
    summary = _object(result.content)
    return None if summary is None else assess(summary, thresholds).severity


def assessments_in(
    messages: Sequence[Message], release_id: str, thresholds: RiskThresholds = _DEFAULT
) -> list[Assessment]:
    """What the rules find in each summary of the release that can be read whole."""
    summaries = (_object(result.content) for result in summaries_in(messages, release_id))
    return [assess(summary, thresholds) for summary in summaries if summary is not None]


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = from_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
