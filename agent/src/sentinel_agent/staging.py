"""The risk report: staged while the agent works, delivered once at the end of the run, and only for its release."""

import functools
import hashlib
from collections.abc import Container, Mapping, Sequence
from typing import Any, Literal

import attrs

from sentinel_agent.events import DeliveryFinished, DeliveryStarted
from sentinel_agent.prompts import FILE_REPORT
from sentinel_agent.recorder import Record
from sentinel_agent.retry import delay
from sentinel_agent.risk.facts import RISKS, Risk, RiskThresholds
from sentinel_agent.severity_floor import is_below, minimum_severity, summaries_in
from sentinel_agent.tool_execution import UNKNOWN
from sentinel_core.errors import InputError, NotRepeatedError
from sentinel_core.host.agent_settings import RetryConfig
from sentinel_core.host.tools import Toolbox
from sentinel_core.offers import Tool
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult, canonical, from_json

__all__ = [
    "DELIVERY",
    "Delivery",
    "FiledReport",
    "StagedReport",
    "deliver",
    "delivered_report",
    "filed_report",
    "staged_report",
    "staging",
]

DELIVERY = "delivery"
"""The id of the call that delivers the report."""

_BROKE_OFF = "the process ended during the delivery of the report, and the tool accepts no idempotency key"
_STOPPED = "unfinished: a guardrail stopped the agent before it was done; this is the report it had staged by then"
_NOTE = (
    "Not delivered yet: one report is delivered when this run is over. Calling this again replaces the staged report."
)


@attrs.frozen(kw_only=True)
class StagedReport:
    """The report that the model staged; ``below_evidence`` if the fetched data show a higher risk.

    ``evidence`` is the severity that the data show, None if unreadable; ``fetched`` is False without data. ``answer`` holds
    the texts in the tool's answer, and ``message_index`` is the place of the message that staged it.
    """

    release_id: str
    severity: Risk
    findings: tuple[str, ...]
    below_evidence: bool = False
    evidence: Risk | None = "medium"
    fetched: bool = True
    answer: Mapping[str, str] = attrs.field(factory=dict)
    message_index: int = 0


@attrs.frozen(kw_only=True)
class Delivery:
    """The result of the delivery: ``delivered``, certainly not delivered (``failed``), or possibly (``unknown``)."""

    status: Literal["delivered", "failed", "unknown"]
    content: str
    report_id: str | None = None
    path: str | None = None
    below_evidence: bool = False


def staging(tool: Tool, release_id: str) -> Tool:
    """The tool for the model during a run: it only stages, and refuses every other release."""
    return attrs.evolve(tool, handler=functools.partial(_stage, release_id), effect="read", settings=None)


def _stage(wanted: str, release_id: object = None, **report: Any) -> dict[str, Any]:
    if release_id != wanted:
        raise InputError(f'this run is about release "{wanted}"; it cannot stage a report about release "{release_id}"')
    return {"status": "staged", "release_id": wanted, "severity": report.get("severity"), "note": _NOTE}


def staged_report(
    messages: Sequence[Message], release_id: str, thresholds: RiskThresholds | None = None
) -> StagedReport | None:
    """The last report that was staged for the release, compared with the data; None if there is none."""
    succeeded = {
        result.tool_call_id: result.content
        for message in messages
        for result in message.tool_results
        if result.success is True
    }
    calls = [
        (place, call)
        for place, message in enumerate(messages)
        for call in message.tool_calls
        if _stages(call, release_id, succeeded)
    ]
    if not calls:
        return None
    place, last = calls[-1]
    arguments, evidence = last.arguments, minimum_severity(messages, release_id, thresholds or RiskThresholds())
    return StagedReport(
        release_id=release_id,
        severity=arguments["severity"],
        findings=tuple(arguments["findings"]),
        below_evidence=is_below(arguments["severity"], evidence),
        evidence=evidence,
        fetched=any(True for _ in summaries_in(messages, release_id)),
        answer=_texts_in(succeeded[last.id]),
        message_index=place,
    )


def _stages(call: ToolCall, release_id: str, succeeded: Container[str]) -> bool:
    """Whether the call staged a report on the release. The trace may be anyone's, so every argument is checked."""
    given = call.arguments
    return (
        call.name == FILE_REPORT
        and call.id in succeeded
        and given.get("release_id") == release_id
        and given.get("severity") in RISKS
        and isinstance(given.get("findings"), list)
    )


def deliver(
    report: StagedReport,
    tool: Tool,
    toolbox: Toolbox,
    record: Record,
    *,
    family: str,
    retry: RetryConfig,
    was_stopped: bool = False,
) -> Delivery:
    """Deliver the report exactly once, even after an interruption: with the family's idempotency key, or no second time.

    ``was_stopped`` adds a finding that a guardrail stopped the agent. While the outcome is unknown, a tool that takes the key
    is called again, as often as ``retry`` allows, unless it answers that it does not repeat the call.
    """
    delivering = _Delivering(tool, toolbox, retry)
    key = hashlib.sha256(canonical([family, FILE_REPORT])).hexdigest() if delivering.counts_once else None
    broke_off = record.upcoming is not None
    arguments = _arguments(report, tool)
    arguments["findings"] += [_STOPPED] if was_stopped else []
    started = record.emit(
        DeliveryStarted(idempotency_key=key, arguments=arguments, below_evidence=report.below_evidence)
    )
    finished = None
    while record.upcoming is not None:
        finished = record.recall(DeliveryFinished)
    if finished is None or (finished.status != "delivered" and delivering.counts_once):
        if finished is None and broke_off and not delivering.counts_once:
            finished = record.emit(DeliveryFinished(status="unknown", content=_BROKE_OFF))
        else:
            finished = record.emit(delivering.finish(started))
    return Delivery(
        status=finished.status,
        content=finished.content,
        report_id=finished.report_id,
        path=_texts_in(finished.content).get("path"),
        below_evidence=report.below_evidence,
    )


