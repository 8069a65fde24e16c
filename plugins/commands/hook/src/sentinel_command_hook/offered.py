"""What the distribution offers: the commands ``hook`` and ``receipt``."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_hook.command import command

    return command


def _load_receipt() -> "click.Command":
    from sentinel_command_hook.receipt import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The commands ``hook`` and ``receipt``."""
    return [
        Command(
            name="hook",
            summary="Keep a coding agent from finishing while its claims contradict its session's record.",
            load=_load,
        ),
        Command(
            name="receipt",
            summary="Show what a coding session claims beside its record and the working tree, in ten lines.",
            load=_load_receipt,
        ),
    ]
