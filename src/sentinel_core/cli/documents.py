"""Where the results of ``sentinel evaluate`` go where that is more than one place, or a document: a page, a file for CI."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sentinel_core.cli.options import ending, is_folder
from sentinel_core.errors import ConfigError
from sentinel_core.host.selection import did_you_mean
from sentinel_core.judging.output.documents import Documents, document
from sentinel_core.judging.output.formats import ENDINGS, FORMATS, Format
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.sink import open_output

if TYPE_CHECKING:
    from sentinel_core.judging.output.baseline import Baseline

__all__ = ["Target", "is_for_documents", "opened", "target_of", "targets_of"]

_PREFIX = re.compile(r"([A-Za-z]{2,}):(?!//)")  # a single letter is a drive, and "://" begins a URL
_PLAIN = ("text", "json", "jsonl")


class Target(NamedTuple):
    """One output: its format, and the file; None for standard output."""

    form: Format
    path: Path | None


def is_for_documents(outputs: Sequence[str], form: str | None) -> bool:
    """Whether so many outputs, or one of such a kind, are wanted that ``Documents`` must take the results."""
    if form is not None or len(outputs) > 1:
        return True
    return any(_PREFIX.match(one) or ENDINGS.get(ending(one), "text") not in _PLAIN for one in outputs)


def targets_of(outputs: Sequence[str], form: Format | None) -> list[Target]:
    """Each ``-o``, and what ``--format`` asks for on standard output. Raises ``ConfigError``."""
    found = [target_of(one) for one in outputs]
    for first, second in ((a, b) for place, a in enumerate(found) for b in found[:place]):
        if first.path == second.path:
            raise ConfigError(f'-o "{first.path}" is given twice: one file holds one format')
    return found if form is None else [Target(form, None), *found]


def target_of(output: str) -> Target:
    """``html:report`` or ``report.html``: format and file. Raises ``ConfigError``."""
    named = _PREFIX.match(output)
    if named and named[1] in FORMATS:
        return Target(next(form for form in FORMATS if form == named[1]), Path(output[named.end() :]))
    if named:
        known = f"the formats are {', '.join(FORMATS)}{did_you_mean(named[1], FORMATS)}"
        raise ConfigError(
            f'-o "{output}": there is no format "{named[1]}"; {known} (a file of that name is "./{output}")'
        )
    if "://" in output or is_folder(output) or ending(output) == "parquet":
        raise ConfigError(
            f'-o "{output}" cannot stand beside another output: URLs, folders and tables are written alone'
        )
    form = ENDINGS.get(ending(output))
    if form is None:
        raise ConfigError(f'-o "{output}": name the format ({", ".join(FORMATS)}), as in "html:{output}"')
    return Target(form, Path(output))


@contextmanager
def opened(
    targets: Sequence[Target], settings: OutputSettings, baseline: "Baseline | None" = None
) -> Iterator[Documents]:
    """All outputs, ready to take records; files appear where everything went well.

    Raises ``InputError`` where one cannot be written.
    """
    from contextlib import ExitStack

    with ExitStack() as stack:
        made = [document(form, stack.enter_context(open_output(path)), settings) for form, path in targets]
        yield Documents(made if baseline is None else [*made, baseline])
