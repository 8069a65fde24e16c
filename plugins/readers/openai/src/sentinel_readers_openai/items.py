"""Turns Responses API items into messages: one model turn is one message, with its parallel calls."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core import CallDetails, ToolCall
from sentinel_core.trace import Role
from sentinel_core.traces.readers import Piece, pieces_of
from sentinel_core.traces.readers.chat import Result, arguments_of, text_of
from sentinel_readers_openai.drafts import Draft
from sentinel_readers_openai.values import field, mapping, text

__all__ = ["Turns", "is_item"]

_NAMED = frozenset(("custom_tool_call", "function_call", "mcp_call"))
# The field with the arguments, by kind of call. Function and MCP calls have a name of their own.
_GIVEN: Mapping[str, tuple[str, ...]] = {
    "apply_patch_call": ("operation",),
    "code_interpreter_call": ("code",),
    "computer_call": ("action", "actions"),
    "custom_tool_call": ("input",),
    "file_search_call": ("queries",),
    "function_call": ("arguments",),
    "image_generation_call": ("revised_prompt",),
    "local_shell_call": ("action",),
    "mcp_call": ("arguments",),
    "shell_call": ("action",),
    "tool_search_call": ("arguments",),
    "web_search_call": ("action",),
}
# Run by the provider: the result is in the item itself, if anywhere.
_SERVER_SIDE = frozenset(
    {
        "code_interpreter_call",
        "file_search_call",
        "image_generation_call",
        "mcp_call",
        "tool_search_call",
        "web_search_call",
    }
)
_OWN_RESULT = ("output", "outputs", "results")
_OUTPUTS = frozenset(
    {
        "apply_patch_call_output",
        "computer_call_output",
        "custom_tool_call_output",
        "function_call_output",
        "local_shell_call_output",
        "shell_call_output",
        "tool_search_output",
    }
)
# Items without content of the agent: settings, approvals, references, opaque context.
_SILENT = frozenset(
    {
        "additional_tools",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "context_compaction",
        "ghost_snapshot",
        "item_reference",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_list_tools",
        "other",
    }
)
_KINDS = frozenset(_GIVEN) | _OUTPUTS | _SILENT | {"message", "reasoning"}
_PLAIN_PARTS = ("input_text", "output_text", "text")
_PLAIN_ROLES: Mapping[str, Role] = {
    "assistant": "assistant",
    "developer": "system",
    "system": "system",
    "user": "user",
}


def is_item(value: object) -> bool:
    """Whether this is one item, not a response with several."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    return kind in _KINDS if isinstance(kind, str) else isinstance(value.get("role"), str) and "content" in value


class Turns:
    """Takes items in order and gathers ``drafts``.

    Text or reasoning after calls, or after another text, begins the next message, because it may depend on the results.
    ``unknown`` counts items of unknown kinds.
    """

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.last_turn: Draft | None = None
        self.unknown: dict[str, list[str]] = {}
        self.model: str | None = None
        self.response_id: str | None = None
        self._open: Draft | None = None
        self._unanswered: dict[str, tuple[Draft, int]] = {}

    def add(self, raw: object, origin: str, *, timestamp: str | None = None, is_copied: bool = False) -> None:
        """Add one item. Of copied context only texts are kept, because its calls are there already."""
        item = mapping(raw)
        stated = item.get("type") or "message"
        kind = stated if isinstance(stated, str) else ""
        if kind == "message" and item:
            self._message(item, origin, timestamp, is_copied=is_copied)
        elif kind == "reasoning":
            self._turn(origin, timestamp, is_copied=is_copied).reasoning.extend(_thoughts(item))
        elif kind in _GIVEN:
            if not is_copied:
                self._call(item, kind, origin, timestamp)
        elif kind in _OUTPUTS:
            if not is_copied:
                result = _output(item, kind)
                self._unanswered.pop(result.call_id or "", None)
                self.say(Draft(role="tool", origin=origin, timestamp=timestamp, results=[result]))
        elif kind not in _SILENT:
            self.unknown.setdefault(kind[:60] or "none", []).append(origin)

    def say(self, draft: Draft) -> None:
        """Append a complete message."""
        self.end_turn()
        self.drafts.append(draft)
        if draft.role == "assistant":
            self.last_turn = draft

    def abandon(self) -> None:
        """The turn was interrupted: expect no result for its open calls."""
        for draft, position in self._unanswered.values():
            call = draft.calls[position]
            details = attrs.evolve(call.details or CallDetails(), result_expected=False)
            draft.calls[position] = attrs.evolve(call, details=details)
        self._unanswered.clear()
        self.end_turn()

    def end_turn(self) -> None:
        """End the turn: the next item begins a new message."""
        self._open = None

    def _turn(self, origin: str, timestamp: str | None, *, is_copied: bool = False, is_call: bool = False) -> Draft:
        turn = self._open
        if turn is None or turn.is_copied != is_copied or (not is_call and (turn.calls or turn.texts)):
            turn = Draft(
                role="assistant",
                origin=origin,
                timestamp=timestamp,
                id=self.response_id,
                model=self.model,
                is_copied=is_copied,
            )
            self.drafts.append(turn)
            self._open = self.last_turn = turn
        return turn

    def _message(self, item: Mapping[str, Any], origin: str, timestamp: str | None, *, is_copied: bool) -> None:
        for piece in _plain(item) or pieces_of(item):
            if piece.role != "assistant":
                said = [piece.text] if piece.text else []
                self.say(Draft(role=piece.role, origin=origin, timestamp=timestamp, texts=said, is_copied=is_copied))
                continue
            turn = self._turn(origin, timestamp, is_copied=is_copied)
            turn.id = turn.id or field(item, "id")
            turn.texts.append(piece.text or "")

    def _call(self, item: Mapping[str, Any], kind: str, origin: str, timestamp: str | None) -> None:
        call = call_of_item(item, kind)
        turn = self._turn(origin, timestamp, is_call=True)
        turn.calls.append(attrs.evolve(call, timestamp=timestamp) if timestamp is not None else call)
        if kind not in _SERVER_SIDE:
            self._unanswered[call.id] = (turn, len(turn.calls) - 1)
        elif (result := _own_result(item, call.id)) is not None:
            turn.results.append(result)


