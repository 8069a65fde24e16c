"""``sentinel serve``, ``loops`` and ``audit``: the guardrails over HTTP, and the stored loops."""

from typing import TYPE_CHECKING

from sentinel_core import Command, hookimpl

if TYPE_CHECKING:
    import click

__all__ = ["sentinel_commands"]


def _load_audit() -> "click.Command":
    from sentinel_command_serve.cli.audit import command

    return command


def _load_loops() -> "click.Command":
    from sentinel_command_serve.cli.loops import command

    return command


def _load_serve() -> "click.Command":
    from sentinel_command_serve.cli.serve import command

    return command


@hookimpl
def sentinel_commands() -> list[Command]:
    """The commands ``audit``, ``loops`` and ``serve``."""
    return [
        Command(name="audit", summary="Check that the record of loops has not been changed.", load=_load_audit),
        Command(name="loops", summary="List and draw the stored families of attempts.", load=_load_loops),
        Command(name="serve", summary="Decide over HTTP whether a loop may be retried.", load=_load_serve),
    ]
