"""A task that a worker does: its answer, and how it continues after the worker is lost."""

import tempfile
from collections.abc import Callable
from functools import partial
from typing import IO

import attrs

from sentinel_core.errors import InputError, WorkerDied, WorkerError
from sentinel_core.judging.batch.serve import FRAMES, Part, Ready, Reports, serve
from sentinel_core.judging.batch.split import Split, Task
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.job import Plan
from sentinel_core.judging.output.sink import separated
from sentinel_core.judging.records import Death, Unreadable
from sentinel_core.judging.tally import Spared, death_of, fault_of
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Refusal, Warned
from sentinel_core.runtime.pool import Worker
from sentinel_core.runtime.watch import AtWork
from sentinel_core.traces.sources import parts

__all__ = ["Answer", "Assignment", "Launcher"]

_IN_MEMORY = 8 << 20
_MOST_DEATHS = 100
_MOST_FAULTS = 3  # attempts at a task whose worker ends while no plugin is at work


@attrs.define
class Answer:
    """The answer to a split: ``written`` rendered records in ``items``, and their summary."""

    split: Split
    items: IO[bytes]
    written: int = 0
    summary: Summary = attrs.field(factory=Summary)

    @classmethod
    def to(cls, split: Split) -> "Answer":
        """An empty answer; large ones are kept on disk."""
        return cls(split=split, items=tempfile.SpooledTemporaryFile(_IN_MEMORY))

    def add(self, reports: Reports) -> None:
        """Add records."""
        summary = Summary.restored(reports.summary)
        if summary.total != reports.count:
            raise WorkerDied("sent an inconsistent frame")
        self.summary.merge(summary)
        self.written += reports.written
        self.items.write(reports.items)

    def close(self) -> None:
        """Release the items."""
        self.items.close()

    def give_up(self, reason: str, form: str) -> None:
        """Add an error row for the records that are missing."""
        row = Unreadable(message=reason, label=self.split.place, source=self.split.source)
        self.summary.add_unreadable(row)
        if form != "text":
            self.items.write(separated([row.rendered(whole=form == "rows")], form))
            self.written += 1


@attrs.define
class Launcher:
    """Starts workers, and holds what they share.

    ``kind`` is ``Child``, or ``Fresh`` if forking is not safe; ``memory`` is in bytes, ``timeout`` in seconds.
    """

    plan: Plan
    kind: Callable[..., Child]
    timeout: float
    memory: int
    warn: Callable[[str], None]
    columns: list[str] = attrs.field(factory=list)
    warned: set[str] = attrs.field(factory=set)

    def launch(self) -> Child:
        """Start a process."""
        return self.kind(partial(serve, self.plan), frames=FRAMES, memory=self.memory)

    def warn_once(self, warning: str) -> None:
        """Pass on a warning once, although every worker sends it."""
        if warning not in self.warned:
            self.warned.add(warning)
            self.warn(warning)


class Assignment:
    """A task that was given to a worker."""

    def __init__(self, task: Task, worker: Worker, launcher: Launcher) -> None:
        self.task = task
        self.worker = worker
        self.answer = Answer.to(task.split)
        self.parts: list[parts.Part] = []
        self._launcher = launcher
        self._faults = 0
        self._spared = Spared()
        self._unloaded = set[AtWork]()
        worker.give(task)

    def proceed(self) -> bool:
        """Take what has arrived, or replace a lost worker; True if the task is finished.

        Raises ``InputError`` if the worker cannot judge anything.
        """
        try:
            for frame in self.worker.heard():
                self._take(frame)
        except WorkerError as error:
            self.worker.close()
            task = self._after(error)
            if task is None:
                return True
            if task.cut is not None:
                self.parts = []
            self.task = task
            self.worker.give(task)
        return not self.worker.is_busy

    def finish(self) -> None:
        """Wait until the task is finished. Raises ``InputError`` as ``proceed`` does."""
        while not self.proceed():
            self.worker.wait()

    def _take(self, frame: Frame) -> None:
        match frame:
            case Reports():
                self.answer.add(frame)
                self.task = attrs.evolve(self.task, done=self.answer.summary.total)
            case Part():
                self.parts.append(parts.Part(*frame.values))
            case Ready():
                self._launcher.columns = frame.signals
            case Warned():
                self._launcher.warn_once(frame.text)
            case Refusal():
                raise InputError(frame.text)

    def _after(self, error: WorkerError) -> Task | None:
        """The task to continue with, around what killed the worker; None if the task is given up."""
        if self._spared(error):
            return self.task
        death = death_of(error)
        if death is None:
            return self._after_fault(fault_of(error))
        if death.at_work.stage == "load":
            self._learn(death)
            return self.task
        return self._around(death)

    def _after_fault(self, reason: str) -> Task | None:
        self._faults += 1
        if self._faults < _MOST_FAULTS:
            return self.task
        if self.task.cut is not None:
            raise InputError(f'"{self.task.split.place}": {reason}')
        self._give_up(reason)
        return None

    def _learn(self, death: Death) -> None:
        """Leave a plugin that cannot be loaded out of every worker from now on."""
        if death.at_work in self._unloaded:
            raise InputError(
                f'plugin "{death.at_work.label}" {death.error}; Sentinel stopped (use --plugins to leave the plugin out)'
            )
        self._unloaded.add(death.at_work)
        deaths = self._launcher.plan.deaths
        if death.at_work not in [known.at_work for known in deaths]:
            self._launcher.plan = self._launcher.plan._replace(deaths=(*deaths, death))

    def _around(self, death: Death) -> Task | None:
        if self.task.cut is not None:  # the file is then judged whole, which names the plugin
            return None
        if death in self.task.deaths or len(self.task.deaths) == _MOST_DEATHS:
            self._give_up(f'plugin "{death.at_work.label}" {death.error}; the records after it were not judged')
            return None
        return attrs.evolve(self.task, deaths=(*self.task.deaths, death))

    def _give_up(self, reason: str) -> None:
        self.answer.give_up(reason, self._launcher.plan.format)
