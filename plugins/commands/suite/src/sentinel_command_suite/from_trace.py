"""A scenario from a real run: the tools answer as they did then, so that an incident becomes a test."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sentinel_agent import FILE_REPORT, GET_SUMMARY, filed_report, release_in
from sentinel_core import Call, ExecutionTrace, TraceIndex
from sentinel_core.errors import InputError
from sentinel_core.runtime.redact import redact, redact_value
from sentinel_core.trace import from_json

__all__ = ["scenario_from_trace", "suite_from_trace"]

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_ID = 80
_TIMED_OUT = "ToolTimeoutError"
_FAILED_FIRST = re.compile(r"""^tool (?:"[^"]*"|'[^']*') failed: (?:\w+: )?""")


def suite_from_trace(trace: ExecutionTrace, *, name: str | None = None, severity: str | None = None) -> dict[str, Any]:
    """A suite of that one scenario, in the form of a suite file. Raises ``InputError`` like ``scenario_from_trace``."""
    scenario = scenario_from_trace(trace, name=name, severity=severity)
    return {
        "name": scenario["id"],
        "summary": f"Made from the trace {redact(trace.trace_id)}.",
        "scenarios": [scenario],
    }


def scenario_from_trace(
    trace: ExecutionTrace, *, name: str | None = None, severity: str | None = None
) -> dict[str, Any]:
    """A scenario in which every tool gives the results that the trace recorded.

    It expects what a trace can show: the tools in their order, failures reported, nothing invented. ``severity`` adds the
    right severity, which no trace can show. Secrets are redacted.

    Raises ``InputError`` if the trace holds no tool call with a result, or names no release.
    """
    calls = [call for call in TraceIndex(trace).calls if call.result is not None]
    if not calls:
        raise InputError(f'trace "{trace.trace_id}" has no tool call with a result; there is nothing to replay')
    release_id = _release_id(trace, calls)
    filed = filed_report(trace, release_id) is not None
    expect: dict[str, Any] = {"tool_usage": {"calls": _expected(calls, release_id, filed=filed)}}
    if severity is not None:
        expect["decision_quality"] = {"severity": severity}
    expect["error_handling"] = {"report": "filed" if filed or severity is not None else "any"}
    scenario = {
        "id": _NOT_PLAIN.sub("-", name or f"trace-{trace.trace_id}").strip("-._")[:_LONGEST_ID] or "trace",
        "summary": f"Recorded from a run about {release_id}.",
        "release_id": release_id,
        "tools": {tool: {"steps": _steps(calls, tool)} for tool in dict.fromkeys(call.call.name for call in calls)},
        "expect": expect,
    }
    cleaned: dict[str, Any] = redact_value(scenario)
    return cleaned


def _release_id(trace: ExecutionTrace, calls: Iterable[Call]) -> str:
    asked = (release_in(message.content or "") for message in trace.messages if message.role == "user")
    used = (call.call.arguments.get("release_id") for call in calls)
    stated = trace.metadata.get("release_id")
    found = next((candidate for candidate in (stated, *asked, *used) if isinstance(candidate, str) and candidate), None)
    if found is None:
        raise InputError(
            f'trace "{trace.trace_id}" names no release: neither its task nor a call has a release_id. Suites are for '
            "Sentinel's detective; \"sentinel evaluate\" judges other agents' traces"
        )
    return found


def _expected(calls: Iterable[Call], release_id: str, *, filed: bool) -> list[dict[str, Any]]:
    """Expects the summary to be fetched, and a report to be filed if the trace filed one, for this release."""
    names = {call.call.name for call in calls}
    wanted = [GET_SUMMARY] if GET_SUMMARY in names else []
    wanted += [FILE_REPORT] if filed else []
    return [{"name": name, "arguments": {"release_id": release_id}} for name in wanted]


def _steps(calls: Iterable[Call], tool: str) -> list[dict[str, Any]]:
    return [_step(call) for call in calls if call.call.name == tool]


def _step(call: Call) -> dict[str, Any]:
    result = call.result
    assert result is not None  # the caller took only those
    if (result.metadata or {}).get("error") == _TIMED_OUT:
        return {"timeout": True}
    if result.success is False:
        return {"error": _FAILED_FIRST.sub("", result.content) or "failed"}
    try:
        value = from_json(result.content)
    except (ValueError, RecursionError):
        return {"text": result.content}
    return {"result": value} if isinstance(value, dict) and not _has_null(value) else {"text": result.content}


def _has_null(value: Any) -> bool:
    """TOML has no null, so a value with one is stored as text."""
    if isinstance(value, Mapping):
        return any(map(_has_null, value.values()))
    return any(map(_has_null, value)) if isinstance(value, list) else value is None
