"""A task that a worker is at: what came of it, and how it goes on where the worker was lost."""

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
_MOST_FAULTS = 3  # a worker that ends though no plugin is at work: as many times is the task tried


@attrs.define
class Answer:
    """All that came of a split: ``written`` rendered items of its records, and what they add to the summary."""

    split: Split
    items: IO[bytes]
    written: int = 0
    summary: Summary = attrs.field(factory=Summary)

    @classmethod
    def to(cls, split: Split) -> "Answer":
        """An empty one; a large one is kept on disk."""
        return cls(split=split, items=tempfile.SpooledTemporaryFile(_IN_MEMORY))

    def add(self, reports: Reports) -> None:
        """Some more records."""
        summary = Summary.restored(reports.summary)
        if summary.total != reports.count:
            raise WorkerDied("sent a frame that contradicts itself")
        self.summary.merge(summary)
        self.written += reports.written
        self.items.write(reports.items)

    def close(self) -> None:
        """Let go of the items."""
        self.items.close()

    def give_up(self, reason: str, form: str) -> None:
        """An error row for whatever has not come."""
        row = Unreadable(message=reason, label=self.split.place, source=self.split.source)
        self.summary.add_unreadable(row)
        if form != "text":
            self.items.write(separated([row.rendered(whole=form == "rows")], form))
            self.written += 1


@attrs.define
class Launcher:
    """How workers are started, and what all of them know.

    ``kind`` is ``Child``, or ``Fresh`` where forking is not safe; ``memory`` is in bytes, ``timeout`` in seconds.
    """

    plan: Plan
    kind: Callable[..., Child]
    timeout: float
    memory: int
    warn: Callable[[str], None]
    columns: list[str] = attrs.field(factory=list)
    told: set[str] = attrs.field(factory=set)

    def launch(self) -> Child:
        """One more process."""
        return self.kind(partial(serve, self.plan), frames=FRAMES, memory=self.memory)

    def tell(self, warning: str) -> None:
        """A warning that every worker gives is told once."""
        if warning not in self.told:
            self.told.add(warning)
            self.warn(warning)


class Assignment:
    """A task in a worker's hands."""

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
        """Take what has come, or see to a worker that was lost; True where the task is finished.

        Raises ``InputError`` where the worker cannot judge anything.
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
                self._launcher.tell(frame.text)
            case Refusal():
                raise InputError(frame.text)

    def _after(self, error: WorkerError) -> Task | None:
        """What to go on with, around what killed the worker; None where the task is given up."""
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
        """A plugin that cannot be loaded is left out by every worker from now on."""
        if death.at_work in self._unloaded:
            raise InputError(f'plugin "{death.at_work.label}" {death.error}; stopped (--plugins can leave it out)')
        self._unloaded.add(death.at_work)
        deaths = self._launcher.plan.deaths
        if death.at_work not in [known.at_work for known in deaths]:
            self._launcher.plan = self._launcher.plan._replace(deaths=(*deaths, death))

    def _around(self, death: Death) -> Task | None:
        if self.task.cut is not None:  # it is judged whole, and the plugin is named there
            return None
        if death in self.task.deaths or len(self.task.deaths) == _MOST_DEATHS:
            self._give_up(f'plugin "{death.at_work.label}" {death.error}; what follows was not judged')
            return None
        return attrs.evolve(self.task, deaths=(*self.task.deaths, death))

    def _give_up(self, reason: str) -> None:
        self.answer.give_up(reason, self._launcher.plan.format)
