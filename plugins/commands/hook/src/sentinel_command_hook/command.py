"""The command and its three parts: install, uninstall, run."""

import contextlib
import gc
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from sentinel_command_hook.tools import TOOLS, ToolHook
from sentinel_core.cli import complain, help_without_command, say
from sentinel_core.errors import InputError

if TYPE_CHECKING:
    from sentinel_command_hook.event import Answer

__all__ = ["command"]

_BLOCK, _AUTO, _PRE_PUSH = 2, "auto", "pre-push"
_MOST_EVENT = 64 << 20
_UNCHECKED = "Sentinel could not check what you said. Say what you did not verify."
_TOOL = click.argument("tool", type=click.Choice(list(TOOLS)))
_HOOKED = click.argument("tool", type=click.Choice([*TOOLS, _PRE_PUSH]))
_WHERE = click.option(
    "--project/--user",
    default=True,
    help="Change the settings of the project in this folder (the default) or your own settings for all projects.",
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.group("hook", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    r"""Keep a coding agent from finishing while its claims contradict the record of its session.

    \b
    sentinel hook install auto
    sentinel hook install codex --user
    sentinel hook uninstall claude-code
    """
    help_without_command(context)


@command.command("install")
@click.argument("tool", type=click.Choice([*TOOLS, _AUTO, _PRE_PUSH]))
@_WHERE
@_DRY_RUN
@click.option("--yes", is_flag=True, help="With auto: do not ask.")
@click.option("--fail-closed", is_flag=True, help="If Sentinel cannot judge the session, block the agent once.")
@click.option("--quiet", is_flag=True, help="Show the user no notes or warnings.")
@click.option("--no-witness", is_flag=True, help="Do not look at the working tree.")
def install(tool: str, *, project: bool, dry_run: bool, yes: bool, **options: bool) -> None:
    """Add the hook to the settings of TOOL; existing settings stay.

    For "auto", of each tool that is found here: its change is shown, and made if you agree. "pre-push" is a hook of this git
    repository, which checks the receipt of the newest session.
    """
    from sentinel_command_hook.settings_file import change

    if tool == _PRE_PUSH:
        _change_git(is_wanted=True, dry_run=dry_run)
        return

    asks = tool == _AUTO and not (yes or dry_run)
    wanted = [one for one in TOOLS.values() if one.is_there()] if tool == _AUTO else [TOOLS[tool]]
    if not wanted:
        raise InputError(f"none of {', '.join(TOOLS)} was found here: name the one to install the hook for")
    if asks and not sys.stdin.isatty():
        raise InputError('standard input is no terminal, so nobody can be asked: name a tool, or add "--yes"')
    chosen = tuple(f"--{name.replace('_', '-')}" for name, is_set in sorted(options.items()) if is_set)
    for one in wanted:
        if tool == _AUTO:
            click.echo(f"{one.name}:")
        change(one, project=project, options=chosen, dry_run=dry_run, asks=asks)


@command.command("uninstall")
@_HOOKED
@_WHERE
@_DRY_RUN
def uninstall(tool: str, *, project: bool, dry_run: bool) -> None:
    """Remove the hook from the settings of TOOL; everything else stays."""
    from sentinel_command_hook.settings_file import change

    if tool == _PRE_PUSH:
        _change_git(is_wanted=False, dry_run=dry_run)
        return
    change(TOOLS[tool], project=project, options=None, dry_run=dry_run)


def _change_git(*, is_wanted: bool, dry_run: bool) -> None:
    from sentinel_command_hook import git_hook

    git_hook.change(is_wanted=is_wanted, dry_run=dry_run)


@command.command("run")
@_TOOL
@click.option("--fail-closed", is_flag=True, help="If Sentinel cannot judge the session, block the agent once.")
@click.option("--quiet", is_flag=True, help="Show the user no notes or warnings.")
@click.option("--no-witness", is_flag=True, help="Do not look at the working tree.")
@click.option(
    "--witness",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use this witness file instead of looking at the working tree.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 600),
    default=8.0,
    show_default=True,
    help="Time limit in seconds, after which Sentinel gives up.",
)
def run(tool: str, *, fail_closed: bool, quiet: bool, no_witness: bool, witness: Path | None, timeout: float) -> int:
    """Read an event of TOOL from standard input, judge the session that the event belongs to, and reply to TOOL.

    The hook in the settings of TOOL runs this command.

    The exit code is 0 even if Sentinel cannot judge the session; in that case it informs the user, once per session. With
    --fail-closed, the exit code in that case is 2, which blocks the agent.
    """
    gc.disable()  # a short process: to look for cycles would take a tenth of it
    from sentinel_core.runtime.watch import time_limit

    asked = TOOLS[tool]
    data = b""
    try:
        with time_limit(timeout), contextlib.redirect_stdout(sys.stderr):
            data = _event(sys.stdin.buffer)
            answer = _answer(data, asked, quiet=quiet, looks=not no_witness, witness=witness)
            for note in () if asked.note else answer.notes:
                say(note)
    except Exception as error:  # noqa: BLE001 - whatever fails, the agent must not be held up by it
        return _failed(error, data, asked, fail_closed=fail_closed)
    sys.stdout.buffer.write(answer.encoded(asked))
    return 0


def _event(stream: IO[bytes]) -> bytes:
    if stream.isatty():
        raise InputError(
            'standard input is a terminal, but this command reads a coding agent\'s event from it: see "sentinel hook install"'
        )
    data = stream.read(_MOST_EVENT + 1)
    if len(data) > _MOST_EVENT:
        raise InputError(f"the event on standard input is larger than {_MOST_EVENT >> 20} MB")
    return data


def _answer(data: bytes, tool: ToolHook, *, quiet: bool, looks: bool, witness: Path | None) -> "Answer":
    from sentinel_command_hook.event import Answer, kept, told_by

    if kept(told_by(data, tool), tool):
        return Answer()
    from sentinel_command_hook.run import answer_to  # most events of a tool that records are no stop

    return answer_to(data, tool, quiet=quiet, looks=looks, witness=witness)


def _failed(error: Exception, data: bytes, tool: ToolHook, *, fail_closed: bool) -> int:
    """One line and a note for the user, or a word for the agent; and the exit code: nothing was judged."""
    from sentinel_command_hook.event import Answer, is_second_try
    from sentinel_command_hook.unjudged import answer_unjudged, reason_for_log

    complain(f"hook: the session was not judged: {reason_for_log(error)}")
    if not fail_closed or is_second_try(data):
        sys.stdout.buffer.write(answer_unjudged(error, data, tool))
        return 0
    if not tool.refuses_by_code:
        sys.stdout.buffer.write(Answer(reason=_UNCHECKED).encoded(tool))
        return 0
    say(_UNCHECKED)
    return _BLOCK
