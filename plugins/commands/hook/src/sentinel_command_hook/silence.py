"""Sees, before anything that judges is imported, that a stop has nothing to judge: the agent says nothing, and its session has nothing to tell.

What is not as plain as most sessions are is left to those that read and judge the whole.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sentinel_command_hook.event import Event
from sentinel_command_hook.tools import ToolHook
from sentinel_command_hook.transcript import WORTH, Transcript, opened
from sentinel_core.errors import InputError
from sentinel_core.host.shortcuts import shortcut

__all__ = ["has_nothing_to_judge"]

_READER, _SIGNAL = "claude-code", "hallucination"
_LINKS = frozenset(("assistant", "attachment", "progress", "system", "user"))
_SPOKEN = frozenset(("assistant", "user"))
_ASIDE = ("agentId", "isApiErrorMessage", "isCompactSummary", "isSidechain", "teamName")
_AGENTS = frozenset(("Agent", "Task"))
# What carries a description that others will read: a file of text, and commands.
_DESCRIBES = re.compile(
    r"(?i)\.(?:md|markdown|txt|rst)\Z|\b(?:gh|glab)\b.{0,20}\b(?:pr|mr|issue|release)\b|\bgit\b.{0,20}\bcommit\b",
    re.DOTALL,
)


def has_nothing_to_judge(event: Event, tool: ToolHook, *, folder: Path | None = None) -> bool:
    """True where whatever the session holds, judging it could not lead to a word."""
    if tool.reader != _READER or event.said is None or _is_configured(Path.cwd() if folder is None else folder):
        return False
    is_silent = shortcut("signals", _SIGNAL, "is_silent")
    if is_silent is None or not is_silent(event.said):
        return False
    data = _plain_bytes(event.transcript)
    return data is not None and _is_plain(Transcript(path=event.transcript, data=data))


def _is_configured(folder: Path, environ: Mapping[str, str] = os.environ) -> bool:
    """True where a setting may be set: it may be wrong, or switch a rule off, which is told."""
    named = {name for name in environ if name.startswith("SENTINEL")}
    if named == {"SENTINEL_NO_CONFIG"} and environ["SENTINEL_NO_CONFIG"] == "1":
        return False
    return bool(named) or any(map(_names_us, (folder, *folder.parents)))


def _names_us(folder: Path) -> bool:
    try:
        return (folder / "sentinel.toml").exists() or b"sentinel" in (folder / "pyproject.toml").read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _plain_bytes(path: Path) -> bytes | None:
    """Of a short file of whole lines without folders of sub-agents; None for any other."""
    if path.suffix != ".jsonl" or path.with_suffix("").exists():
        return None
    try:
        with opened(path) as file:
            data = file.read(WORTH)
    except (OSError, InputError):
        return None
    return data if len(data) < WORTH and data.endswith(b"\n") else None


def _is_plain(transcript: Transcript) -> bool:
    """True for one agent's session that is read without a remark, and whose last turn writes no description."""
    from sentinel_core.traces.readers import BadRecord, json_lines

    known, turn = set[str](), set[str]()
    roots = 0
    for record in json_lines(transcript):
        raw = None if isinstance(record, BadRecord) else record.value
        if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
            return False
        if raw["type"] not in _LINKS:
            if isinstance(raw.get("message"), dict):
                return False
            continue
        own, parent = raw.get("uuid"), raw.get("parentUuid")
        if not isinstance(own, str) or own in known or any(map(raw.get, _ASIDE)) or not _is_message(raw):
            return False
        roots += parent not in known
        if _is_asked(raw):
            turn = {own}
        elif turn:
            if parent not in turn or any(map(_describes, _calls(raw))):
                return False
            turn.add(own)
        known.add(own)
    return bool(turn) and roots == 1


def _is_asked(raw: Mapping[str, Any]) -> bool:
    """True for what a user wrote."""
    if raw["type"] != "user" or raw.get("isMeta"):
        return False
    content = raw["message"]["content"]
    texts = [content] if isinstance(content, str) else [block.get("text") for block in content]
    return bool(texts) and all(isinstance(text, str) and text.strip() for text in texts)


def _is_message(raw: Mapping[str, Any]) -> bool:
    """True for a message of blocks that every reader knows, and for a line without one that needs none."""
    kind, message, result = raw["type"], raw.get("message"), raw.get("toolUseResult")
    if isinstance(result, dict) and "agentId" in result:
        return False
    if kind not in _SPOKEN:
        return not isinstance(message, dict)
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return True
    return isinstance(content, list) and bool(content) and all(_is_block(block, kind) for block in content)


def _is_block(block: object, kind: str) -> bool:
    if not isinstance(block, dict):
        return False
    what = block.get("type")
    if what == "text":
        return isinstance(block.get("text"), str)
    if kind == "assistant":
        is_call = what == "tool_use" and isinstance(block.get("input"), dict) and block.get("name") not in _AGENTS
        is_named = all(isinstance(block.get(key), str) and block[key] for key in ("id", "name"))
        return (is_call and is_named) or (what == "thinking" and isinstance(block.get("thinking"), str))
    is_result = what == "tool_result" and isinstance(block.get("tool_use_id"), str) and bool(block["tool_use_id"])
    return is_result and isinstance(block.get("content"), str)


def _calls(raw: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    content = raw["message"]["content"] if raw["type"] == "assistant" else ()
    return [block["input"] for block in content if isinstance(block, dict) and block["type"] == "tool_use"]


def _describes(given: Mapping[str, Any]) -> bool:
    """True for arguments that may carry what others read as the agent's word."""
    texts = (" ".join(map(str, value)) if isinstance(value, list) else value for value in given.values())
    return any(isinstance(text, str) and _DESCRIBES.search(text) is not None for text in texts)