def _arguments(report: StagedReport, tool: Tool) -> dict[str, Any]:
    """The tool's arguments; what it has no argument for is added as a finding.

    That is unreadable evidence, and ``below_evidence`` if the tool does not take that argument.
    """
    findings = list(report.findings)
    arguments: dict[str, Any] = {"release_id": report.release_id, "severity": report.severity, "findings": findings}
    if report.evidence is None:
        findings.append("evidence_unknown: the release summary could not be read, so the severity could not be checked")
    elif report.below_evidence and not Toolbox.takes(tool, "below_evidence"):
        shown = f"the data show {report.evidence}" if report.fetched else "no summary of the release was fetched"
        findings.append(f"below_evidence: the severity is {report.severity}, but {shown}")
    if report.below_evidence and Toolbox.takes(tool, "below_evidence"):
        arguments["below_evidence"] = True
    return arguments


class _Delivering:
    """The tool that files the report, separate from the model's tools."""

    def __init__(self, tool: Tool, toolbox: Toolbox, retry: RetryConfig) -> None:
        self._tool = tool
        self._own = Toolbox(run=toolbox.run, clock=toolbox.clock)
        self._retry = retry
        self.counts_once = Toolbox.takes(tool, "idempotency_key")

    def finish(self, started: DeliveryStarted) -> DeliveryFinished:
        for failures in range(1, self._retry.max_attempts + 1):
            result = self._once(started)
            if not (self.counts_once and _may_repeat(result)) or failures == self._retry.max_attempts:
                break
            self._wait(failures)
        return DeliveryFinished(
            status=_status(result), content=result.content, report_id=_texts_in(result.content).get("report_id")
        )

    def _once(self, started: DeliveryStarted) -> ToolResult:
        call = ToolCall(id=DELIVERY, name=FILE_REPORT, arguments=started.arguments)
        return self._own.run_unchecked(self._tool, call, idempotency_key=started.idempotency_key)

    def _wait(self, failures: int) -> None:
        clock = self._own.clock
        clock.sleep(delay(self._retry, failures, clock.random()))


def _may_repeat(result: ToolResult) -> bool:
    return _status(result) == "unknown" and _error_of(result) != NotRepeatedError.__name__


def _status(result: ToolResult) -> Literal["delivered", "failed", "unknown"]:
    if result.success:
        return "delivered"
    return "unknown" if _error_of(result) in UNKNOWN else "failed"


def _error_of(result: ToolResult) -> object:
    return (result.metadata or {}).get("error")


def _texts_in(content: str) -> dict[str, str]:
    """The texts in a tool's JSON answer."""
    try:
        answer = from_json(content)
    except (ValueError, RecursionError):
        return {}
    return {key: value for key, value in answer.items() if isinstance(value, str)} if isinstance(answer, dict) else {}


@attrs.frozen(kw_only=True)
class FiledReport:
    """A filed report: what the model sent, and the id and file from the tool's result, if any.

    ``evidence`` is the severity that the data show, None if unreadable; ``below_evidence`` if the report's is lower.
    ``fetched`` is False without data.
    """

    report_id: str | None
    path: str | None
    severity: Risk
    findings: tuple[str, ...]
    below_evidence: bool = False
    evidence: Risk | None = "medium"
    fetched: bool = True


def filed_report(trace: ExecutionTrace, release_id: str) -> FiledReport | None:
    """The last report in a trace that was filed for this release; None if no call to file one succeeded.

    In Sentinel's own traces the call only staged the report, so it counts only if ``metadata.delivery`` says delivered.
    """
    staged = staged_report(trace.messages, release_id)
    if staged is None:
        return None
    delivery = trace.metadata.get("delivery")
    if isinstance(delivery, dict):
        return _report(staged, delivery) if delivery.get("status") == "delivered" else None
    answer = staged.answer
    return None if answer.get("status") == "staged" else _report(staged, answer)


def delivered_report(staged: StagedReport | None, delivery: Delivery | None) -> FiledReport | None:
    """The staged report if it was delivered; None if it was not, or the outcome is unknown."""
    if staged is None or delivery is None or delivery.status != "delivered":
        return None
    return _report(staged, {"report_id": delivery.report_id, "path": delivery.path})


def _report(staged: StagedReport, given: Mapping[str, Any]) -> FiledReport:
    return FiledReport(
        report_id=given.get("report_id"),
        path=given.get("path"),
        severity=staged.severity,
        findings=staged.findings,
        below_evidence=staged.below_evidence,
        evidence=staged.evidence,
        fetched=staged.fetched,
    )
