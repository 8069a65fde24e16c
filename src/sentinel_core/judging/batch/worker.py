"""The parent's side of one worker: give it a task, gather what comes, replace it when it dies."""

import json
import pickle
import select
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import IO

import attrs

from sentinel_core.errors import InputError, WorkerDied, WorkerError, WorkerTimeout
from sentinel_core.judging.batch.serve import serve
from sentinel_core.judging.batch.split import Split, Task
from sentinel_core.judging.batch.summary import Summary
from sentinel_core.judging.frames import DONE, PART, READY, REFUSED, REPORTS, WARNING
from sentinel_core.judging.job import Plan
from sentinel_core.judging.output.sink import separated
from sentinel_core.judging.records import Death, Unreadable
from sentinel_core.judging.tally import death_of, fault_of
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.watch import AtWork
from sentinel_core.traces.sources.parts import Part

__all__ = ["Answer", "Launcher", "Worker"]

_IN_MEMORY = 8 << 20
_MOST_DEATHS = 100
_MOST_FAULTS = 3  # a worker that ends though no plugin is at work: as many times is the task tried
_KILLED = "(SIGKILL)"


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

    def add(self, body: bytes) -> None:
        """What a frame of reports holds."""
        count, written, size = (int.from_bytes(body[start : start + 4], "big") for start in (0, 4, 8))
        summary = Summary.restored(body[12 : 12 + size])
        if summary.total != count:
            raise WorkerDied("sent a frame that contradicts itself")
        self.summary.merge(summary)
        self.written += written
        self.items.write(memoryview(body)[12 + size :])

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
        """One more worker."""
        return self.kind(partial(serve, self.plan), memory=self.memory)

    def tell(self, warning: str) -> None:
        """A warning that every worker gives is told once."""
        if warning not in self.told:
            self.told.add(warning)
            self.warn(warning)


class Worker:
    """One process that judges, and its replacements."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher
        self._child: Child | None = None
        self._known = 0
        self._deadline = 0.0
        self._faults = 0
        self._killed_at: AtWork | None = None
        self.task: Task | None = None
        self.answer: Answer | None = None
        self.parts: list[Part] = []

    def fileno(self) -> int:
        """For ``select``, while there is a task."""
        assert self._child is not None
        return self._child.fileno()

    @property
    def seconds_left(self) -> float:
        """Until the worker has been silent for too long."""
        return max(0.0, self._deadline - time.monotonic())

    def start(self, task: Task) -> None:
        """Give a task to an idle worker."""
        self.answer, self.parts, self._faults, self._killed_at = Answer.to(task.split), [], 0, None
        self._give(task)

    def answered(self) -> Answer:
        """The answer to the task that is finished; it is the caller's from now on."""
        answer, self.answer = self.answer, None
        assert answer is not None
        return answer

    def _give(self, task: Task) -> None:
        if self._child is None:
            self._child, self._known = self._launcher.launch(), len(self._launcher.plan.deaths)
        self.task = task
        self._child.order(pickle.dumps(task))
        self._rest()

    def _rest(self) -> None:
        self._deadline = time.monotonic() + self._launcher.timeout

    def proceed(self) -> bool:
        """Take what has come, or see to a worker that died or is silent; True where the task is finished.

        Raises ``InputError`` where the worker cannot judge anything.
        """
        assert self._child is not None
        try:
            if not _readable(self._child):
                if self.seconds_left:
                    return False
                raise WorkerTimeout("did not finish within its time limit")
            finished = [self._take(frame) for frame in self._child.arrived()]
        except WorkerError as error:
            return self._died(error)
        self._rest()
        if any(finished):
            self.task = None
        return self.task is None

    def finish(self) -> None:
        """Wait until the task is finished. Raises ``InputError`` as ``proceed`` does."""
        while not self.proceed():
            select.select([self], [], [], self.seconds_left)

    def _take(self, frame: bytes) -> bool:
        assert self.answer is not None
        assert self.task is not None
        kind, body = frame[:1], frame[1:]
        if kind == REPORTS:
            self.answer.add(body)
            self.task = attrs.evolve(self.task, done=self.answer.summary.total)
        elif kind == PART:
            self.parts.append(Part(*json.loads(body)))
        elif kind == READY:
            self._launcher.columns = json.loads(body)
        elif kind == WARNING:
            self._launcher.tell(body.decode("utf-8", "replace"))
        elif kind == REFUSED:
            raise InputError(body.decode("utf-8", "replace"))
        return kind == DONE

    def _died(self, error: WorkerError) -> bool:
        """Go on around what killed the worker; True where that is not possible, and the task is given up."""
        assert self._child is not None
        assert self.task is not None
        mark = self._child.mark
        self._end()
        at_work, death = AtWork.parse(mark), death_of(mark, error, self._launcher.timeout)
        task: Task | None = self.task
        if _KILLED in str(error) and at_work != self._killed_at:  # from outside, it may be: it is nobody's fault yet
            self._killed_at = at_work
        elif death is None:
            task = self._after_fault(fault_of(error, self._launcher.timeout))
        elif death.at_work.stage == "load":
            self._learn(death)
        else:
            task = self._around(death)
        if task is None:
            self.task = None
            return True
        if task.cut is not None:
            self.parts = []
        self._give(task)
        return False

    def _after_fault(self, reason: str) -> Task | None:
        self._faults += 1
        assert self.task is not None
        if self._faults < _MOST_FAULTS:
            return self.task
        if self.task.cut is not None:
            raise InputError(f'"{self.task.split.place}": {reason}')
        self._give_up(reason)
        return None

    def _learn(self, death: Death) -> None:
        """A plugin that cannot be loaded is left out by every worker from now on."""
        deaths = self._launcher.plan.deaths
        if death.at_work in [known.at_work for known in deaths[: self._known]]:
            raise InputError(f'plugin "{death.at_work.label}" {death.error}; stopped (--plugins can leave it out)')
        if death.at_work not in [known.at_work for known in deaths]:
            self._launcher.plan = self._launcher.plan._replace(deaths=(*deaths, death))

    def _around(self, death: Death) -> Task | None:
        assert self.task is not None
        if self.task.cut is not None:  # it is judged whole, and the plugin is named there
            return None
        if death in self.task.deaths or len(self.task.deaths) == _MOST_DEATHS:
            self._give_up(f'plugin "{death.at_work.label}" {death.error}; what follows was not judged')
            return None
        return attrs.evolve(self.task, deaths=(*self.task.deaths, death))

    def _give_up(self, reason: str) -> None:
        assert self.answer is not None
        self.answer.give_up(reason, self._launcher.plan.format)

    def close(self) -> None:
        """End the process, and let go of what has come."""
        self._end()
        if self.answer is not None:
            self.answer.close()

    def _end(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None


def _readable(child: Child) -> bool:
    return bool(select.select([child], [], [], 0)[0])
