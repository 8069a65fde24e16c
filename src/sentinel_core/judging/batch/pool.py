"""The engine on one machine: workers that each take the next split; answers come in the order of the input."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from sentinel_core.judging.batch.assignment import Answer, Assignment, Launcher
from sentinel_core.judging.batch.split import Split, Task, Unit, part_of
from sentinel_core.runtime.pool import Pool, Worker
from sentinel_core.traces.sources.parts import Part

__all__ = ["Queue", "pooled"]

_AHEAD = 4  # splits per worker that may be judged before their turn; their answers wait in memory or on disk


def pooled(
    units: Sequence[Unit],
    launcher: Launcher,
    *,
    jobs: int,
    part: int,
    skip: int = 0,
    beat: Callable[[int], None] = lambda _: None,
) -> Iterator[Answer]:
    """The answers to all splits from number ``skip`` on. ``beat`` hears how many records are judged whose split's turn has not come.

    Raises ``InputError`` if nothing can be judged.
    """
    queue = Queue(units, part, skip)
    at_work: dict[Worker, Assignment] = {}
    answers: dict[int, Answer] = {}
    turn = skip
    with Pool(launcher.launch, launcher.timeout, size=jobs) as pool:
        try:
            while True:
                for worker in pool.workers:
                    if worker not in at_work and (task := queue.next(turn + _AHEAD * jobs)) is not None:
                        at_work[worker] = Assignment(task, worker, launcher)
                if not at_work:
                    return
                for worker in pool.ready():
                    _proceed(at_work, worker, queue, answers)
                waiting = (*answers.values(), *(assignment.answer for assignment in at_work.values()))
                beat(sum(answer.summary.total for answer in waiting))
                while turn in answers:
                    yield answers.pop(turn)
                    turn += 1
        finally:
            for answer in (*answers.values(), *(assignment.answer for assignment in at_work.values())):
                answer.close()


def _proceed(at_work: dict[Worker, Assignment], worker: Worker, queue: "Queue", answers: dict[int, Answer]) -> None:
    """Take what a worker has sent."""
    assignment = at_work[worker]
    if finished := assignment.proceed():
        del at_work[worker]
    if assignment.task.cut is not None:
        queue.add_parts(assignment.parts, finished=finished)
        if finished:
            assignment.answer.close()
    elif finished:
        answers[assignment.task.split.number] = assignment.answer


class Queue:
    """Turns units into splits, numbered in the order of the input. While a file is being split, later units wait."""

    def __init__(self, units: Sequence[Unit], part: int, skip: int) -> None:
        self._units = deque(units)
        self._part = part
        self._skip = skip
        self._splits: deque[Split] = deque()
        self._number = 0
        self._cutting: Unit | None = None
        self._parts = 0

    def next(self, limit: int) -> Task | None:
        """The next task; None if there is none yet, or none with a number below ``limit``."""
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
        """Take the parts so far of the file that is being split; a file without parts is one split."""
        assert self._cutting is not None
        for part in parts[self._parts :]:
            self._parts += 1
            self._add(part_of(self._cutting, part, self._number))
        if finished:
            if not self._parts:
                self._add(self._cutting.as_split(self._number))
            self._cutting = None
