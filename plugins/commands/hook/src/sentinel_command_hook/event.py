"""What the tool tells on standard input, and what it is answered."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from sentinel_command_hook.memory import journal_of
from sentinel_command_hook.tools import ToolHook
from sentinel_core.errors import InputError
from sentinel_core.trace import from_json, to_json

__all__ = ["Answer", "Event", "event_of", "is_second_try", "kept", "told_by"]

_SECOND_TRY = re.compile(rb'"stop_hook_active"\s*:\s*true|"loop_count"\s*:\s*[1-9]')
_CURSOR = "cursor_version"  # Cursor's events alone have it; it runs the hooks of Claude Code's settings, too
_SUB_AGENT = "SubagentStop"


class Event(NamedTuple):
    """An agent is about to stop.

    ``transcript`` is the session's file; ``said`` the last message, None where the tool does not tell it; ``again`` is True where
    the agent went on because a hook sent it back. ``folder`` is where it works, None where the tool does not tell.
    """

    transcript: Path
    said: str | None
    again: bool
    folder: Path | None = None


class Answer(NamedTuple):
    """``reason`` sends the agent back; ``notes`` are for the user."""

    reason: str | None = None
    notes: tuple[str, ...] = ()

    def encoded(self, tool: ToolHook) -> bytes:
        """The answer in the tool's protocol, one line of JSON; nothing where there is nothing to say."""
        told: dict[str, Any] = {}
        if self.reason is not None:
            told |= {**({"decision": tool.refusal} if tool.refusal else {}), tool.reason: self.reason}
        if self.notes and tool.note:
            told[tool.note] = "\n".join(self.notes)
        return to_json(told) + b"\n" if told else b""


def told_by(data: bytes, tool: ToolHook) -> dict[str, Any]:
    """What an event tells. Raises ``InputError`` where it is none of the tool's."""
    try:
        told = _value(data)
    except (ValueError, RecursionError):
        raise InputError(f"standard input is not a {tool.name} event: it is not JSON") from None
    if not isinstance(told, dict):
        raise InputError(f"standard input is not a {tool.name} event: it is not a JSON object")
    return told


def kept(told: dict[str, Any], tool: ToolHook) -> bool:
    """Whether the event is no stop of this tool's agent; one that the tool ``records`` is added to the conversation's record.

    Raises ``InputError`` where it is of no conversation, ``OSError`` where it cannot be kept.
    """
    if tool.records and told.get("hook_event_name") != tool.events[-1]:
        folder = _folder_of(told)
        journal_of(_conversation_of(told)).add(to_json({**told, **({} if folder is None else {"cwd": str(folder)})}))
        return True
    return _CURSOR in told and not tool.records


def event_of(data: bytes, tool: ToolHook) -> Event:
    """The event. Raises ``InputError`` where it is none of the tool's."""
    told = told_by(data, tool)
    said = told.get(tool.said)
    said = _encodable(said) if isinstance(said, str) and said.strip() else None
    loops = told.get("loop_count")
    return Event(
        transcript=_transcript_of(told, tool),
        said=said,
        again=told.get("stop_hook_active") is True or (isinstance(loops, int) and loops > 0),
        folder=_folder_of(told),
    )


def _transcript_of(told: dict[str, Any], tool: ToolHook) -> Path:
    if tool.records:
        return journal_of(_conversation_of(told)).path
    key = "agent_transcript_path" if told.get("hook_event_name") == _SUB_AGENT else "transcript_path"
    path = told.get(key)
    if not isinstance(path, str) or not path or "\0" in path:
        raise InputError(
            f'the event does not say where the transcript is: "{key}" is missing or is not a path; {tool.name} sends it, so check which program calls this hook'
        )
    return Path(path).expanduser()


def _conversation_of(told: dict[str, Any]) -> str:
    named = told.get("conversation_id")
    if not isinstance(named, str) or not named:
        raise InputError('the event does not say of which conversation it is: "conversation_id" is missing')
    return named


def _folder_of(told: dict[str, Any]) -> Path | None:
    """Where the agent works."""
    roots = told.get("workspace_roots")
    folder = told.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)
    return Path(folder) if isinstance(folder, str) and Path(folder).is_absolute() and "\0" not in folder else None


def _value(data: bytes) -> Any:
    """The JSON value; what the quick decoder refuses (half a pair of surrogates, NaN) is left to the standard library's."""
    try:
        return from_json(data)
    except (ValueError, RecursionError):
        import json

        return json.loads(data)


def _encodable(text: str) -> str:
    """Half a pair of surrogates, which JSON can hold and UTF-8 cannot, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_second_try(data: bytes) -> bool:
    """Whether the event says that a hook sent the agent back already, also where it cannot be read otherwise."""
    return _SECOND_TRY.search(data) is not None
