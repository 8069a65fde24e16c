"""Why a report is not staged or not delivered: nothing was fetched of its release, or what was fetched contradicts it."""

from collections.abc import Sequence

from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY
from sentinel_agent.severity_floor import summaries_in
from sentinel_agent.staging import StagedReport
from sentinel_core.evaluate.facts.reports import Report, contradictions
from sentinel_core.trace import Message, ToolCall

__all__ = ["objection_to_call", "objections_to"]

_REFUSED = "not run: the report is not staged: "
_MOST = 5


def objection_to_call(release_id: str, call: ToolCall, messages: Sequence[Message]) -> str:
    """Why this call must not stage its report, for the model; empty for a report that may be staged, and for other calls."""
    findings = call.arguments.get("findings")
    if call.name != FILE_REPORT or call.arguments.get("release_id") != release_id or not isinstance(findings, list):
        return ""  # what does not fit the schema is refused by the toolbox
    texts = tuple(finding for finding in findings if isinstance(finding, str))
    found = _objections(messages, release_id, str(call.arguments.get("severity")), texts, "")
    return f"{_REFUSED.partition(': ')[2]}{'; '.join(found[:_MOST])}" if found else ""


def objections_to(
    messages: Sequence[Message], release_id: str, staged: StagedReport | None, answer: str
) -> tuple[str, ...]:
    """Why an attempt has no report that may be delivered, one line for each reason; empty if it has, or filed none."""
    if staged is not None:
        before = messages[: staged.message_index]
        return _objections(before, release_id, staged.severity, staged.findings, answer, messages)
    filing = {call.id for message in messages for call in message.tool_calls if call.name == FILE_REPORT}
    results = [row for message in messages for row in message.tool_results if row.tool_call_id in filing]
    refused = [row.content.removeprefix(_REFUSED) for row in results if row.content.startswith(_REFUSED)]
    return tuple(refused[-1:])


def _objections(
    before: Sequence[Message],
    release_id: str,
    severity: str,
    findings: tuple[str, ...],
    answer: str,
    messages: Sequence[Message] | None = None,
) -> tuple[str, ...]:
    """``before`` are the messages before the report, ``messages`` all of the attempt, which the answer may rest on."""
    if not any(True for _ in summaries_in(before, release_id)):
        return (
            f'nothing was investigated: {GET_SUMMARY} gave no summary of release "{release_id}" before the report; call it first',
        )
    report = Report(release_id=release_id, severity=severity, findings=findings, answer=answer)
    return tuple(found.told for found in contradictions(messages or before, report))
