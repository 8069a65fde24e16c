"""The parent of judging and converting: relays the child's frames, replaces a child that dies, and says how it ended."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import click

from sentinel_core.cli import complain, say, warn
from sentinel_core.errors import InputError, WorkerError
from sentinel_core.host.first_party import protect_from_third_party
from sentinel_core.judging.batch.progress import Progress
from sentinel_core.judging.output.sink import Outlet, Sink
from sentinel_core.judging.output.text import render_summary
from sentinel_core.judging.records import JUDGED, Crashed, Death, Newest, Report, Unread
from sentinel_core.judging.tally import Spared, Tally, death_of, fault_of
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.printable import counted, printable
from sentinel_core.runtime.redact import redact
from sentinel_core.runtime.watch import file_of
from sentinel_core.traces.sources.latest import works_in

if TYPE_CHECKING:
    from sentinel_core.cli.convert_child import Conversion
    from sentinel_core.cli.documents import Target
    from sentinel_core.host.expectations import Expected
    from sentinel_core.judging.job import Plan
    from sentinel_core.judging.output.baseline import Baseline

__all__ = [
    "NothingOpenedError",
    "files_of",
    "refuse_nothing_opened",
    "refuse_unopened",
    "say_session",
    "summarize",
    "supervise",
    "update",
    "warn_unmet",
]

_MOST_DEATHS = 100


_Plan = TypeVar("_Plan", "Plan", "Conversion")


def supervise(
    plan: _Plan,
    stream: IO[bytes] | Outlet,
    *,
    timeout: float,
    memory_mb: int,
    job: Callable[[_Plan, Outbox], None],
) -> Tally:
    """Do everything in ``plan``. A child that a plugin ended is replaced by one that avoids the plugin at that record."""
    protect_from_third_party(plan.selection)
    tally = Tally()
    progress = Progress(0)
    is_seen = isinstance(stream, Outlet) or not stream.isatty()  # else the reports themselves show how far it is
    if is_seen:
        progress.show(0, 0)
    sink = stream if isinstance(stream, Outlet) else Sink(stream, plan.format)
    spared = Spared()
    while True:
        own = plan._replace(done=tally.total)
        with Child(partial(job, own), frames=JUDGED, memory=memory_mb << 20) as child:
            try:
                for frame in child.frames(timeout):
                    if not isinstance(frame, Report):
                        progress.clear()
                    _relay(frame, sink, tally, plan.format)
                    if is_seen:
                        progress.show(tally.total, 0)
                break
            except WorkerError as error:
                if spared(error):
                    continue
                death = death_of(error)
                if death is None or death in plan.deaths or len(plan.deaths) == _MOST_DEATHS:
                    where = _where(file_of(error.mark), tally.total, len(plan.sources))
                    complain(fault_of(error, where) if death is None else _final_message(death, tally.total))
                    tally.broken = True
                    break
                plan = plan._replace(deaths=(*plan.deaths, death))
    progress.clear()
    sink.finish()
    return tally


def _relay(frame: Frame, sink: Outlet, tally: Tally, form: str) -> None:
    match frame:
        case Report():
            tally.counts[frame.verdict] += 1
            tally.broken = tally.broken or not frame.is_complete
            if frame.task is not None:
                tally.tasks.add(frame.task)
            sink.put(frame.rendered)
        case Unread(unreadable=row):
            tally.counts["unreadable"] += 1
            complain(row.text)
            if form in ("json", "jsonl", "records"):
                sink.put(row.rendered())
        case Crashed(unreadable=row):
            complain(row.text)
        case Newest():
            tally.latest = frame.label
        case Warned():
            warn(frame.text)
        case Refusal():
            complain(frame.text)
            tally.broken = True


def _where(file: str, done: int, files: int) -> str:
    if file:
        return f' after {counted(done, "record")}, at "{file}",'
    return f" after {counted(done, 'record')}" if done or not files else f" before reading {counted(files, 'file')}"


def _final_message(death: Death, done: int) -> str:
    after = f"Sentinel stopped after {counted(done, 'record')}"
    return f'plugin "{death.at_work.label}" {death.error}; {after} (use --plugins to leave the plugin out)'


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
