"""The hook's entry in a tool's settings: put in, replaced or taken out, with everything else as it is."""

import copy
import difflib
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sentinel_command_hook.tools import ToolHook
from sentinel_core.cli import warn
from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.state_files import read_bytes, write_whole

__all__ = ["change"]

_TIMEOUT = 15  # seconds after which the tool gives up on the hook; it gives up itself before that
_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")
_BOM = "\ufeff"


def change(tool: ToolHook, *, project: bool, options: Sequence[str] | None, dry_run: bool) -> None:
    """Put the entry in, with these options of ``run``, or take it out where they are None; show what changes.

    Raises ``InputError`` where the file is not what the tool would read, ``OSError`` where it cannot be written.
    """
    path = tool.settings(project=project)
    before = _text_of(path)
    settings = _parsed(before, path)
    changed = copy.deepcopy(settings)
    _take_out(changed, tool, path)
    if options is not None:
        _put_in(changed, tool, _command(tool, options, project=project))
    after = before if changed == settings else _written(changed, before)
    if after == before:
        click.echo(f"{printable(str(path))}: {'the hook is installed' if options is not None else 'there is no hook'}")
        return
    _show(path, before, after)
    if dry_run:
        return
    _write(path, after)
    if options is not None:
        click.echo(tool.advice)


def _text_of(path: Path) -> str:
    try:
        return (read_bytes(path) or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", label=str(path)) from None


def _parsed(text: str, path: Path) -> dict[str, Any]:
    if not text.removeprefix(_BOM).strip():
        return {}
    try:
        settings = json.loads(text.removeprefix(_BOM), object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not plain JSON, so nothing was changed: {error}", label=str(path)) from None
    if not isinstance(settings, dict):
        raise InputError("is not an object, so nothing was changed", label=str(path))
    return settings


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands in one object twice")
    return made


def _command(tool: ToolHook, options: Sequence[str], *, project: bool) -> str:
    """What the tool is to call. Others have the project's settings, too, so there it is found on their path."""
    own = Path(sys.argv[0]).absolute()
    program = str(own) if own.name.startswith("sentinel") and own.is_file() else shutil.which("sentinel") or "sentinel"
    if project:
        if shutil.which("sentinel") is None:
            warn('there is no "sentinel" on the path, where the hook looks for it: activate its environment, or use --user')
        program = "sentinel"
    return shlex.join([program, "hook", "run", tool.name, *options])


def _put_in(settings: dict[str, Any], tool: ToolHook, command: str) -> None:
    entry = {"type": "command", "command": command, "timeout": _TIMEOUT * tool.seconds}
    settings.setdefault("hooks", {}).setdefault(tool.event, []).append({"hooks": [entry]})


def _take_out(settings: dict[str, Any], tool: ToolHook, path: Path) -> None:
    """Without our entries, under every event, and without what they alone filled."""
    events = settings.get("hooks", {})
    if not isinstance(events, dict) or not isinstance(events.get(tool.event, []), list):
        raise InputError(f'"hooks" is not what {tool.name} reads, so nothing was changed', label=str(path))
    for event, groups in list(events.items()):
        if isinstance(groups, list) and any(_own_in(group, tool) for group in groups):
            left = [one for one in (_without_own(group, tool) for group in groups) if one is not None]
            if left:
                events[event] = left
            else:
                del events[event]
    if settings.get("hooks") == {}:
        del settings["hooks"]


def _own_in(group: object, tool: ToolHook) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return [one for one in handlers if _is_own(one, tool)] if isinstance(handlers, list) else []


def _without_own(group: Any, tool: ToolHook) -> Any:
    own = _own_in(group, tool)
    if not own:
        return group
    left = [one for one in group["hooks"] if one not in own]
    return {**group, "hooks": left} if left else None


def _is_own(handler: object, tool: ToolHook) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return len(words) > 3 and Path(words[0]).stem == "sentinel" and words[1:4] == ["hook", "run", tool.name]  # noqa: PLR2004 - these four


def _written(settings: dict[str, Any], before: str) -> str:
    found = _INDENT.search(before)
    indent = "  " if found is None else found[1]
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


def _show(path: Path, before: str, after: str) -> None:
    name = str(path)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
    click.echo("\n".join(printable(line) for line in lines))


def _write(path: Path, text: str) -> None:
    """Whole or not at all; a link stays a link, and who may read it stays so."""
    real = path.resolve()
    umask = os.umask(0)
    os.umask(umask)
    mode = real.stat().st_mode & 0o777 if real.exists() else 0o666 & ~umask
    real.parent.mkdir(parents=True, exist_ok=True)
    write_whole(real, text.encode("utf-8"))
    real.chmod(mode)
