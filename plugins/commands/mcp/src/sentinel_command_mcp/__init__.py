"""``sentinel mcp``: an agent judges its own session, over the Model Context Protocol."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_mcp.command import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The command ``mcp``."""
    return [
        Command(name="mcp", summary="Let agents judge their own sessions, over the Model Context Protocol.", load=_load)
    ]
