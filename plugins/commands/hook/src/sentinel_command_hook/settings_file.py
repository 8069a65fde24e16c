"""The settings of coding tools: which file has the hook's entry, and what is told of a change."""

import difflib
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from sentinel_command_hook.settings_text import FormError, holds_own, put_in, take_out
from sentinel_command_hook.tools import ToolHook
from sentinel_core.cli import warn
from sentinel_core.errors import InputError
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.state_files import read_bytes, write_whole

__all__ = ["change", "is_in", "own_program", "show"]


def change(tool: ToolHook, *, project: bool, options: Sequence[str] | None, dry_run: bool, asks: bool = False) -> None:
    """Put the entry in, with these options of ``run``, or take it out where they are None; show what changes.

    Nothing is written for a ``dry_run``, and where the user, whom it ``asks``, does not agree.

    Raises ``InputError`` where the file is not what the tool would read, ``OSError`` where it cannot be written.
    """
    path = tool.settings(project=project)
    before = _text_of(path)
    after = _changed(before, path, tool, None if options is None else _command(tool, options, project=project))
    if after == before:
        _say_unchanged(tool, path, project=project, is_wanted=options is not None)
        return
    if after is None and path.is_symlink():
        after = "{}\n"
    show(path, before or "", after or "")
    if dry_run or (asks and not click.confirm(f"Change {printable(str(path))}?", default=True)):
        return
    if after is None:
        path.unlink()
    else:
        _write(path, after)
    where = printable(str(path))
    gone = (
        f"{where} contained nothing else and was removed"
        if after is None
        else f"Everything else in {where} is unchanged"
    )
    click.echo(tool.advice if options is not None else f"The hook is uninstalled. {gone}.")
    if (
        options is not None
        and _holds_own(other := tool.settings(project=not project), tool)
        and not _is_same(other, path)
    ):
        way = "--user" if project else "--project"
        warn(
            f'{printable(str(other))} has the hook, too, so it runs twice here: "sentinel hook uninstall {tool.name} {way}"'
        )


def _changed(text: str | None, path: Path, tool: ToolHook, command: str | None) -> str | None:
    """The text with an entry that calls the command, or without one; None for no file."""
    is_own = partial(_is_own, tool=tool)
    try:
        if command is not None:
            for form in tool.forms():
                text = put_in(text, form, tool.entry(command), is_own)
        else:
            for form in reversed(tool.forms()):  # the first may have made the file
                text = None if text is None else take_out(text, form, is_own)
    except FormError as error:
        raise InputError(f"{error}, so nothing was changed", label=str(path)) from None
    except ValueError as error:
        raise InputError(f"is not JSON, so nothing was changed: {error}", label=str(path)) from None
    return text


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


def is_in(tool: ToolHook, *, project: bool) -> bool:
    """Whether the settings of the tool have the hook."""
    return _holds_own(tool.settings(project=project), tool)


def _holds_own(path: Path, tool: ToolHook) -> bool:
    """Whether another file of settings has the hook; what cannot be read has none."""
    try:
        text = _text_of(path) or ""
        return any(holds_own(text, form, partial(_is_own, tool=tool)) for form in tool.forms())
    except (InputError, OSError, ValueError):
        return False


def _is_same(first: Path, second: Path) -> bool:
    return first.resolve() == second.resolve()


def _text_of(path: Path) -> str | None:
    """The text to the letter; None if there is no file."""
    data = read_bytes(path)
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8, so nothing was changed", label=str(path)) from None


def _command(tool: ToolHook, options: Sequence[str], *, project: bool) -> str:
    """What the tool is to call. Others have the project's settings, too, so there it is found on their path."""
    program = _program_for_all() if project else own_program()
    return shlex.join([program, "hook", "run", tool.name, *options])


def own_program() -> str:
    """The path of the command that runs."""
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


def _is_own(command: str, tool: ToolHook) -> bool:
    """Whether a command calls the hook, also by way of another program, such as ``uv run``."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return any(
        Path(word).stem == "sentinel" and words[at + 1 : at + 4] == ["hook", "run", tool.name]
        for at, word in enumerate(words)
    )


def show(path: Path, before: str, after: str) -> None:
    """Print what changes in a file."""
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
