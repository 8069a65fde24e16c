"""Scripted tools of a scenario: they play their steps in the harness, without a process and without waiting."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sentinel_agent import FILE_REPORT, GET_SUMMARY
from sentinel_command_suite.scenario import Scenario, Step, ToolScript
from sentinel_core import Tool
from sentinel_core.errors import ToolExecutionError, WorkerTimeout
from sentinel_core.host.tools import in_process

__all__ = ["Script", "run_scripted", "scripted_tools"]

_RELEASE_ID = {"type": "string", "minLength": 1, "maxLength": 256}
_PARAMETERS: dict[str, dict[str, Any]] = {
    GET_SUMMARY: {
        "type": "object",
        "properties": {"release_id": _RELEASE_ID},
        "required": ["release_id"],
        "additionalProperties": False,
    },
    FILE_REPORT: {
        "type": "object",
        "properties": {
            "release_id": _RELEASE_ID,
            "severity": {"enum": ["high", "medium", "low"]},
            "findings": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        },
        "required": ["release_id", "severity", "findings"],
        "additionalProperties": False,
    },
}
_DESCRIPTIONS = {
    GET_SUMMARY: "Get the summary of a release: its changes, test results and deployment metrics.",
    FILE_REPORT: "File the risk report of a release. Returns the id of the report that was filed.",
}
_ANY_OBJECT = {"type": "object"}
_PLAIN = Step()


class _TimedOut(Exception):
    """A step that takes longer than the tool's time limit."""


@attrs.define
class Script:
    """One tool's steps, one per call; the last one repeats. A script belongs to one run."""

    tool: ToolScript
    calls: int = 0

    def next(self) -> Step:
        """The step of this call."""
        steps = self.tool.steps or (_PLAIN,)
        step = steps[min(self.calls, len(steps) - 1)]
        self.calls += 1
        return step

    def is_late(self, step: Step) -> bool:
        """True if the step takes longer than the tool's time limit."""
        return step.timeout or step.delay_ms >= self.tool.timeout_ms


def scripted_tools(scenario: Scenario, release: Mapping[str, Any] | None) -> list[Tool]:
    """The detective's two tools, and the others that the scenario names, each playing its script from the start."""
    names = [GET_SUMMARY, FILE_REPORT, *(name for name in scenario.tools if name not in _PARAMETERS)]
    return [_tool(name, scenario.tools.get(name, ToolScript()), scenario.release_id, release) for name in names]


def _tool(name: str, script: ToolScript, release_id: str, release: Mapping[str, Any] | None) -> Tool:
    return Tool(
        name=name,
        description=script.description or _DESCRIPTIONS.get(name, f"{name} of this scenario."),
        parameters=script.parameters or _PARAMETERS.get(name, _ANY_OBJECT),
        handler=_handler(Script(script), _plain_results(release_id, release).get(name, lambda: {"status": "ok"})),
        effect="read" if name == GET_SUMMARY else "write",
        timeout=script.timeout_ms / 1000,
    )


def _plain_results(release_id: str, release: Mapping[str, Any] | None) -> dict[str, Callable[[], Any]]:
    filed = 0

    def file_report() -> dict[str, Any]:
        nonlocal filed
        filed += 1
        return {"status": "filed", "report_id": f"{release_id}-{filed}"}

    def get_summary() -> dict[str, Any]:
        if release is None:
            raise ToolExecutionError(f'there is no release "{release_id}"')
        return copy.deepcopy(dict(release))

    return {GET_SUMMARY: get_summary, FILE_REPORT: file_report}


def _handler(script: Script, plain: Callable[[], Any]) -> Callable[..., Any]:
    def handle(**_arguments: object) -> Any:
        step = script.next()
        if script.is_late(step):
            raise _TimedOut
        if step.error is not None:
            raise ToolExecutionError(step.error)
        if step.text is not None:
            return step.text
        return plain() if step.is_plain else step.result

    return handle


def run_scripted(job: Callable[[], bytes], *, timeout: float) -> bytes:
    """Run a scripted tool in this process. A step that exceeds the time limit times out at once, without waiting."""
    late = []

    def watched() -> bytes:
        try:
            return job()
        except _TimedOut:
            late.append(True)
            return b""

    answer = in_process(watched, timeout=timeout)
    if late:
        raise WorkerTimeout("did not finish within its time limit")
    return answer
