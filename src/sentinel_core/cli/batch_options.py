"""``sentinel evaluate`` over many traces: the output, the engine, and the messages of a batch."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import attrs
import click

from sentinel_core.cli import complain, say, warn
from sentinel_core.cli.options import Many, cores, is_folder
from sentinel_core.cli.supervise import say_session, warn_unmet
from sentinel_core.errors import ConfigError
from sentinel_core.host.first_party import protect_from_third_party
from sentinel_core.host.settings import HostSettings
from sentinel_core.judging.batch.assignment import Answer, Launcher
from sentinel_core.judging.batch.inputs import identities, measured
from sentinel_core.judging.batch.manifest import Manifest
from sentinel_core.judging.batch.outputs import File, Finish, Folder, Output, Stream
from sentinel_core.judging.batch.pool import pooled
from sentinel_core.judging.batch.progress import Progress
from sentinel_core.judging.batch.report_fingerprint import fingerprint
from sentinel_core.judging.batch.run import Engine, Talk, run_batch
from sentinel_core.judging.batch.split import Unit, part_size, units
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.job import Plan
from sentinel_core.judging.output.sink import Outlet, Sink, open_output
from sentinel_core.judging.output.text import render_summary
from sentinel_core.runtime.isolate import Child
from sentinel_core.traces.sources.remote import is_url

__all__ = ["evaluate_many"]

_MOST_SHOWN = 100


def evaluate_many(
    plan: Plan, host: HostSettings, many: Many, files: Sequence[str] = (), documents: Outlet | None = None
) -> int:
    """Judge everything in ``plan``, into ``documents`` if given; ``files`` are named as written. Returns the exit code."""
    size = part_size(measured(plan.sources, from_size=0).total)
    sizes = measured(plan.sources, from_size=size)
    parts = list(units(plan.sources, sizes.sizes, sizes.cuttable, size, plan.latest))
    work = Manifest(inputs=identities(plan.sources), fingerprint=fingerprint(plan), part=size)
    progress = Progress(sizes.total)
    messages = _Messages(progress)
    protect_from_third_party(plan.selection)
    launcher = Launcher(
        plan=plan, kind=Child, timeout=host.timeout, memory=host.max_memory_mb << 20, warn=messages.warning
    )
    with ExitStack() as stack:
        output = _output(plan, many, work, stack) if documents is None else _unresumed(Stream(documents), many)
        engine = _engine(many, launcher, parts, size, progress)
        talk = Talk(error_rows=messages.error_rows, progress=progress.show)
        stack.callback(progress.clear)
        summary, place = run_batch(work, output, engine, talk, resume=many.resume)
    warn_unmet(plan.expected, summary.tally)
    say_session(summary.latest)
    _conclude(summary, place, files, to_file=many.output is not None or documents is not None, form=plan.format)
    return summary.tally.exit_code(host.fail_on)


def _engine(many: Many, launcher: Launcher, parts: list[Unit], size: int, progress: Progress) -> Engine:
    jobs = many.jobs or cores()
    if many.engine is not None:
        from sentinel_core.judging.batch.cluster import on_dask

        return partial(on_dask, parts, launcher, address=many.address, jobs=jobs, part=size)
    return partial(_locally, parts, launcher, jobs, size, progress)


def _locally(
    parts: list[Unit], launcher: Launcher, jobs: int, size: int, progress: Progress, skip: int, columns: list[str]
) -> Iterator[Answer]:
    for answer in pooled(parts, launcher, jobs=jobs, part=size, skip=skip, beat=progress.pending):
        columns[:] = launcher.columns or columns  # empty if no worker became ready
        yield answer


def _output(plan: Plan, many: Many, work: Manifest, stack: ExitStack) -> Output:
    place = many.output
    if place is None or plan.format not in ("jsonl", "rows"):
        return _stream(place, plan, many, stack)
    finisher: Finish | None = None
    if plan.format == "rows":
        from sentinel_core.judging.batch.parquet import write_table

        finisher = partial(write_table, columns=work.columns)
    suffix = ".parquet" if plan.format == "rows" else ".jsonl"
    if is_url(place):
        from sentinel_core.judging.batch.remote_outputs import RemoteFile, RemoteFolder

        made: Output = RemoteFolder(place, suffix, finisher) if place.endswith("/") else RemoteFile(place, finisher)
        return made
    if is_folder(place):
        return Folder(Path(place), suffix, finisher)
    path = Path(place)
    if path.exists() and not path.is_file():
        return _stream(place, plan, many, stack)
    return File(path, finisher)


def _unresumed(output: Output, many: Many) -> Output:
    if many.resume:
        raise ConfigError("--resume needs an output to continue: one -o FILE.jsonl, FILE.parquet or FOLDER/")
    return output


def _stream(place: str | None, plan: Plan, many: Many, stack: ExitStack) -> Output:
    if plan.format == "rows":
        raise ConfigError("Parquet needs a file or a folder: -o FILE.parquet or FOLDER/")
    stream = stack.enter_context(open_output(None if place is None else Path(place)))
    return _unresumed(Stream(Sink(stream, plan.format)), many)


@attrs.define
class _Messages:
    """Messages on standard error during a batch, above the progress line."""

    _progress: Progress
    _rows: int = 0

    def warning(self, text: str) -> None:
        """Print a warning."""
        self._progress.clear()
        warn(text)

    def error_rows(self, summary: Summary) -> None:
        """Print a line for each of the first records that are unreadable or crashed a weighted signal."""
        for row in summary.error_rows():
            self._rows += 1
            self._progress.clear()
            if self._rows <= _MOST_SHOWN:
                line = "" if row["line"] is None else f" line {row['line']}"
                complain(f'"{row["named"]}"{line}: {row["message"]}' if row["named"] else row["message"])
            elif self._rows == _MOST_SHOWN + 1:
                complain("more records could not be read or judged; the summary states how many")


def _conclude(summary: Summary, place: str | None, files: Sequence[str], *, to_file: bool, form: str) -> None:
    from sentinel_core.runtime.printable import printable

    if not to_file and form != "text":
        return
    lines = [render_summary(summary.tally.counts, files).rstrip("\n"), *summary.lines()]
    if place is not None:
        lines.append(f"  full summary: {place}")
    show = say if to_file else click.echo
    show("\n".join(map(printable, lines)))
