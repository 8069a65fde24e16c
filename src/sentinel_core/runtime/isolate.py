"""Runs a job in a child process, and accepts only whole frames of the types that it may send.

A child is forked, so that the job sees everything that the parent has loaded; or it is a new interpreter, if the parent has
threads and forking is not safe (``Fresh``), or where the system cannot fork (``spawned``).
"""

import functools
import mmap
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from sentinel_core.errors import WorkerError
from sentinel_core.runtime import child
from sentinel_core.runtime.child import SIGKILL, run_child, wait
from sentinel_core.runtime.outbox import MARK_SIZE, Outbox

__all__ = ["SIGKILL", "Child", "Fresh", "call", "readable", "start", "wait"]

_TO_READ = 1.0  # seconds to read an answer after its time is over: it may already be in the pipe


class Child(child.Child):
    """A job in a process of its own: forked, or, where the system cannot fork (Windows), in a new interpreter."""

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        """A ``Spawned`` where the system cannot fork."""
        if hasattr(os, "fork"):
            return super().__new__(cls)
        from sentinel_core.runtime.spawned import Spawned

        spawned: Any = Spawned(*arguments, **options)
        return spawned  # type: ignore[no-any-return] # it has the same methods


class Fresh(Child):
    """A child in a new interpreter: for a parent with threads. The job must be picklable.

    Reading its first frame raises ``WorkerDied`` if the child cannot unpickle the job.
    """

    def _open(self, job: Callable[[Outbox], None], memory: int | None) -> None:
        import pickle

        order = pickle.dumps((job, memory))
        super()._open(job, memory)
        self._give(order)

    def _start(self, job: Callable[[Outbox], None], memory: int | None, frames: int, orders: int) -> int:  # noqa: ARG002 - both come as the first order
        import subprocess
        import tempfile

        with tempfile.TemporaryFile() as shared:
            shared.truncate(MARK_SIZE)
            self._mark.close()
            self._mark = mmap.mmap(shared.fileno(), MARK_SIZE)
            ends = (frames, orders, shared.fileno())
            code = "import sys; from sentinel_core.runtime.isolate import run_fresh; run_fresh(*map(int, sys.argv[1:]))"
            process = subprocess.Popen(  # noqa: S603 - this interpreter, this module
                [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}", *map(str, ends)],
                pass_fds=ends,
                stdin=subprocess.DEVNULL,
                stdout=2,
                process_group=0,
            )
        process.returncode = 0  # it is waited for here, by its id
        return process.pid


def run_fresh(frames: int, orders: int, shared: int) -> None:
    """The whole life of a child in a new interpreter; its first order is the job."""
    outbox = child.Child._outbox = Outbox(frames, mmap.mmap(shared, MARK_SIZE), orders)  # noqa: SLF001 - as ``Child`` does after a fork
    job, memory = outbox.order()
    run_child(job, outbox, memory)


def readable(children: Sequence[Child], timeout: float | None) -> list[Child]:
    """The children with data, or that have ended; none if ``timeout`` seconds pass first."""
    if not hasattr(os, "fork"):
        from sentinel_core.runtime.spawned import heard_from

        heard: list[Any] = heard_from(children, timeout)
        return heard
    numbers = wait([child.fileno() for child in children], timeout)
    return [child for child in children if child.fileno() in numbers]


def call(job: Callable[[], bytes], *, timeout: float) -> bytes:
    """Run ``job`` in a child and return its result.

    Raises ``WorkerTimeout`` after ``timeout`` seconds, ``WorkerDied`` if the child ended by itself, and ``WorkerJobError``
    with the text ``TypeName: message`` if the job raised.
    """
    return _answer(_caller(job), timeout)


def start(job: Callable[[], bytes], *, timeout: float) -> Callable[[], bytes]:
    """Start ``job`` in a child now, and return a function that waits for its answer, or raises, as ``call`` does.

    Several children run side by side without threads, with which forking is not safe.
    """
    try:
        child = _caller(job)
    except WorkerError as error:
        return functools.partial(_raise, error)
    due = time.monotonic() + timeout
    return lambda: _answer(child, max(_TO_READ, due - time.monotonic()))


def _caller(job: Callable[[], bytes]) -> Child:
    return Child(functools.partial(_send_result, job), frames=bytes)


def _send_result(job: Callable[[], bytes], outbox: Outbox) -> None:
    outbox.send(job())


def _answer(child: Child, timeout: float) -> bytes:
    with child:
        (answer,) = child.frames(timeout)
        return bytes(answer)


def _raise(error: WorkerError) -> bytes:
    raise error
