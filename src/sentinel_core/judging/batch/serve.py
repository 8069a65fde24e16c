"""A worker of a batch: loads the plugins once, then judges one split after the other, or cuts a large file."""

import time
from collections.abc import Mapping

import attrs

from sentinel_core.errors import InputError, SentinelError
from sentinel_core.evaluate.evaluator import Panel
from sentinel_core.judging.batch.split import Task
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.job import Plan, Prepared, judged, prepare, recorder_of, rendered, tune_gc
from sentinel_core.judging.output.sink import separated
from sentinel_core.judging.records import Readable, Unreadable, read_records
from sentinel_core.judging.tally import crash_error, dead_at
from sentinel_core.offers import TraceReader
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.watch import SideEffectError, Watch
from sentinel_core.traces.readers.layout import is_json_lines
from sentinel_core.traces.sources import FileSource, choose_reader
from sentinel_core.traces.sources.parts import cut_lines
from sentinel_core.traces.sources.remote import fetched

__all__ = ["FRAMES", "Part", "Ready", "Reports", "serve"]

_FULL = 256 << 10
_STALE = 0.2


class Ready(Frame):
    """A worker's plugins are loaded; ``signals`` are the names of all signals that reports may name."""

    signals: list[str]


class Reports(Frame):
    """Several records: their number, their summary, how many are rendered, and these as ``Sink.put_many`` takes them."""

    count: int
    summary: bytes
    written: int
    items: bytes


class Part(Frame):
    """A part of a large file, as ``sources.parts`` cuts it."""

    values: tuple[int, int, int, int]


FRAMES = Ready | Reports | Part | Warned | Refusal


def serve(plan: Plan, outbox: Outbox) -> None:
    """Do the ordered tasks until there are no more."""
    watch = Watch(outbox)
    try:
        ready = prepare(plan, watch, outbox)
        tune_gc()
        outbox.send(Ready(_columns(ready.panel)))
        for task in outbox.orders():
            _do(task, plan, ready, watch, outbox)
    except SentinelError as error:
        outbox.refuse(error)


def _columns(panel: Panel) -> list[str]:
    """The names of all signals that a report may name."""
    names = {signal.name for signal in panel.signals} | panel.left_out
    return sorted(names | {failure.signal_name for failure in panel.standing_failures})


def _do(task: Task, plan: Plan, ready: Prepared, watch: Watch, outbox: Outbox) -> None:
    watch.item = 0
    with fetched(task.split.sources, outbox.alive) as sources:
        local = attrs.evolve(task, split=attrs.evolve(task.split, sources=sources))
        if task.cut is None:
            _judge(local, plan, ready, watch, outbox)
        else:
            _cut(local, task.cut, plan, ready.readers, watch, outbox)


def _judge(task: Task, plan: Plan, ready: Prepared, watch: Watch, outbox: Outbox) -> None:
    own = plan._replace(
        sources=task.split.sources,
        latest=task.split.latest,
        done=task.done,
        deaths=(*plan.deaths, *task.deaths),
    )
    batch = _Batch(outbox, own, ready.panel, eager=bool(task.deaths))
    ready.crashes.clear()  # those of earlier tasks, whose records had the same numbers
    # One by one, not in chunks: that costs a tenth, but the mark always names the plugin and the record at work.
    for item, outcome in enumerate(read_records(own, ready.readers, watch)):
        watch.item = item
        if item >= task.done:
            found = judged(outcome, ready.panel, own, item, outbox)
            batch.add(found, outcome, dead_at(own, item, ready.crashes))
    batch.send()


class _Batch:
    """Judged records that are not sent yet: collects many into a frame, but holds none back for long.

    ``eager`` holds none back, because the next record may end the worker.
    """

    def __init__(self, outbox: Outbox, plan: Plan, panel: Panel, *, eager: bool) -> None:
        self._outbox = outbox
        self._eager = eager
        self._plan = plan
        self._recorder = recorder_of(plan, panel)
        self._started = time.monotonic()
        self._clear()

    def _clear(self) -> None:
        self._count, self._size, self._parts, self._summary = 0, 0, list[bytes](), Summary()

    def add(
        self, found: ReliabilityReport | Unreadable, outcome: Readable | Unreadable, dead: Mapping[str, str]
    ) -> None:
        """Add a record; ``dead`` are the signals that ended a process at it."""
        data = None
        if self._plan.latest is not None:
            self._summary.latest = outcome.label.encode("utf-8", "replace").decode()
        if isinstance(found, Unreadable):
            self._summary.add_unreadable(found)
            if self._plan.format != "text":
                data = found.rendered(whole=self._plan.format == "rows")
        else:
            assert isinstance(outcome, Readable)
            error = crash_error(found, outcome, dead)
            self._summary.add_report(found, error, outcome)
            if self._plan.expected is not None and self._plan.expected.by_task:
                self._summary.add_task(self._plan.expected.task_of(outcome.trace), self._plan.expected.by_task)
            if self._plan.task_key is not None:
                self._summary.tasks.add(self._plan.task_key, outcome.trace, found, outcome.source, outcome.number)
            data = rendered(found, outcome, self._plan, error, self._recorder)
        self._count += 1
        if data is not None:
            self._parts.append(data)
            self._size += len(data)
        if self._eager or self._size > _FULL or time.monotonic() - self._started > _STALE:
            self.send()

    def send(self) -> None:
        """Send the collected records to the parent."""
        items = separated(self._parts, self._plan.format)
        self._outbox.send(Reports(self._count, self._summary.state(), len(self._parts), items))
        self._started = time.monotonic()
        self._clear()


def _cut(task: Task, size: int, plan: Plan, readers: list[TraceReader], watch: Watch, outbox: Outbox) -> None:
    """Send the parts of a large file, if its reader reads line by line; else nothing, and the file is one split.

    A file that could not be fetched is one split too; judging it reports the error.
    """
    (source,) = task.split.sources
    if isinstance(source, InputError) or not _is_of_lines(source, plan, readers, watch):
        return
    with source.open() as stream:
        for part in cut_lines(stream, size):
            outbox.send(Part(attrs.astuple(part)))


def _is_of_lines(source: FileSource, plan: Plan, readers: list[TraceReader], watch: Watch) -> bool:
    asked = readers if plan.reader is None else [reader for reader in readers if reader.name == plan.reader]
    try:
        reader = choose_reader(source, asked, watch, forced=plan.reader is not None)
        return reader.grain == "line" and is_json_lines(source)
    except (InputError, SideEffectError, OSError, EOFError):  # judging the file reports it
        return False
