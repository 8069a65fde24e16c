"""The hook's entry in a tool's settings: put in, replaced or taken out, with everything else as it is."""

import copy
import difflib
import json
import os
import re
import shlex
import shutil
import sys
import sysconfig
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
    groups = _groups(changed, tool, path)
    if options is None:
        _take_out(changed, groups, tool)
    else:
        _put_in(changed, groups, tool, _command(tool, options, project=project))
    after = before if changed == settings else _written(changed, before)
    if after == before:
        _say_unchanged(tool, path, project=project, is_wanted=options is not None)
        return
    is_empty = (
        options is None and changed == {} and _is_made_by_install(settings, before, tool) and not path.is_symlink()
    )
    _show(path, before, "" if is_empty else after)
    if dry_run:
        return
    if is_empty:
        path.unlink()
    else:
        _write(path, after)
    where = printable(str(path))
    gone = f"{where} contained nothing else and was removed" if is_empty else f"Everything else in {where} is unchanged"
    click.echo(tool.advice if options is not None else f"The hook is uninstalled. {gone}.")


def _say_unchanged(tool: ToolHook, path: Path, *, project: bool, is_wanted: bool) -> None:
    if is_wanted:
        click.echo(f"{printable(str(path))}: the hook is installed")
        return
    click.echo(f"{printable(str(path.absolute()))}: there is no hook")
    if not project and _holds_own(tool.settings(project=True), tool):
        click.echo("this folder's project has one: leave out --user")
    if project and _holds_own(tool.settings(project=False), tool):
        click.echo("your own settings have one: add --user")
    for folder in Path.cwd().parents if project else ():
        if _holds_own(other := folder / path, tool) and not _is_same(other, tool.settings(project=False)):
            click.echo(f"{printable(str(other))} has one: run this in {printable(str(folder))}")


def _holds_own(path: Path, tool: ToolHook) -> bool:
    """Whether another file of settings has the hook; what cannot be read has none."""
    try:
        groups = _groups(_parsed(_text_of(path), path), tool, path)
    except (InputError, OSError):
        return False
    return any(_is_own(one, tool) for group in groups for one in _handlers(group))


def _is_same(first: Path, second: Path) -> bool:
    return first.resolve() == second.resolve()


def _is_made_by_install(settings: dict[str, Any], text: str, tool: ToolHook) -> bool:
    """Whether the file is to the byte what ``install`` writes where there is none."""
    own = [one for group in _groups(settings, tool, Path()) for one in _handlers(group) if _is_own(one, tool)]
    made: dict[str, Any] = {}
    _put_in(made, [], tool, own[0]["command"])
    return text == _written(made, "")


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
        raise InputError("is not a JSON object, so nothing was changed", label=str(path))
    return settings


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return made


def _command(tool: ToolHook, options: Sequence[str], *, project: bool) -> str:
    """What the tool is to call. Others have the project's settings, too, so there it is found on their path."""
    program = _program_for_all() if project else _own_program()
    return shlex.join([program, "hook", "run", tool.name, *options])


def _own_program() -> str:
    own = Path(sys.argv[0]).absolute()
    return str(own) if own.name.startswith("sentinel") and own.is_file() else shutil.which("sentinel") or "sentinel"


def _program_for_all() -> str:
    """``sentinel``; but the whole path where it is found only while a virtual environment is active."""
    found = shutil.which("sentinel")
    if found is None:
        warn(
            'there is no "sentinel" on the PATH, where the hook looks for it: activate Sentinel\'s environment, or use --user'
        )
        return "sentinel"
    path = Path(found).absolute()
    if sys.prefix == sys.base_prefix or path.parent != Path(sysconfig.get_path("scripts")):
        return "sentinel"
    warn(f'"{path}" exists only on this machine; to share the settings, install Sentinel with pipx or "uv tool"')
    return str(path)


def _groups(settings: dict[str, Any], tool: ToolHook, path: Path) -> list[Any]:
    """What the tool calls at the event. Raises ``InputError`` where that is not what it reads."""
    events = settings.get("hooks", {})
    groups = events.get(tool.event, []) if isinstance(events, dict) else None
    if not isinstance(groups, list):
        raise InputError(
            f'"hooks" does not have the form that {tool.name} expects, so nothing was changed', label=str(path)
        )
    return groups


def _put_in(settings: dict[str, Any], groups: list[Any], tool: ToolHook, command: str) -> None:
    """In the place of the first of ours, and otherwise behind all others."""
    entry = {"type": "command", "command": command, "timeout": _TIMEOUT * tool.seconds}
    own = [one for group in groups for one in _handlers(group) if _is_own(one, tool)]
    if own:
        own[0].update(entry)
    else:
        settings.setdefault("hooks", {}).setdefault(tool.event, []).append({"hooks": [entry]})


def _take_out(settings: dict[str, Any], groups: list[Any], tool: ToolHook) -> None:
    """Without all of ours, and without what they alone filled."""
    if not any(_is_own(one, tool) for group in groups for one in _handlers(group)):
        return
    for group in groups:
        handlers = _handlers(group)
        handlers[:] = [one for one in handlers if not _is_own(one, tool)]
    groups[:] = [group for group in groups if not isinstance(group, dict) or group.get("hooks") != []]
    if not groups:
        del settings["hooks"][tool.event]
    if not settings["hooks"]:
        del settings["hooks"]


def _handlers(group: object) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def _is_own(handler: object, tool: ToolHook) -> bool:
    """Whether it calls the hook, also by way of another program, such as ``uv run``."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any(
        Path(word).stem == "sentinel" and words[at + 1 : at + 4] == ["hook", "run", tool.name]
        for at, word in enumerate(words)
    )


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
