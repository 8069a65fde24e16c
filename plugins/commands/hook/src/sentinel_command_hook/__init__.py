"""``sentinel hook``: judges a coding agent's last words before it stops, and sends it back where the record says otherwise."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_hook.command import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The command ``hook``."""
    return [
        Command(
            name="hook",
            summary="Keep a coding agent from finishing while its claims contradict its session's record.",
            load=_load,
        )
    ]
