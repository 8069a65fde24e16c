"""mini-swe-agent's ``.traj.json`` files to traces: version 1 (commands in fenced text) and 2 (tool calls).

Version 1 also saved a bare list of messages. Every command is a call of ``bash``, and the environment's answer is its
result; the result of the last command, which submits, is the end of the run.
"""

import re
from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.offers import ReadError, Source
from sentinel_core.trace import CallDetails, ExecutionTrace, MessageDetails, ToolCall, ToolSchema
from sentinel_core.traces.readers import Piece, TraceBuilder, gaps_at, iso_time, json_document, pieces_of, usage_of
from sentinel_core.traces.readers.chat import Result, text_of
from sentinel_readers_benchmarks._documents import Document, read_each
from sentinel_readers_benchmarks._values import as_dict, as_list, as_text, exit_success, file_stem, number

__all__ = ["read"]

_FENCED = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\n(.*?)\n?```", re.DOTALL)
_RETURN_CODE = re.compile(r"\s{0,9}<returncode>(-?\d{1,9})</returncode>")
_SUBMITS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_BASH = ToolSchema(
    name="bash",
    description="Execute a bash command",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
)
_OUTCOMES = {
    "submitted": "completed",
    "limitsexceeded": "max_turns",
    "timeexceeded": "timeout",
    "userinterruption": "interrupted",
    "keyboardinterrupt": "interrupted",
    "repeatedformaterror": "error",
}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """The trajectory of a source."""
    with source.open() as stream:
        is_list = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    messages = json_document(source) if is_list else None
    if isinstance(messages, list) and not any("messages" in as_dict(entry) for entry in messages[:1]):
        yield _from_document(Document(value={"messages": messages}), source)
        return
    yield from read_each(source, _from_document)


def _from_document(document: Document, source: Source) -> ExecutionTrace | ReadError:
    raw = document.value
    if not isinstance(raw.get("messages"), list):
        return document.error("expected a list of messages at $.messages")
    info = as_dict(raw.get("info"))
    run = _Run(as_text(raw.get("instance_id")) or document.name(file_stem(source.name)), _model(info))
    path = "$.messages" if info or "trajectory_format" in raw else "$"
    bad = [position for position, entry in enumerate(raw["messages"]) if not run.add(entry, f"{path}[{position}]")]
    status = as_text(info.get("exit_status")) or run.exit_status
    metadata = {
        "exit_status": status,
        "cost_usd": number(as_dict(info.get("model_stats")).get("instance_cost")) or None,
        "mini_version": as_text(info.get("mini_version")),
        "reading_gaps": gaps_at("message could not be read", "messages could not be read", bad),
    }
    return run.builder.build(
        available_tools=(_BASH,),
        outcome=_OUTCOMES.get(status.lower(), "error") if status else None,
        metadata={key: value for key, value in metadata.items() if value},
    )


def _model(info: dict[str, Any]) -> str | None:
    return as_text(as_dict(as_dict(info.get("config")).get("model")).get("model_name"))


class _Run:
    """Converts messages to a trace. ``open`` holds calls without a result, oldest first."""

    def __init__(self, trace_id: str, model: str | None) -> None:
        self.builder = TraceBuilder(trace_id, "mini-swe-agent")
        self.model = model
        self.exit_status: str | None = None
        self._open = 0

    def add(self, raw: object, origin: str) -> bool:
        """Append one message; False if it is not a message."""
        if not isinstance(raw, dict):
            return False
        extra = as_dict(raw.get("extra"))
        piece = self._piece(raw, extra)
        if piece is None:
            return False
        self.builder.add(piece, timestamp=iso_time(extra.get("timestamp")), details=self._details(raw, extra, origin))
        return True

    def _piece(self, raw: dict[str, Any], extra: dict[str, Any]) -> Piece | None:
        role = raw.get("role") or raw.get("type") or raw.get("object")
        if role in ("assistant", "response"):
            return self._turn(raw, extra)
        if role in ("tool", "function_call_output"):
            call_id = as_text(raw.get("tool_call_id")) or as_text(raw.get("call_id"))
            return self._answer(text_of(raw.get("content", raw.get("output"))), extra, call_id)
        if role == "exit":
            return self._exit(raw, extra)
        if role == "user" and self._open and "interrupt_type" not in extra:
            return self._answer(text_of(raw.get("content")), extra, None)
        self._excuse()
        return next(iter(pieces_of(raw)), None) if isinstance(role, str) else None

    def _turn(self, raw: dict[str, Any], extra: dict[str, Any]) -> Piece:
        message = _flattened(raw)
        piece = next(iter(pieces_of({**message, "role": "assistant"})))
        calls = piece.calls
        text = piece.text
        if not calls:
            commands, text = _commands(piece.text or "", extra)
            calls = tuple(ToolCall(id="", name="bash", arguments={"command": command}) for command in commands)
        self._open = len(calls)
        return Piece(
            role=piece.role,
            text=text,
            reasoning=piece.reasoning,
            calls=tuple(map(_submitting, calls)),
            results=piece.results,
            metadata=piece.metadata,
            lost=piece.lost,
        )

    def _answer(self, text: str, extra: dict[str, Any], call_id: str | None) -> Piece:
        self._open = max(0, self._open - 1)
        code = extra.get("returncode")
        match = _RETURN_CODE.match(text)
        if code is None and match is not None:
            code = int(match[1])
        success = False if extra.get("exception_info") else exit_success(code)
        metadata = {"returncode": code} if type(code) is int else None
        return Piece(role="tool", results=(Result(content=text, call_id=call_id, success=success, metadata=metadata),))

    def _exit(self, raw: dict[str, Any], extra: dict[str, Any]) -> Piece:
        """The end of the run: the result of the command that submits, else a system message."""
        self.exit_status = as_text(extra.get("exit_status"))
        text = text_of(raw.get("content"))
        if self._open and (self.exit_status or "").lower() == "submitted":
            return self._answer(text, {"returncode": 0}, None)
        self._excuse()
        return Piece(role="system", text=text or None)

    def _excuse(self) -> None:
        """Mark open calls as refused or interrupted, so that no result is expected."""
        if not self._open:
            return
        self._open = 0
        messages = self.builder.messages
        last = next(position for position in range(len(messages) - 1, -1, -1) if messages[position].tool_calls)
        calls = messages[last].tool_calls
        excused = CallDetails(result_expected=False)
        messages[last] = attrs.evolve(messages[last], tool_calls=tuple(attrs.evolve(c, details=excused) for c in calls))

    def _details(self, raw: dict[str, Any], extra: dict[str, Any], origin: str) -> MessageDetails:
        response = as_dict(extra.get("response")) or (raw if raw.get("object") == "response" else {})
        if not response and raw.get("role") != "assistant":
            return MessageDetails(cost_usd=number(extra.get("cost")), origin=origin)
        return MessageDetails(
            id=as_text(response.get("id")),
            model=as_text(response.get("model")) or self.model,
            usage=usage_of(response.get("usage")),
            cost_usd=number(extra.get("cost")),
            origin=origin,
        )


def _flattened(raw: dict[str, Any]) -> dict[str, Any]:
    """A Responses object as one message with the parts of all items."""
    if raw.get("object") != "response":
        return raw
    parts: list[Any] = []
    for item in map(as_dict, as_list(raw.get("output"))):
        parts += as_list(item.get("content")) if item.get("type") == "message" else [item]
    return {"content": parts}


def _commands(text: str, extra: dict[str, Any]) -> tuple[list[str], str | None]:
    """The commands of a turn without tool calls, and its text without them. The agent refuses any number but one."""
    fenced = _FENCED.findall(text)
    recorded = [as_text(as_dict(action).get("command")) for action in as_list(extra.get("actions"))]
    commands = [command for command in recorded if command] or (fenced if len(fenced) == 1 else [])
    said = _FENCED.sub("", text) if commands else text
    return [command.strip() for command in commands], said.strip() or None


def _submitting(call: ToolCall) -> ToolCall:
    command = call.arguments.get("command")
    if not isinstance(command, str) or not any(word in command for word in _SUBMITS):
        return call
    return attrs.evolve(call, details=CallDetails(result_expected=False))
