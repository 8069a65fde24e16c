"""The tool call in an event of Cursor's stream: ``{"shellToolCall": {"args": {…}, "result": {"success": {…}}}}``."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core import ToolCall
from sentinel_core.trace import CallDetails, to_json
from sentinel_core.traces.readers.chat import Result, arguments_of, text_of

__all__ = ["Tool", "tool_of"]

_ENDING = "ToolCall"
# What Cursor adds to the arguments that the model gave.
_ADDED = frozenset({"hasInputRedirect", "hasOutputRedirect", "parsingResult", "simpleCommands", "toolCallId"})
_WORKED, _FAILED, _PENDING, _NOT_RUN = "worked", "failed", "pending", "not run"
_STATES = {
    _WORKED: ("success", "complete", "registered"),
    _FAILED: (
        "failure", "error", "timeout", "spawnError", "fileNotFound", "invalidFile", "notFile", "fileBusy", "noSpace", "notFound",
        "serverNotFound", "toolNotFound", "sandboxUnsupported", "readPermissionDenied", "writePermissionDenied",
    ),
    _PENDING: ("approved", "async", "stillRunning", "backgrounded"),
    _NOT_RUN: ("rejected", "permissionDenied", "cancelled", "needsConfirmation"),
}  # fmt: skip
_STATE_OF = {name: state for state, names in _STATES.items() for name in names}
_STREAMS = ("stdout", "stderr")
_TEXTS = ("content", "output", "message", "errorMessage", "error", "reason")


@attrs.frozen(kw_only=True)
class Tool:
    """A call, and what came of it if the event says so. ``call_id`` is empty if the event has none."""

    name: str
    arguments: dict[str, Any]
    call_id: str = ""
    raw_arguments: str | None = None
    outcome: object = None

    def call(self, timestamp: str | None) -> ToolCall:
        """The call."""
        details = None if self.raw_arguments is None else CallDetails(raw_arguments=self.raw_arguments)
        return ToolCall(id=self.call_id, name=self.name, arguments=self.arguments, timestamp=timestamp, details=details)

    def result(self) -> tuple[Result, str | None]:
        """The result, and the name of its state if that is not a known one."""
        outcome = self.outcome
        name = next((key for key in outcome if key in _STATE_OF), None) if isinstance(outcome, dict) else None
        payload = outcome if name is None or not isinstance(outcome, dict) else outcome[name]
        state = None if name is None else _STATE_OF[name]
        success = {_WORKED: True, _FAILED: False, _NOT_RUN: False}.get(state or "")
        code = payload.get("exitCode") if isinstance(payload, dict) else None
        if success and isinstance(code, int) and code != 0:
            success = False
        content = _text(payload) or (
            name if state == _NOT_RUN else _whole(payload) or (name if success is False else "")
        )
        result = Result(
            call_id=self.call_id or None,
            name=self.name,
            content=content or "",
            success=success,
            metadata={"not_run": True} if state == _NOT_RUN else None,
        )
        return result, next(iter(outcome), "none") if name is None and isinstance(outcome, dict) else None


def tool_of(event: Mapping[str, Any]) -> Tool | None:
    """The tool of an event; None if it names none."""
    raw, call_id = event.get("tool_call"), event.get("call_id")
    if not isinstance(raw, dict):
        return None
    key = next((key for key in raw if key.endswith(_ENDING)), None) or next(
        (key for key in raw if isinstance(raw[key], dict)), None
    )
    given = raw.get(key or "")
    if key is None or not isinstance(given, dict):
        return None
    name = key.removesuffix(_ENDING)
    arguments: object = given.get("args")
    if name == "function":
        name, arguments = str(given.get("name") or name), given.get("arguments")
    elif name == "mcp" and isinstance(arguments, dict):
        name, arguments = str(arguments.get("toolName") or arguments.get("name") or name), arguments.get("args")
    values, not_json = arguments_of(arguments)
    return Tool(
        name=name,
        arguments={field: value for field, value in values.items() if field not in _ADDED},
        call_id=call_id if isinstance(call_id, str) else "",
        raw_arguments=not_json,
        outcome=given.get("result", raw.get("result")),
    )


def _text(payload: object) -> str:
    """What a tool printed or gave as text."""
    if not isinstance(payload, dict):
        return text_of(payload)
    if any(isinstance(payload.get(key), str) for key in _STREAMS):
        return "\n".join(filter(None, (str(payload.get(key) or "").rstrip("\n") for key in _STREAMS)))
    return next((payload[key] for key in _TEXTS if isinstance(payload.get(key), str) and payload[key]), "")


def _whole(payload: object) -> str:
    """A result in an object of its own, as JSON."""
    has_streams = isinstance(payload, dict) and not payload.keys().isdisjoint(_STREAMS)
    return to_json(payload).decode() if isinstance(payload, dict) and payload and not has_streams else ""
