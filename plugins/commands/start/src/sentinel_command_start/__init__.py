"""The commands of the first minutes: ``sentinel demo``, ``doctor``, ``init`` and ``plugins new``."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _demo() -> "click.Command":
    from sentinel_command_start.demo import command

    return command


def _doctor() -> "click.Command":
    from sentinel_command_start.doctor import command

    return command


def _init() -> "click.Command":
    from sentinel_command_start.init import command

    return command


def _new() -> "click.Command":
    from sentinel_command_start.new import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """Four commands; the last is a subcommand of ``sentinel plugins``."""
    return [
        Command(name="demo", summary="Judge a lie, a loop and a good run, and show the page.", load=_demo),
        Command(name="doctor", summary="Check this machine, and say how to fix what is wrong.", load=_doctor),
        Command(name="init", summary="Write sentinel.toml and a CI workflow; overwrites nothing.", load=_init),
        Command(name="plugins.new", summary="Create a plugin project with tests that pass.", load=_new),
    ]