def _plain(item: Mapping[str, Any]) -> list[Piece]:
    """A fast path for a message with one part of text, as most are; empty for any other."""
    role, content = _PLAIN_ROLES.get(str(item.get("role"))), item.get("content")
    if role is None or not isinstance(content, list) or len(content) != 1:
        return []
    part = mapping(content[0])
    said = part.get("text")
    return [Piece(role=role, text=said)] if part.get("type") in _PLAIN_PARTS and isinstance(said, str) else []


def call_of_item(item: Mapping[str, Any], kind: str) -> ToolCall:
    """The call of an item; a call that the provider runs itself expects no result."""
    given = next((item[key] for key in _GIVEN[kind] if item.get(key) is not None), None)
    details = None
    if kind in ("function_call", "mcp_call"):
        arguments, not_json = arguments_of(given)
    elif isinstance(given, dict):
        arguments, not_json = {key: value for key, value in given.items() if value is not None}, None
    else:
        arguments, not_json = ({} if given is None else {_GIVEN[kind][0]: given}), None
    if not_json is not None or kind in _SERVER_SIDE:
        details = CallDetails(raw_arguments=not_json, result_expected=kind not in _SERVER_SIDE)
    name = text(item.get("name")) or ("" if kind in _NAMED else kind.removesuffix("_call"))
    return ToolCall(id=field(item, "call_id", "id") or "", name=name, arguments=arguments, details=details)


def _own_result(item: Mapping[str, Any], call_id: str) -> Result | None:
    error = item.get("error")
    failed = bool(error) or item.get("status") == "failed"
    output = next((item[key] for key in _OWN_RESULT if item.get(key)), None)
    if output is None and not failed:
        return None
    content = text_of(mapping(error).get("message") or error) if error else _logs(output)
    return Result(call_id=call_id or None, content=content, success=not failed)


def _output(item: Mapping[str, Any], kind: str) -> Result:
    output = item.get("output", item.get("tools"))
    success = {"failed": False, "completed": True}.get(str(item.get("status"))) if kind.startswith("apply") else None
    content = _logs(output)
    if kind == "shell_call_output" and isinstance(output, list):
        success = all(mapping(mapping(part).get("outcome")).get("exit_code") == 0 for part in output)
        content = "\n".join(
            str(mapping(part).get(key) or "") for part in output for key in ("stdout", "stderr")
        ).strip()
    name = kind.removesuffix("_output").removesuffix("_call")
    return Result(call_id=field(item, "call_id", "id"), name=name, content=content, success=success)


def _logs(output: object) -> str:
    """Text of a result; a code interpreter's output is under ``logs``."""
    if isinstance(output, list) and any(isinstance(part, dict) and "logs" in part for part in output):
        return "\n".join(str(mapping(part).get("logs") or "") for part in output).strip()
    return text_of(output)


def _thoughts(item: Mapping[str, Any]) -> list[str]:
    """Summaries and plain reasoning; encrypted reasoning is left out."""
    parts = [part for key in ("summary", "content") if isinstance(item.get(key), list) for part in item[key]]
    return [said for part in parts if (said := text(mapping(part).get("text"))) is not None]
