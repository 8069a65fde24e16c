"""``sentinel suite``: runs the detective agent in scenarios, scores it, and compares it with earlier runs.

The Python API is ``sentinel_command_suite.evaluation``.
"""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_suite.cli.suite import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The command ``suite``."""
    return [
        Command(name="suite", summary="Evaluate the detective agent: scenarios, baselines, regressions.", load=_load)
    ]
