"""Guided mode: the tool of a step with a schema that leaves only what the record bears out, and the request for the answer.

The rules have found the risk in the fetched summary: a small model chooses among their findings, and words the answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from sentinel_agent.prompts import FILE_REPORT, answer_request
from sentinel_agent.risk.facts import RISKS, Fact, RiskThresholds
from sentinel_agent.severity_floor import assessments_in, minimum_severity, summaries_in
from sentinel_core.offers import Tool
from sentinel_core.trace import Message

__all__ = ["closing_request", "narrowed"]

_MOST_CHOICES = 12
_MOST_TOLD = 3


def narrowed(release_id: str, thresholds: RiskThresholds, tool: Tool, messages: Sequence[Message]) -> Tool:
    """The tool as its step offers it: the release is given, and a report has the severity and the findings of the rules.

    Without a summary that can be read, severity and findings are free.
    """
    given: dict[str, Mapping[str, Any]] = {"release_id": {"enum": [release_id]}}
    if tool.name == FILE_REPORT and any(True for _ in summaries_in(messages, release_id)):
        severity = minimum_severity(messages, release_id, thresholds)
        given["severity"] = {} if severity is None else {"enum": [severity]}
        if texts := [fact.text for fact in _facts(messages, release_id, thresholds)][:_MOST_CHOICES]:
            given["findings"] = {"items": {"enum": texts}, "maxItems": len(texts)}
    return attrs.evolve(tool, parameters=_with(tool.parameters, given))


def closing_request(release_id: str, thresholds: RiskThresholds, messages: Sequence[Message]) -> str:
    """The request for the answer after the last step, with what decided the risk; empty if no summary can be read."""
    facts = _facts(messages, release_id, thresholds)
    return answer_request(facts[0].severity, [fact.text for fact in facts[:_MOST_TOLD]]) if facts else ""


def _facts(messages: Sequence[Message], release_id: str, thresholds: RiskThresholds) -> list[Fact]:
    """What the rules find in the worst summary: what decides first, then what is worse than low."""
    found = assessments_in(messages, release_id, thresholds)
    if not found:
        return []
    worst = max(found, key=lambda assessment: RISKS.index(assessment.severity))
    rest = [fact for fact in worst.facts if fact not in worst.deciding and fact.severity != RISKS[0]]
    return list(dict.fromkeys((*worst.deciding, *rest)))


def _with(parameters: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schema with more constraints on properties that it has; other properties and keywords stay."""
    properties = parameters.get("properties", {})
    narrow = {
        name: {**schema, **given.get(name, {})} if isinstance(schema, Mapping) else schema
        for name, schema in properties.items()
    }
    return {**parameters, "properties": narrow}
