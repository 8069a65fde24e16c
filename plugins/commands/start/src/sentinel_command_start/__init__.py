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
    """Four commands; the last stands below ``sentinel plugins``."""
    return [
        Command(name="demo", summary="Judge a lie, a loop and a good run, and show the page.", load=_demo),
        Command(
            name="doctor", summary="Say what works here, what does not, and the command that mends it.", load=_doctor
        ),
        Command(name="init", summary="Write sentinel.toml and what CI needs; nothing is overwritten.", load=_init),
        Command(name="plugins.new", summary="Begin a plugin: a project whose tests pass.", load=_new),
    ]
