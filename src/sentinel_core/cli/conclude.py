"""How ``sentinel evaluate`` ends: the counts, what was written, and what is left alone because nothing could be opened."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sentinel_core.cli import complain, say, warn
from sentinel_core.errors import InputError
from sentinel_core.judging.output.text import render_summary
from sentinel_core.runtime.printable import counted, printable
from sentinel_core.runtime.redact import redact
from sentinel_core.traces.sources.latest import works_in

if TYPE_CHECKING:
    from sentinel_core.cli.documents import Target
    from sentinel_core.host.expectations import Expected
    from sentinel_core.judging.job import Plan
    from sentinel_core.judging.output.baseline import Baseline
    from sentinel_core.judging.tally import Tally

__all__ = [
    "NothingOpenedError",
    "files_of",
    "refuse_nothing_opened",
    "refuse_unopened",
    "say_session",
    "summarize",
    "update",
    "warn_unmet",
]


class NothingOpenedError(Exception):
    """No input could be opened: files of output stay as they are. The reasons are on standard error already."""


def files_of(output: str | None, targets: "Sequence[Target]") -> tuple[str, ...]:
    """The files that are to be written, as the user named them."""
    return (*(() if output is None else (output,)), *(str(target.path) for target in targets if target.path))


def refuse_unopened(plan: "Plan", files: Sequence[str]) -> None:
    """Before the run: raises ``NothingOpenedError`` where there are files to write and no argument names a file to read."""
    if files and plan.latest is None and _has_no_file(plan):
        for source in plan.sources:
            complain(str(source))
        raise NothingOpenedError


def refuse_nothing_opened(plan: "Plan", tally: "Tally", files: Sequence[str]) -> None:
    """After the run: the same where ``--latest`` has found no session either, or where no record was reached."""
    is_unopened = _has_no_file(plan) and not tally.latest and tally.total == tally.counts["unreadable"]
    if files and (is_unopened or not tally.total):
        raise NothingOpenedError


def _has_no_file(plan: "Plan") -> bool:
    return all(isinstance(source, InputError) for source in plan.sources)


def summarize(tally: "Tally", *, files: Sequence[str], form: str) -> None:
    """Print the session that ``--latest`` found, and the counts of verdicts.

    Counts go below the text of several reports, or to standard error with the files that were written.
    """
    if not tally.total:  # an error has said why
        return
    say_session(tally.latest)
    if files or form == "records":
        say(render_summary(tally.counts, files).rstrip("\n"))
    elif form == "text" and tally.total > 1:
        click.echo(render_summary(tally.counts), nl=False)


def warn_unmet(expected: "Expected | None", tally: "Tally") -> None:
    """Warn of tasks in ``--expect-file`` that no run is of."""
    for text in [] if expected is None else expected.unmet(tally.tasks):
        warn(printable(text))


def say_session(path: str) -> None:
    """Print which session ``--latest`` has found, if any, and whether it worked in this folder."""
    if not path:
        return
    which = {
        True: " (the newest of this folder)",
        False: " (the newest on this machine; none worked in this folder)",
        None: "",
    }[works_in(Path(path), Path.cwd())]
    say(f"session: {printable(redact(path))}{which}")


def update(baseline: "Baseline") -> None:
    """Write the baseline, and say so. Raises ``InputError``."""
    is_new = not Path(baseline.path).exists()
    number = baseline.update()
    did = "made" if is_new else "updated"
    say(f'{did} the baseline "{printable(str(baseline.path))}": {counted(number, "finding")}')
