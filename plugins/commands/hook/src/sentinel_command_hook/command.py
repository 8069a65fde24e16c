"""The command and its three parts: install, uninstall, run."""

import sys
from pathlib import Path

import click

from sentinel_command_hook.running import SECONDS, answer_event
from sentinel_command_hook.tools import TOOLS
from sentinel_core.cli import help_without_command
from sentinel_core.errors import InputError

__all__ = ["command"]

_AUTO, _PRE_PUSH = "auto", "pre-push"
_TOOL = click.argument("tool", type=click.Choice(list(TOOLS)))
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
@click.argument("tool", type=click.Choice([*TOOLS, _AUTO, _PRE_PUSH]))
@_WHERE
@_DRY_RUN
@click.option("--yes", is_flag=True, hidden=True, expose_value=False, help="Nothing is asked.")
def uninstall(tool: str, *, project: bool, dry_run: bool) -> None:
    """Remove the hook from the settings of TOOL; everything else stays. "auto": of each tool that has it here."""
    from sentinel_command_hook.settings_file import change, is_in

    if tool == _PRE_PUSH:
        _change_git(is_wanted=False, dry_run=dry_run)
        return
    wanted = [TOOLS[tool]] if tool != _AUTO else [one for one in TOOLS.values() if is_in(one, project=project)]
    if not wanted:
        click.echo(f"no tool has the hook in {'this project' if project else 'your own settings'}")
    for one in wanted:
        change(one, project=project, options=None, dry_run=dry_run)


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
    default=SECONDS,
    show_default=True,
    help="Time limit in seconds, after which Sentinel gives up.",
)
def run(tool: str, *, fail_closed: bool, quiet: bool, no_witness: bool, witness: Path | None, timeout: float) -> int:
    """Read an event of TOOL from standard input, judge the session that the event belongs to, and reply to TOOL.

    The hook in the settings of TOOL runs this command.

    The exit code is 0 even if Sentinel cannot judge the session; in that case it informs the user, once per session. With
    --fail-closed, the exit code in that case is 2, which blocks the agent.
    """
    return answer_event(
        TOOLS[tool], fail_closed=fail_closed, quiet=quiet, looks=not no_witness, witness=witness, timeout=timeout
    )
