"""Decides the next step from the conversation alone: fetch the summary, file the report, report the outcome."""

from collections.abc import Sequence

import attrs

from sentinel_agent.prompts import FILE_REPORT, GET_SUMMARY, release_in
from sentinel_agent.risk.facts import Assessment, Fact, RiskThresholds
from sentinel_agent.risk.rules import assess
from sentinel_agent.severity_floor import whole_risk, why_unreadable
from sentinel_agent.tool_execution import UNKNOWN
from sentinel_core import ExecutionTrace, Message, Reply, Request, ToolCall, TraceIndex
from sentinel_core.evaluate.index import Call
from sentinel_core.trace import from_json, to_json

__all__ = [
    "MODEL_NAME",
    "OfflineSettings",
    "cut",
    "filed",
    "missing_tools",
    "next_reply",
    "no_summary",
    "no_task",
    "not_filed",
    "staged",
    "unknown",
    "unreadable",
]


@attrs.frozen(kw_only=True)
class OfflineSettings(RiskThresholds):
    """The host's risk thresholds; each can be set for this provider."""


MODEL_NAME = "offline-rules"
GET_HISTORY = "get_release_history"
_MAX_FILINGS = 2


@attrs.frozen
class _Progress:
    """The calls of each tool for the release so far, oldest first."""

    release_id: str
    fetched: tuple[Call, ...]
    earlier: tuple[Call, ...]
    filed: tuple[Call, ...]
    calls_made: int


def next_reply(request: Request, settings: OfflineSettings) -> Reply:
    """One step. The same request always gets the same reply, and no conversation gets more than five."""
    offered = {tool.name for tool in request.tools}
    progress = _progress(request.messages)
    if progress is None:
        return _say(no_task())
    if missing := sorted({GET_SUMMARY, FILE_REPORT} - offered):
        return _say(missing_tools(missing))
    if not progress.fetched:
        return _call(progress, GET_SUMMARY, {"release_id": progress.release_id})
    if settings.use_history and GET_HISTORY in offered and not progress.earlier and _succeeded(progress.fetched[-1]):
        return _call(progress, GET_HISTORY, {"release_id": progress.release_id})
    return _judge(progress, settings)


def _judge(progress: _Progress, settings: OfflineSettings) -> Reply:
    release_id, fetch = progress.release_id, progress.fetched[-1]
    if not _succeeded(fetch):
        return _say(no_summary(release_id, _content(fetch)))
    summary = _json(fetch)
    if summary is None:
        return _say(unreadable(release_id, why_unreadable(fetch.result) if fetch.result is not None else ""))
    assessment = _assessed(summary, _json(progress.earlier[-1]) if progress.earlier else None, fetch, settings)
    if progress.filed and _succeeded(progress.filed[-1]):
        return _say(_taken(release_id, assessment, _json(progress.filed[-1]) or {}))
    if progress.filed and _is_unknown(progress.filed[-1]):
        return _say(unknown(release_id, assessment, _content(progress.filed[-1])))
    if len(progress.filed) == _MAX_FILINGS:
        return _say(not_filed(release_id, assessment, _content(progress.filed[-1])))
    findings = [f"{fact.severity}: {fact.text}" for fact in assessment.facts]
    arguments: dict[str, object] = {"release_id": release_id, "severity": assessment.severity, "findings": findings}
    return _call(progress, FILE_REPORT, arguments)


def _assessed(
    summary: dict[str, object], history: dict[str, object] | None, fetch: Call, settings: OfflineSettings
) -> Assessment:
    """The assessment by the rules. For a truncated summary, the risk that the host found in all of it is one more finding."""
    found = assess(summary, settings, history)
    risk = None if fetch.result is None else whole_risk(fetch.result)
    return found if risk is None else Assessment((*found.facts, Fact("summary_cut", risk, cut(risk))))


def _taken(release_id: str, assessment: Assessment, answer: dict[str, object]) -> str:
    if answer.get("status") == "staged":
        return staged(release_id, assessment)
    report_id = answer.get("report_id")
    return filed(release_id, assessment, report_id if isinstance(report_id, str) else None)


