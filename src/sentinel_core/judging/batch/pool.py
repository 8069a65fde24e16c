"""The engine on one machine: workers that each take the next split; answers come in the order of the input."""

import select
from collections import deque
from collections.abc import Iterator, Sequence

from sentinel_core.judging.batch.split import Split, Task, Unit, part_of
from sentinel_core.judging.batch.worker import Answer, Launcher, Worker
from sentinel_core.traces.sources.parts import Part

__all__ = ["Queue", "pooled"]

_AHEAD = 4  # splits a worker that may be judged before their turn; what they hold waits in memory or on disk


def pooled(
    units: Sequence[Unit],
    launcher: Launcher,
    *,
    jobs: int,
    part: int,
    skip: int = 0,
) -> Iterator[Answer]:
    """The answers to all splits from number ``skip`` on.

    Raises ``InputError`` where nothing can be judged.
    """
    workers = [Worker(launcher) for _ in range(jobs)]
    queue = Queue(units, part, skip)
    answers: dict[int, Answer] = {}
    turn = skip
    try:
        while True:
            for worker in workers:
                if worker.task is None and (task := queue.next(turn + _AHEAD * jobs)) is not None:
                    worker.start(task)
            busy = [worker for worker in workers if worker.task is not None]
            if not busy:
                return
            for worker in _ready(busy):
                _proceed(worker, queue, answers)
            while turn in answers:
                yield answers.pop(turn)
                turn += 1
    finally:
        for worker in workers:
            worker.close()
        for answer in answers.values():
            answer.close()


def _proceed(worker: Worker, queue: "Queue", answers: dict[int, Answer]) -> None:
    """Take what a worker has to say."""
    task = worker.task
    assert task is not None
    finished = worker.proceed()
    if task.cut is not None:
        queue.add_parts(worker.parts, finished=finished)
        if finished:
            worker.answered().close()
    elif finished:
        answers[task.split.number] = worker.answered()


def _ready(busy: list[Worker]) -> list[Worker]:
    """Workers that have something to say, or have said nothing for too long."""
    wait = min(1.0, *(worker.seconds_left for worker in busy))
    readable = set(select.select(busy, [], [], wait)[0])
    return [worker for worker in busy if worker in readable or not worker.seconds_left]


class Queue:
    """Units become splits, numbered in the order of the input. While a file is cut, what follows it waits."""

    def __init__(self, units: Sequence[Unit], part: int, skip: int) -> None:
        self._units = deque(units)
        self._part = part
        self._skip = skip
        self._splits: deque[Split] = deque()
        self._number = 0
        self._cutting: Unit | None = None
        self._parts = 0

    def next(self, limit: int) -> Task | None:
        """What to do next; None where there is nothing yet, or nothing with a number below ``limit``."""
        while not self._splits and self._cutting is None and self._units:
            unit = self._units.popleft()
            if unit.cuttable:
                self._cutting, self._parts = unit, 0
                return Task(split=unit.as_split(-1), cut=self._part)
            self._add(unit.as_split(self._number))
        if self._splits and self._splits[0].number < limit:
            return Task(split=self._splits.popleft())
        return None

    def _add(self, split: Split) -> None:
        self._number += 1
        if split.number >= self._skip:
            self._splits.append(split)

    def add_parts(self, parts: Sequence[Part], *, finished: bool) -> None:
        """The parts so far of the file that is being cut; a file that has none is one split."""
        assert self._cutting is not None
        for part in parts[self._parts :]:
            self._parts += 1
            self._add(part_of(self._cutting, part, self._number))
        if finished:
            if not self._parts:
                self._add(self._cutting.as_split(self._number))
            self._cutting = None
