"""``sentinel receive``: receives OTLP over HTTP on this machine, groups it by trace, and judges a trace once it is quiet."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load() -> "click.Command":
    from sentinel_command_receive.cli.receive import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The command ``receive``."""
    return [
        Command(
            name="receive",
            summary="Receive OpenTelemetry spans over HTTP and judge the agents in them.",
            load=_load,
        )
    ]