def _progress(messages: Sequence[Message]) -> _Progress | None:
    """The progress, or None if the user's last message is not a task."""
    start = max((place for place, message in enumerate(messages) if message.role == "user"), default=None)
    release_id = None if start is None else release_in(messages[start].content or "")
    if release_id is None:
        return None
    calls = TraceIndex(ExecutionTrace(trace_id="", messages=tuple(messages[start:]))).calls
    return _Progress(
        release_id=release_id,
        fetched=tuple(call for call in calls if call.call.name == GET_SUMMARY),
        earlier=tuple(call for call in calls if call.call.name == GET_HISTORY),
        filed=tuple(call for call in calls if call.call.name == FILE_REPORT),
        calls_made=sum(len(message.tool_calls) for message in messages),
    )


def _call(progress: _Progress, name: str, arguments: dict[str, object]) -> Reply:
    call = ToolCall(id=f"offline-{progress.calls_made + 1}", name=name, arguments=arguments)
    return Reply(tool_calls=(call,), stop_reason="tool_calls", model=MODEL_NAME)


def _say(text: str) -> Reply:
    return Reply(content=text, model=MODEL_NAME)


def _succeeded(call: Call) -> bool:
    return call.result is not None and call.result.success is True


def _is_unknown(call: Call) -> bool:
    return call.result is not None and (call.result.metadata or {}).get("error") in UNKNOWN


def _content(call: Call) -> str:
    return call.result.content if call.result is not None else "no result came back"


def _json(call: Call) -> dict[str, object] | None:
    try:
        value = from_json(_content(call))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_NO_MODEL = "No language model was used: fixed rules gave this answer."


def no_task() -> str:
    """The answer to a message that is not a task."""
    return f"{_NO_MODEL} They can only investigate a release, and this message does not name one."


def missing_tools(names: Sequence[str]) -> str:
    """The answer if a tool that the task needs is missing."""
    return f"Without the tool {' and '.join(names)} the release cannot be investigated. {_NO_MODEL}"


def no_summary(release_id: str, problem: str) -> str:
    """The answer if the summary could not be fetched."""
    return (
        f"The summary of release {_quoted(release_id)} could not be fetched, so its risk is unknown and there is no "
        f"report. The tool said: {problem}\n{_NO_MODEL}"
    )


def unreadable(release_id: str, problem: str) -> str:
    """The answer if the summary cannot be assessed."""
    return (
        f"The summary of release {_quoted(release_id)} cannot be read, so its risk is unknown and there is no report: "
        f"{problem}.\n{_NO_MODEL}"
    )


def cut(risk: str) -> str:
    """The finding for a truncated summary."""
    return f"the summary is longer than max_result_chars and was cut; the whole of it shows {risk} risk"


def staged(release_id: str, assessment: Assessment) -> str:
    """The answer if the report is delivered at the end of the run."""
    return (
        f"{_risk(release_id, assessment)} The risk report is staged; it is delivered when this run is over.\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def filed(release_id: str, assessment: Assessment, report_id: str | None) -> str:
    """The answer if the report was filed."""
    where = f"under the id {report_id}" if report_id else "but the tool returned no report id"
    return f"{_risk(release_id, assessment)} The risk report was filed {where}.\n{_reasons(assessment)}\n{_NO_MODEL}"


def not_filed(release_id: str, assessment: Assessment, problem: str) -> str:
    """The answer if the report was refused twice."""
    return (
        f"{_risk(release_id, assessment)} The risk report could not be filed. The tool said: {problem}\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def unknown(release_id: str, assessment: Assessment, problem: str) -> str:
    """The answer if filing was interrupted: the report may have been filed, so it is not retried."""
    return (
        f"{_risk(release_id, assessment)} Whether the risk report was filed is unknown. The tool said: {problem}\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def _risk(release_id: str, assessment: Assessment) -> str:
    return f"The risk of release {_quoted(release_id)} is {assessment.severity}."


def _reasons(assessment: Assessment) -> str:
    return "\n".join(["What decided it:", *(f"- {fact.text}" for fact in assessment.deciding)])


def _quoted(release_id: str) -> str:
    return to_json(release_id).decode()
