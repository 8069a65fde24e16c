"""``sentinel run`` and ``sentinel runs``: the detective agent on a release, and what its runs did."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load_run() -> "click.Command":
    from sentinel_command_run.run import command

    return command


def _load_runs() -> "click.Command":
    from sentinel_command_run.runs import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The commands ``run`` and ``runs``."""
    return [
        Command(
            name="run",
            summary="Investigate a release with the detective agent, then judge the agent.",
            load=_load_run,
        ),
        Command(
            name="runs",
            summary="List the detective's runs, and show what happened in one of them.",
            load=_load_runs,
        ),
    ]
