"""The options on output and baseline; what they say of formats comes from the registry, which knows those of plugins."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

__all__ = ["output_options"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

if TYPE_CHECKING:
    _Names = click.Choice[str]
else:  # not generic at run time in click 8.1
    _Names = click.Choice


class _FormatName(_Names):
    """The name of a format; the plugins are asked only when it is used or shown."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """All names."""
        from sentinel_core.judging.output.registry import formats

        return tuple(formats())

    @choices.setter
    def choices(self, _: object) -> None:
        """Click's own are not needed."""


class _OutputOption(click.Option):
    """Its help names the endings of all formats."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Filled in when it is shown."""
        from sentinel_core.cli.documents import told_endings

        self.help = (self.help or "").replace("{endings}", told_endings())
        return super().get_help_record(ctx)


def output_options(function: _Function) -> _Function:
    """Options on output and baseline."""
    for option in (
        click.option(
            "--update-baseline",
            is_flag=True,
            help="Write the current findings to the --baseline file, and exit with code 0.",
        ),
        click.option(
            "--baseline",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="File of known findings, which are marked as known; only new findings affect the exit code.",
        ),
        click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            metavar="[FORMAT:]FILE|FOLDER/",
            cls=_OutputOption,
            help="Write to a file, in FORMAT or in the format that the file's extension indicates ({endings}), or to a folder of "
            "part files. Repeatable.",
        ),
        click.option(
            "--format",
            "form",
            type=_FormatName(),
            help="Format of standard output; github and gitlab are for jobs in GitHub Actions and GitLab CI.",
        ),
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Show each trace in full: every finding, what was checked, and the settings.",
        ),
        click.option(
            "--compare",
            is_flag=True,
            help="Show two traces beside each other, step by step, on the page that -o writes.",
        ),
        click.option("--pretty", is_flag=True, help="Print indented JSON (implies --json)."),
        click.option("--jsonl", is_flag=True, help="Print one line of JSON per trace."),
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help="Print one JSON document: an object for one trace, a list for several.",
        ),
    ):
        function = option(function)
    return function
