"""``sentinel mutate``: lies made out of honest runs, and how many of them the installed gate catches."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_mutate.command import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The command ``mutate``."""
    return [
        Command(
            name="mutate",
            summary="Turn honest runs into lies, and count how many the installed gate catches.",
            load=_load,
        )
    ]
