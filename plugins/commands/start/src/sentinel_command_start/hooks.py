"""Where ``sentinel hook`` is in the settings and plugins of coding agents, and whether they find the command that is named there."""

import json
import os
import shlex
import shutil
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sentinel_command_start.checks import Row

__all__ = ["hooks", "installed"]


class _Tool(NamedTuple):
    """Where a tool keeps its settings, in a project and for the user: below the home, unless ``variable`` names another folder.

    ``event`` calls the hook by the ``key`` of an entry. A plugin or extension of the tool is known by ``enabled``, keys in a file below
    the user's folder, or by a file that is there.
    """

    project: str
    variable: str
    folder: str
    file: str
    event: str
    enabled: tuple[str, ...]
    key: str = "command"

    @property
    def own(self) -> Path:
        """The user's folder."""
        return Path(os.environ.get(self.variable) or Path.home() / self.folder)


_PLUGIN = "sentinel@"  # and the name of a marketplace
_TOOLS = {
    "claude-code": _Tool(
        ".claude/settings.json", "CLAUDE_CONFIG_DIR", ".claude", "settings.json", "Stop", ("settings.json", "enabledPlugins")
    ),
    "codex": _Tool(".codex/hooks.json", "CODEX_HOME", ".codex", "hooks.json", "Stop", ("config.toml", "plugins")),
    "copilot": _Tool(
        ".github/hooks/sentinel.json", "COPILOT_HOME", ".copilot", "hooks/sentinel.json", "Stop",
        ("settings.json", "enabledPlugins"), "bash",
    ),
    "cursor": _Tool(".cursor/hooks.json", "", ".cursor", "hooks.json", "stop", ()),
    "gemini-cli": _Tool(
        ".gemini/settings.json", "", ".gemini", "settings.json", "AfterAgent", ("extensions/sentinel/gemini-extension.json",)
    ),
}  # fmt: skip


def hooks() -> Iterator[Row]:
    """A row for each hook in this folder's project, the user's settings or a plugin; one row if there is none."""
    rows = [row for tool in _TOOLS for row in _of_tool(tool)]
    yield from rows or [Row("hooks", "off", 'none, here or for all projects; "sentinel hook install TOOL" sets one up')]


def _of_tool(tool: str) -> Iterator[Row]:
    """A row for each hook; a session would be judged by each."""
    found = list(_found(tool))
    for path, flag, words in found:
        yield _state(tool, path, flag, words)
    plugins = list(_plugins(tool))
    for path in plugins:
        yield Row(f"hook {tool}", "ok", f"by the plugin or extension in {path}")
    number = len(found) + len(plugins)
    if number > 1:
        told = f"{number} entries call it: each session is judged {number} times"
        fix = f"sentinel hook uninstall {tool} {found[0][1]}" if found else f"remove one of the plugins of {tool}"
        yield Row(f"hook {tool}", "warning", told, fix)


def installed() -> set[str]:
    """The tools with a hook in this folder's project, the user's settings or a plugin."""
    return {tool for tool in _TOOLS if any(True for _ in _found(tool)) or any(True for _ in _plugins(tool))}


def _found(tool: str) -> Iterator[tuple[Path, str, list[str]]]:
    """For each command that calls the hook: the settings, the flag that writes them, and its words."""
    known = _TOOLS[tool]
    for path, flag in ((Path(known.project), "--project"), (known.own / known.file, "--user")):
        for words in _commands(path, tool):
            yield path, flag, words


def _plugins(tool: str) -> Iterator[Path]:
    """The files that say that a plugin or extension of the user's brings the hook."""
    known = _TOOLS[tool]
    if not known.enabled:
        return
    file, *keys = known.enabled
    path = known.own / file
    if not keys:
        if path.is_file():
            yield path.parent
        return
    plugins = _at(_read(path, tomllib.loads if path.suffix == ".toml" else json.loads), keys[0])
    for name, state in plugins.items() if isinstance(plugins, dict) else ():
        if name.startswith(_PLUGIN) and (state is True or _at(state, "enabled") is True):
            yield path


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
    if tool == "codex" and not _is_trusted(path):
        return Row(
            name, "warning", f"in {path}; Codex passes it over until you trust it", "open /hooks in Codex and trust it"
        )
    return Row(name, "ok", f"in {path}; its command is found")


def _is_trusted(path: Path) -> bool:
    """True where Codex has kept that its user trusts a hook of these settings."""
    codex = _TOOLS["codex"]
    kept = _at(_at(_read(codex.own / "config.toml", tomllib.loads), "hooks"), "state")
    hooks = (f"{path.absolute()}:", f"{path.resolve()}:")
    return any(name.startswith(hooks) for name in kept) if isinstance(kept, dict) else False


def _commands(path: Path, tool: str) -> Iterator[list[str]]:
    """The words of each command in the settings that calls the hook. Settings that cannot be read have none."""
    known = _TOOLS[tool]
    for entry in _list_at(_at(_read(path, json.loads), "hooks"), known.event):
        for handler in (entry, *_list_at(entry, "hooks")):
            words = _words(_at(handler, known.key))
            if any(
                Path(word).stem == "sentinel" and words[at + 1 : at + 4] == ["hook", "run", tool]
                for at, word in enumerate(words)
            ):
                yield words


def _read(path: Path, parse: Callable[[str], Any]) -> Any:
    """What a file of settings holds; None where it cannot be read."""
    try:
        return parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None


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
