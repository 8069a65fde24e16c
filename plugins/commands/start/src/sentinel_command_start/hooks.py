"""Where ``sentinel hook`` is in the settings of coding agents, and whether they find the command that is named there."""

import json
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sentinel_command_start.checks import Row

__all__ = ["hooks", "installed"]

_SETTINGS = {  # the folder of the settings, the variable that names another one for the user, the file, the event
    "claude-code": (".claude", "CLAUDE_CONFIG_DIR", "settings.json", "Stop"),
    "codex": (".codex", "CODEX_HOME", "hooks.json", "Stop"),
    "gemini-cli": (".gemini", "", "settings.json", "AfterAgent"),
}


def hooks() -> Iterator[Row]:
    """A row for each hook in this folder's project or the user's settings; one row if there is none."""
    rows = [row for tool in _SETTINGS for row in _of_tool(tool)]
    yield from rows or [Row("hooks", "off", 'none, here or for all projects; "sentinel hook install TOOL" sets one up')]


def _of_tool(tool: str) -> Iterator[Row]:
    """A row for each hook; a session would be judged by each."""
    found = list(_found(tool))
    for path, flag, words in found:
        yield _state(tool, path, flag, words)
    if len(found) > 1:
        told = f"{len(found)} entries call it: each session is judged {len(found)} times"
        yield Row(f"hook {tool}", "warning", told, f"sentinel hook uninstall {tool} {found[0][1]}")


def installed() -> set[str]:
    """The tools with a hook in this folder's project or the user's settings."""
    return {tool for tool in _SETTINGS if any(True for _ in _found(tool))}


def _found(tool: str) -> Iterator[tuple[Path, str, list[str]]]:
    """For each command that calls the hook: the settings, the flag that writes them, and its words."""
    folder, variable, file, event = _SETTINGS[tool]
    user = Path(os.environ.get(variable) or Path.home() / folder)
    for path, flag in ((Path(folder) / file, "--project"), (user / file, "--user")):
        for words in _commands(path, tool, event):
            yield path, flag, words


def _state(tool: str, path: Path, flag: str, words: list[str]) -> Row:
    name = f"hook {tool}"
    again = f"sentinel hook install {tool} {flag}"
    found = shutil.which(words[0])
    if found is None:
        return Row(name, "warning", f'{path} calls "{words[0]}", which is not found', again)
    is_bare = words[0] == "sentinel" and sys.prefix != sys.base_prefix
    if is_bare and Path(found).absolute().parent == Path(sysconfig.get_path("scripts")):
        told = f'{path} calls "sentinel", which is found only while this virtual environment is active'
        return Row(name, "warning", told, again)
    return Row(name, "ok", f"in {path}; its command is found")


def _commands(path: Path, tool: str, event: str) -> Iterator[list[str]]:
    """The words of each command in the settings that calls the hook. Settings that cannot be read have none."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return
    for group in _list_at(_at(settings, "hooks"), event):
        for handler in _list_at(group, "hooks"):
            words = _words(_at(handler, "command"))
            if any(
                Path(word).stem == "sentinel" and words[at + 1 : at + 4] == ["hook", "run", tool]
                for at, word in enumerate(words)
            ):
                yield words


def _at(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _list_at(value: object, key: str) -> list[Any]:
    found = _at(value, key)
    return found if isinstance(found, list) else []


def _words(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []
