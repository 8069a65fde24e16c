"""Worker processes that do one task after another: one, several side by side, or one for each thread.

A worker's process starts with its first order, and again if it ended; the caller repeats the orders that were lost with it,
without the culprit. Its job loads what it needs and then takes ``outbox.orders()``, or does a single task and ends.

``call`` calls a method of an object in a worker's process; its result comes back as JSON.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import msgspec

from sentinel_core.errors import WorkerError
from sentinel_core.runtime.isolate import Child, readable
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned

__all__ = ["CALLED", "Pool", "Worker", "WorkerRefused", "answer_calls", "call", "load"]

_FOREVER = float("inf")


class Worker:
    """One process, and its replacements. For one thread at a time.

    ``launch`` starts a process, ``timeout`` is the longest that a busy one may be silent, in seconds.
    """

    def __init__(self, launch: Callable[[], Child], timeout: float | None) -> None:
        self._launch = launch
        self._timeout = timeout
        self._deadline = _FOREVER
        self._child: Child | None = None

    def start(self) -> None:
        """Start a process unless there is one; it is busy until it is ready for an order."""
        if self._child is None:
            self._child = self._launch()
            self._rest()

    def give(self, order: object) -> None:
        """Send an order; ``heard`` gives its frames."""
        self.start()
        assert self._child is not None
        self._child.order(order)
        self._rest()

    def answers(self) -> Iterator[Any]:
        """The frames of all orders, up to the last. Raises ``WorkerError`` as ``heard`` does."""
        while self.is_busy:
            self.wait()
            yield from self.heard()

    def wait(self, most: float = _FOREVER) -> None:
        """Wait until a busy worker has sent something, has been silent for too long, or ``most`` seconds have passed."""
        assert self._child is not None
        left = min(most, self.seconds_left)
        self._child.is_readable(None if left == _FOREVER else left)

    @property
    def is_busy(self) -> bool:
        """Whether an order is not done yet."""
        return self._child is not None and not self._child.is_idle

    @property
    def seconds_left(self) -> float:
        """Seconds until a busy worker has been silent for too long."""
        return max(0.0, self._deadline - time.monotonic())

    def heard(self) -> Iterator[Any]:
        """The frames that a busy worker has sent by now, if any.

        Raises ``WorkerTimeout`` if it is silent for too long, ``WorkerDied`` if its process ended, and ``WorkerJobError``
        if the job raised: its orders are then lost, and it is idle.
        """
        child = self._child
        assert child is not None
        try:
            if child.is_readable(0):
                yield from child.arrived()
                self._rest()
            elif not self.seconds_left:
                raise child.timed_out(self._timeout)
        except WorkerError:
            self.close()
            raise
        if child.is_over:
            self.close()

    def _rest(self) -> None:
        self._deadline = _FOREVER if self._timeout is None else time.monotonic() + self._timeout

    @property
    def child(self) -> Child:
        """The process of a busy worker."""
        assert self._child is not None
        return self._child

    def drain(self) -> Iterator[Any]:
        """Let the process end by itself; the frames that it still sends. Raises ``WorkerError`` as ``heard`` does."""
        if self._child is not None:
            self._child.want_no_more()
            self._rest()
            yield from self.answers()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._child is not None:
            self._child.close()
            self._child = None


class Pool:
    """``size`` workers. One thread handles all (``ready``), or each thread borrows one (``borrowed``).

    Leaving the ``with`` block ends all of them.
    """

    def __init__(self, launch: Callable[[], Child], timeout: float | None, *, size: int) -> None:
        self.workers = [Worker(launch, timeout) for _ in range(size)]
        self._idle = self.workers.copy()
        self._places = threading.Semaphore(size)
        self._is_closed = False

    @property
    def busy(self) -> list[Worker]:
        """The workers with orders that are not done."""
        return [worker for worker in self.workers if worker.is_busy]

    def ready(self) -> list[Worker]:
        """The busy workers that have sent something, or have been silent for too long; waits for one."""
        busy = {worker.child: worker for worker in self.busy}
        left = min((worker.seconds_left for worker in busy.values()), default=0.0)
        heard = readable(list(busy), None if left == _FOREVER else left)
        return [worker for child, worker in busy.items() if child in heard or not worker.seconds_left]

    @contextmanager
    def borrowed(self) -> Iterator[Worker]:
        """A worker for this thread alone, if possible one with a process; waits while all are taken."""
        with self._places:
            worker = self._idle.pop()
            try:
                yield worker
            finally:
                if self._is_closed or worker.is_busy:  # busy: it was left in the middle of something
                    worker.close()
                self._idle.append(worker)

    def close(self) -> None:
        """End all workers; a borrowed one ends when its thread returns it."""
        self._is_closed = True
        for worker in self._idle:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Answer(Frame):
    """A method's result, as JSON."""

    json: bytes


CALLED = Answer | Warned | Refusal
"""The frames that such a process may send."""


class WorkerRefused(WorkerError):
    """The process could not start with the user's settings, or a method refused its arguments."""


def answer_calls(outbox: Outbox, target: object, *, refuses: tuple[type[Exception], ...] = ()) -> None:
    """Call the target's methods for the parent. Exceptions in ``refuses`` are sent back; any other ends the process."""
    for method, arguments in outbox.orders():
        try:
            outbox.send(Answer(_as_json(getattr(target, method)(*arguments))))
        except refuses as error:
            outbox.refuse(f"raised {type(error).__name__}: {' '.join(str(error).split())}")


def call(worker: Worker, method: str, *arguments: object, warn: Callable[[str], None] | None = None) -> bytes:
    """The method's result, as JSON; ``warn`` gets its warnings. The arguments are pickled.

    Raises ``WorkerRefused``, and ``WorkerError`` if the process was lost.
    """
    worker.give((method, arguments))
    answer = load(worker, warn)
    if answer is None:
        raise WorkerError("its process ended without an answer")
    return answer


def load(worker: Worker, warn: Callable[[str], None] | None = None) -> bytes | None:
    """Wait until all calls are done; return the last answer. Raises as ``call`` does."""
    answer, refusal = None, None
    worker.start()
    for frame in worker.answers():
        match frame:
            case Answer():
                answer = frame.json
            case Warned() if warn is not None:
                warn(frame.text)
            case Refusal():
                refusal = frame.text
    if refusal is not None:
        raise WorkerRefused(refusal)
    return answer


def _as_json(value: object) -> bytes:
    """JSON in which half a surrogate pair, which UTF-8 cannot hold, becomes ``?``, and other objects become text."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False).encode("utf-8", "replace")
