"""The output of ``sentinel suite``: formats, files, the exit code."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, get_args

import attrs
import click

from sentinel_core.cli import ERROR, complain, terminal_width, use_color
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.judging.output.sink import open_output
from sentinel_core.runtime.printable import folded, printable_json

if TYPE_CHECKING:
    from sentinel_command_suite.document import Labels
    from sentinel_command_suite.evaluation import Comparison, EvaluationResults

__all__ = ["ResultOutput", "checked", "in_json", "output_options"]

Format = Literal["text", "json", "junit", "markdown"]

_FORMATS: tuple[Format, ...] = get_args(Format)
_ENDINGS: Mapping[str, Format] = {".json": "json", ".xml": "junit", ".md": "markdown"}
_PREFIX = re.compile(r"([A-Za-z]{2,}):")  # a single letter is a drive
_Function = TypeVar("_Function", bound=Callable[..., Any])


def output_options(function: _Function) -> _Function:
    """Add the options of the output and of the exit code."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
        click.option("--format", "form", type=click.Choice(_FORMATS), help="Format of standard output."),
        click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            metavar="[FORMAT:]FILE",
            help="Also write to FILE, in FORMAT or in the format that the file's extension indicates (.json, .xml, .md).",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(["failure", "regression", "never"]),
            help="Exit with code 2 for failed scenarios and regressions (failure; the default of run), or only for regressions "
            "beyond noise (regression; the default of compare).",
        ),
        click.option(
            "--alpha",
            type=click.FloatRange(1e-6, 0.5),
            default=0.01,
            metavar="P",
            help="Significance level (default 0.01).",
        ),
        click.option(
            "--labels",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="File of human labels to compare with the judge.",
        ),
        click.option("-v", "--verbose", is_flag=True, help="Show every scenario."),
    ):
        function = option(function)
    return function


@attrs.frozen(kw_only=True)
class ResultOutput:
    """Where results go: in which format, to which files, and what decides the exit code.

    Created before anything runs, so that an unusable option is refused then.
    """

    form: Format
    targets: tuple[tuple[Format, Path], ...]
    fail_on: Literal["failure", "regression", "never"]
    labels: "Labels | None"
    verbose: bool

    @classmethod
    def of(cls, options: Mapping[str, Any], *, fail_on: Literal["failure", "regression"] = "failure") -> Self:
        """From ``output_options``. Raises ``ConfigError`` and ``InputError``."""
        return cls(
            form="json" if options["as_json"] else options["form"] or "text",
            targets=tuple(_target(text) for text in options["outputs"]),
            fail_on=options["fail_on"] or fail_on,
            labels=_labels(options["labels"]),
            verbose=options["verbose"],
        )

    def write(self, results: "EvaluationResults", comparison: "Comparison | None") -> int:
        """Print and write; the exit code. Raises ``InputError`` for a file that cannot be written."""
        from sentinel_command_suite.document import exit_code

        is_text = self.form == "text"
        try:
            text = self._rendered(self.form, results, comparison, color=is_text and use_color())
            click.echo(folded(text, terminal_width() if is_text else 0), nl=False)
        finally:  # the files are written even if standard output was closed
            self._write_files(results, comparison)
        code = exit_code(results, comparison, self.fail_on)
        if code == ERROR:
            complain(results.incomplete or "some scenarios could not be evaluated; each shows its reason")
        return code

    def _write_files(self, results: "EvaluationResults", comparison: "Comparison | None") -> None:
        for form, path in self.targets:
            text = self._rendered(form, results, comparison, color=False)
            with open_output(path) as stream:
                stream.write(text.encode())

    def _rendered(
        self, form: Format, results: "EvaluationResults", comparison: "Comparison | None", *, color: bool
    ) -> str:
        from sentinel_command_suite.evaluation import document_of
        from sentinel_command_suite.render_ci import render_junit, render_markdown
        from sentinel_command_suite.render_text import render_text

        if form == "json":
            return in_json(document_of(results, comparison, self.labels)) + "\n"
        if form == "junit":
            return render_junit(results, comparison)
        if form == "markdown":
            return render_markdown(results, comparison, labels=self.labels)
        return render_text(results, comparison, labels=self.labels, verbose=self.verbose, color=color)


def in_json(value: object) -> str:
    """Indented, and safe to print."""
    return printable_json(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")).decode()


def _labels(path: Path | None) -> "Labels | None":
    if path is None:
        return None
    from sentinel_command_suite.judge import labels_in

    try:
        return labels_in(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f'the labels file "{path}" cannot be read: {error.strerror}') from None


def checked(path: Path) -> Path:
    """The path of ``-o``, checked before there is anything to write. Raises ``InputError`` if no file can be there."""
    if path.is_dir():
        raise InputError(f'-o "{path}" cannot be written: it is a folder')
    if not path.parent.is_dir():
        raise InputError(f'-o "{path}" cannot be written: there is no folder "{path.parent}"')
    return path


def _target(text: str) -> tuple[Format, Path]:
    """``junit:out.xml`` or ``out.xml``: format and file."""
    for form in _FORMATS:
        if text.startswith(f"{form}:"):
            return form, checked(Path(text.removeprefix(f"{form}:")))
    if unknown := _PREFIX.match(text):
        known = f"the formats are {', '.join(_FORMATS)}{did_you_mean(unknown[1], _FORMATS)}"
        raise ConfigError(
            f'-o "{text}": there is no format "{unknown[1]}"; {known} (for a file of that name, write "./{text}")'
        )
    found = _ENDINGS.get(Path(text).suffix)
    if found is None:
        raise ConfigError(f'-o "{text}": add the format ({", ".join(_FORMATS)}), as in "junit:{text}"')
    return found, checked(Path(text))
