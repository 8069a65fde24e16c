"""What the tool tells on standard input, and what it is answered."""

import json
import re
from pathlib import Path
from typing import Any

import attrs

from sentinel_command_hook.tools import ToolHook
from sentinel_core.errors import InputError
from sentinel_core.trace import to_json

__all__ = ["Answer", "Event", "event_of", "is_second_try"]

_SECOND_TRY = re.compile(rb'"stop_hook_active"\s*:\s*true')
_SUB_AGENT = "SubagentStop"


@attrs.frozen(kw_only=True)
class Event:
    """An agent is about to stop.

    ``transcript`` is the session's file; ``said`` the last message, None where the tool does not tell it; ``again`` is True where
    the agent went on because a hook sent it back. ``folder`` is where it works, None where the tool does not tell.
    """

    transcript: Path
    said: str | None
    again: bool
    folder: Path | None = None


@attrs.frozen(kw_only=True)
class Answer:
    """``reason`` sends the agent back; ``notes`` are for the user."""

    reason: str | None = None
    notes: tuple[str, ...] = ()

    def encoded(self, tool: ToolHook) -> bytes:
        """The answer in the tool's protocol, one line of JSON; nothing where there is nothing to say."""
        told: dict[str, Any] = {}
        if self.reason is not None:
            told |= {"decision": tool.refusal, "reason": self.reason}
        if self.notes:
            told["systemMessage"] = "\n".join(self.notes)
        return to_json(told) + b"\n" if told else b""


def event_of(data: bytes, tool: ToolHook) -> Event:
    """The event. Raises ``InputError`` where it is none of the tool's."""
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError(f"standard input is not a {tool.name} event: it is not JSON") from None
    if not isinstance(told, dict):
        raise InputError(f"standard input is not a {tool.name} event: it is not a JSON object")
    key = "agent_transcript_path" if told.get("hook_event_name") == _SUB_AGENT else "transcript_path"
    path, said = told.get(key), told.get(tool.said)
    if not isinstance(path, str) or not path or "\0" in path:
        raise InputError(f'the event does not say where the transcript is: "{key}" is missing or is not a path')
    said = _encodable(said) if isinstance(said, str) and said.strip() else None
    folder = told.get("cwd")
    return Event(
        transcript=Path(path).expanduser(),
        said=said,
        again=told.get("stop_hook_active") is True,
        folder=Path(folder) if isinstance(folder, str) and Path(folder).is_absolute() and "\0" not in folder else None,
    )


def _encodable(text: str) -> str:
    """Half a pair of surrogates, which JSON can hold and UTF-8 cannot, becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_second_try(data: bytes) -> bool:
    """Whether the event says that a hook sent the agent back already, also where it cannot be read otherwise."""
    return _SECOND_TRY.search(data) is not None
