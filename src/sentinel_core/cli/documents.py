"""The outputs of ``sentinel evaluate`` if there are several, or a document such as a page or a file for CI."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sentinel_core.cli.options import ending, is_folder
from sentinel_core.errors import ConfigError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.judging.output.documents import Documents
from sentinel_core.judging.output.formats import PLAIN
from sentinel_core.judging.output.registry import document, endings, formats
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.sink import open_output

if TYPE_CHECKING:
    from sentinel_core.judging.output.baseline import Baseline

__all__ = ["Target", "is_for_documents", "opened", "refuse_unknown_ending", "target_of", "targets_of", "told_endings"]

_PREFIX = re.compile(r"([A-Za-z][A-Za-z0-9-]+):(?!//)")  # a single letter is a drive, and "://" begins a URL
_OF_TABLES = "parquet"


class Target(NamedTuple):
    """One output: its format and file; None for standard output."""

    form: str
    path: Path | None


def told_endings() -> str:
    """The endings that choose a format, for help and errors: the first of each format, and that of tables."""
    return ", ".join([*(f".{one.endings[0]}" for one in formats().values() if one.endings), f".{_OF_TABLES}"])


def is_for_documents(outputs: Sequence[str], form: str | None) -> bool:
    """Whether the outputs need ``Documents``: several of them, or a format other than text and JSON."""
    if form is not None or len(outputs) > 1:
        return True
    return any(_PREFIX.match(output) or endings().get(ending(output), "text") not in PLAIN for output in outputs)


def refuse_unknown_ending(output: str) -> None:
    """Raises ``ConfigError`` for a file with an ending that names no format, and no format before it.

    A name without an ending is text, and so are devices and pipes.
    """
    found = ending(output)
    if not found or found in endings() or found == _OF_TABLES or _PREFIX.match(output) or is_folder(output):
        return
    if "://" not in output and Path(output).exists() and not Path(output).is_file():
        return
    near = did_you_mean(found, [*endings(), _OF_TABLES])
    raise ConfigError(
        f'-o "{output}": no format has the extension ".{found}"; use one of {told_endings()}, '
        f'or name the format, as in "text:{output}"{near}'
    )


def targets_of(outputs: Sequence[str], form: str | None) -> list[Target]:
    """Each ``-o``, and standard output if ``--format`` is given. Raises ``ConfigError``."""
    found = [target_of(output) for output in outputs]
    for first, second in ((a, b) for place, a in enumerate(found) for b in found[:place]):
        if first.path == second.path:
            raise ConfigError(f'-o "{first.path}" is given twice: a file can have only one format')
    return found if form is None else [Target(form, None), *found]


def target_of(output: str) -> Target:
    """``html:report`` or ``report.html``: format and file. Raises ``ConfigError``."""
    named = _PREFIX.match(output)
    if named and named[1] in formats():
        if named.end() == len(output):
            raise ConfigError(f'-o "{output}": the file name is missing after the colon')
        return Target(named[1], Path(output[named.end() :]))
    if named:
        known = f"the formats are {', '.join(formats())}{did_you_mean(named[1], formats())}"
        raise ConfigError(
            f'-o "{output}": there is no format "{named[1]}"; {known} (for a file of that name, write "./{output}")'
        )
    if "://" in output or is_folder(output) or ending(output) == _OF_TABLES:
        raise ConfigError(
            f'-o "{output}" cannot be combined with another output: a URL, a folder or a table must be the only output'
        )
    refuse_unknown_ending(output)
    form = endings().get(ending(output))
    if form is None:
        raise ConfigError(f'-o "{output}": name the format ({", ".join(formats())}), as in "html:{output}"')
    return Target(form, Path(output))


@contextmanager
def opened(
    targets: Sequence[Target], settings: OutputSettings, baseline: "Baseline | None" = None
) -> Iterator[Documents]:
    """All outputs, ready to take records; files appear only if everything went well.

    Raises ``InputError`` if one cannot be written.
    """
    from contextlib import ExitStack

    with ExitStack() as stack:
        made = [document(form, stack.enter_context(open_output(path)), settings) for form, path in targets]
        yield Documents(made if baseline is None else [*made, baseline])
