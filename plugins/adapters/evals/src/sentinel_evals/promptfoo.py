"""promptfoo: a Python assertion, ``value: file://honest.py``, where that file has one line.

from sentinel_evals.promptfoo import get_assert
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sentinel_core.errors import ConfigError, InputError, VerdictError
from sentinel_evals.scores import Judging, score
from sentinel_evals.spans import span

__all__ = ["get_assert"]

_OPTIONS = ("profile", "expect", "allow")
_STATUS = {1: "OK", 2: "ERROR"}
_NO_RUN = (
    "Sentinel found no run: let the provider return its messages as metadata.messages, or switch on promptfoo's tracing"
)


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Judge the run behind an output: ``metadata.messages`` of the provider's response, an output with messages, or spans.

    The assertion's ``config`` may have ``profile``, ``expect`` and ``allow``, as for ``sentinel_core.judge``. It passes for PASS;
    the score is 1 for PASS, 0.5 for WARN and 0 for FAIL. A run that cannot be read or judged fails, with the reason.
    """
    config = context.get("config") or {}
    judging: Judging = {name: config[name] for name in _OPTIONS if name in config}  # type: ignore[assignment] # judge checks
    run, reader = _run(output, context)
    if run is None:
        return _failed(_NO_RUN)
    try:
        found = score(run, reader=reader, **judging)
    except (InputError, VerdictError, ConfigError) as error:
        return _failed(str(error))
    return {
        "pass": found.passed,
        "score": found.value,
        "reason": found.reason,
        "namedScores": {"sentinel": found.value},
    }


def _failed(reason: str) -> dict[str, Any]:
    return {"pass": False, "score": 0.0, "reason": reason}


def _run(output: Any, context: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The run, and the reader of it if that is known; None if there is none."""
    response = context.get("providerResponse") or {}
    messages = (response.get("metadata") or {}).get("messages")
    if isinstance(messages, list) and messages:  # a text would be a path
        return messages, None
    if isinstance(output, Mapping) and isinstance(output.get("messages"), list):
        return output, None
    trace = context.get("trace") or {}
    spans = [_span(one, trace["traceId"]) for one in trace.get("spans") or ()]
    return ({"data": spans}, "phoenix") if spans else (None, None)


def _span(one: Mapping[str, Any], trace_id: str) -> dict[str, Any]:
    return span(
        one["name"],
        ids=(trace_id, one["spanId"], one.get("parentSpanId")),
        times=(_time(one["startTime"]), _time(one.get("endTime") or one["startTime"])),
        status=_STATUS.get(one.get("statusCode") or 0, "UNSET"),
        attributes=one.get("attributes") or {},
    )


def _time(milliseconds: float) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
