"""Several children at once: whoever has something to say is heard first."""

import os
import select
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import TracebackType
from typing import Self

import attrs

from sentinel_core.errors import WorkerError, WorkerTimeout
from sentinel_core.runtime.isolate import Child, Outbox

__all__ = ["Pool", "Teller"]

_RING = b"."
Job = Callable[["Teller"], None]


class Teller:
    """A child's way to speak: each frame is followed by a ring of the bell that the parent listens to."""

    def __init__(self, outbox: Outbox, bell: int) -> None:
        self._outbox = outbox
        self._bell = bell

    def send(self, frame: bytes) -> None:
        """Give one frame to the parent."""
        self._outbox.send(frame)
        os.write(self._bell, _RING)

    def mark(self, text: str) -> None:
        """Note what is at work."""
        self._outbox.mark(text)


@attrs.define(eq=False)
class _Worker:
    child: Child
    frames: Iterator[bytes]
    bell: int
    deadline: float

    def end(self) -> None:
        self.child.__exit__(None, None, None)
        os.close(self.bell)


class Pool:
    """Children by number. Leaving the ``with`` block ends all of them.

    ``timeout`` is the longest, in seconds, that a child may be silent.
    """

    def __init__(self, timeout: float, *, memory: int | None = None) -> None:
        self._timeout = timeout
        self._memory = memory
        self._workers: dict[int, _Worker] = {}

    def start(self, number: int, job: Job) -> None:
        """Fork a child for this number, which must be free."""
        bell, ring = os.pipe()
        child = Child(partial(_work, job, ring), memory=self._memory)
        os.close(ring)
        self._workers[number] = _Worker(child, child.frames(self._timeout), bell, time.monotonic() + self._timeout)

    def __bool__(self) -> bool:
        return bool(self._workers)

    def next(self) -> tuple[int, bytes | WorkerError | None, str]:
        """The next thing that happens: a child's number, with a frame, its failure, or None for its end; and its mark.

        After a failure or the end the number is free.
        """
        bells = {worker.bell: number for number, worker in self._workers.items()}
        soonest = min(worker.deadline for worker in self._workers.values())
        ready = select.select(list(bells), [], [], max(0.0, soonest - time.monotonic()))[0]
        number = bells[ready[0]] if ready else self._latest()
        return self._hear(number) if ready else self._give_up(number)

    def _latest(self) -> int:
        return min(self._workers, key=lambda number: self._workers[number].deadline)

    def _hear(self, number: int) -> tuple[int, bytes | WorkerError | None, str]:
        worker = self._workers[number]
        worker.deadline = time.monotonic() + self._timeout
        os.read(worker.bell, 1)  # nothing at the child's end, and then the frames say how it ended
        try:
            frame = next(worker.frames, None)
        except WorkerError as error:
            return number, error, self._free(number)
        return number, frame, worker.child.mark if frame is not None else self._free(number)

    def _give_up(self, number: int) -> tuple[int, WorkerError, str]:
        return number, WorkerTimeout(f"did not finish within {self._timeout:g} s"), self._free(number)

    def _free(self, number: int) -> str:
        worker = self._workers.pop(number)
        mark = worker.child.mark
        worker.end()
        return mark

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in list(self._workers):
            self._free(number)


def _work(job: Job, bell: int, outbox: Outbox) -> None:
    job(Teller(outbox, bell))
