"""One job in a forked process: its frames, its orders, and how it ended. ``isolate`` is the door to it.

The child's standard output is the parent's standard error. It sends frames through one pipe, and receives orders through
another. It may end, crash, hang or use up memory: the parent then reports what was at work, which the child notes in shared
memory. This contains mistakes; it is not a security boundary.
"""

import contextlib
import gc
import mmap
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self

import msgspec

from sentinel_core.errors import WorkerDied, WorkerError, WorkerJobError, WorkerTimeout
from sentinel_core.runtime.outbox import ALIVE, END, FRAME, HEAD, LAST, LENGTH, MARK_SIZE, RAISED, READY, Outbox

__all__ = ["SIGKILL", "Child", "run_child", "wait"]

SIGKILL = 9
"""The signal that ends a process at once; Windows' module ``signal`` lacks it."""

_GRACE = 5.0
_PIPE_READ = 1 << 20
_KINDS = frozenset((ALIVE, END, FRAME, RAISED, READY))
_MOST = 1 << 40  # bytes of a frame, unless a child may send less
_MOST_POLLED = (1 << 31) - 1  # milliseconds, which is 24 days


class Child:
    """A job in a process of its own. Leaving the ``with`` block kills it and all that it started.

    ``frames`` is the type of its frames, a union of ``Frame`` classes for example. ``memory`` is the address space that the
    job may take beyond what the process has, in bytes; ``most`` is the largest frame that is accepted. A child that does not
    lead (``leads``) stays in the process group of this process, and ends with it. Raises ``WorkerDied`` if the system gives
    no process.

    Every ``WorkerError`` has a ``mark``, what was at work, and ``last``, the plugin that was at work last.
    """

    # The parent's ends of all pipes. A child must close them: a copy would hide the parent's end from the other children.
    _ours: ClassVar[set[int]] = set()
    # The child's end of the channel, in a child: what it forks in turn must not have it.
    _outbox: ClassVar[Outbox | None] = None

    def __init__(
        self,
        job: Callable[[Outbox], None],
        *,
        frames: Any = Any,
        memory: int | None = None,
        most: int = _MOST,
        leads: bool = True,
    ) -> None:
        self._decode = msgspec.msgpack.Decoder(frames).decode
        self._most, self._leads = most, leads
        self._due = 1  # what the child has not reported as done: its start, and each order
        self._is_over = False
        self._reader, self._orders = -1, -1
        self._buffer = bytearray()
        self._status: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        self._open(job, memory)

    def _open(self, job: Callable[[Outbox], None], memory: int | None) -> None:
        """Start the process and open the channel. Raises ``WorkerDied``."""
        self._mark = mmap.mmap(-1, MARK_SIZE)
        theirs: list[int] = []
        try:
            self._reader, writer = _wide_pipe()
            theirs.append(writer)
            orders, self._orders = os.pipe()
            theirs.append(orders)
            self._pid = self._start(job, memory, writer, orders)
        except OSError as error:
            self._release()
            raise WorkerDied(f"a process could not be started: {error.strerror}") from error
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        Child._ours |= {self._reader, self._orders}

    def _start(self, job: Callable[[Outbox], None], memory: int | None, frames: int, orders: int) -> int:
        """Start the process, which writes frames and reads orders; its id. Raises ``OSError``."""
        pid = os.fork()
        if pid == 0:
            for descriptor in (*Child._ours, self._reader, self._orders):
                os.close(descriptor)
            Child._ours.clear()  # closed here: what this child forks must not close the numbers again
            if Child._outbox is not None:
                Child._outbox.abandon()
            Child._outbox = Outbox(frames, self._mark, orders)
            run_child(job, Child._outbox, memory, leads=self._leads)
        return pid

    def fileno(self) -> int:
        """For ``select``: readable if there are frames, or the child has ended."""
        return self._reader

    def order(self, order: object) -> None:
        """Send an order, pickled; a child that has died is noticed when its frames are read."""
        import pickle

        self._due += 1
        self._give(pickle.dumps(order))

    def _give(self, data: bytes) -> None:
        view = memoryview(LENGTH.pack(len(data)) + data)
        try:
            while view:
                view = view[os.write(self._orders, view) :]
        except BrokenPipeError:
            return

    def want_no_more(self) -> None:
        """End the orders; the child is then busy until its job is over."""
        self._due += 1
        Child._ours.discard(self._orders)
        os.close(self._orders)
        self._orders = -1

    @property
    def is_idle(self) -> bool:
        """Whether all orders are done."""
        return self._is_over or self._due == 0

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self._is_over

    def is_readable(self, timeout: float | None) -> bool:
        """Wait until there is data, or the child has ended; False if ``timeout`` seconds pass first."""
        return wait([self._reader], timeout) != []

    @property
    def mark(self) -> str:
        """What is at work in the child; when it has ended, what was."""
        return self._marked(0)

    def _marked(self, start: int) -> str:
        size = int.from_bytes(self._mark[start : start + 2], "big")
        return self._mark[start + 2 : start + 2 + size].decode("utf-8", "replace")

    def frames(self, timeout: float | None = None) -> Iterator[Any]:
        """Every frame, in order, until the job is over or all orders are done.

        Raises ``WorkerTimeout`` if nothing comes for more than ``timeout`` seconds, ``WorkerDied`` if the child ends
        before it has finished, and ``WorkerJobError`` if the job raised.
        """
        yield from self._whole()
        while not self.is_idle:
            if not self.is_readable(timeout):
                raise self.timed_out(timeout)
            yield from self.arrived()

    def arrived(self) -> Iterator[Any]:
        """The frames that have come whole; blocks until something has come. Raises as ``frames`` does."""
        data = self._read()
        if not data:
            raise self._failed(WorkerDied(*_how_it_ended(self._end())))
        self._buffer += data
        yield from self._whole()

    def _read(self) -> bytes:
        """What has come; blocks until something has. Empty once the child can send no more."""
        return os.read(self._reader, _PIPE_READ)

    def timed_out(self, timeout: float | None) -> WorkerError:
        """The error for a child that was silent for so many seconds."""
        return self._failed(WorkerTimeout(f"did not finish within {timeout:g} s"))

    def _failed(self, error: WorkerError) -> WorkerError:
        error.mark, error.last = self.mark, self._marked(LAST)
        return error

    def _whole(self) -> Iterator[Any]:
        """The whole frames in the buffer; handles the child's status messages between them."""
        while not self._is_over and len(self._buffer) >= HEAD.size:
            kind, size = HEAD.unpack_from(self._buffer)
            if kind not in _KINDS or size > self._most:
                raise self._broken(f"sent what is no frame of at most {self._most:,} bytes")
            end = HEAD.size + size
            if len(self._buffer) < end:
                return
            frame = self._payload(kind, end)
            del self._buffer[:end]
            if kind == FRAME:
                yield frame
            elif kind == READY:
                self._due -= 1
            elif kind != ALIVE:
                self._is_over = True
                self.is_readable(_GRACE)  # it may still be writing files of its own
                if kind == RAISED:
                    raise self._failed(WorkerJobError(frame))

    def _payload(self, kind: bytes, end: int) -> Any:
        with memoryview(self._buffer)[HEAD.size : end] as view:
            if kind != FRAME:
                return str(view, "utf-8", "replace")
            try:
                return self._decode(view)
            except msgspec.MsgspecError as error:
                raise self._broken(f"sent a frame of an unknown type: {error}") from None

    def _broken(self, how: str) -> WorkerError:
        """The error for a child that did not keep to the protocol: the last plugin is at fault, for the host itself does."""
        error = self._failed(WorkerDied(how))
        error.mark = error.last or error.mark
        return error

    def _end(self) -> int:
        """Kill the child and all that it started; returns the exit code, its own if it had ended before."""
        if self._status is None:
            try:
                os.killpg(self._pid, SIGKILL)
            except (ProcessLookupError, PermissionError):  # it leads no group yet, or (macOS) is a zombie already
                os.kill(self._pid, SIGKILL)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        self._end()
        self._release()

    def _release(self) -> None:
        """Close the parent's ends."""
        ours = {self._reader, self._orders} - {-1}
        Child._ours -= ours
        for descriptor in ours:
            os.close(descriptor)
        self._mark.close()


def _wide_pipe() -> tuple[int, int]:
    """A pipe that holds many frames, if the system allows it."""
    reader, writer = os.pipe()
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # above what this user may have: the usual size does as well
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _PIPE_READ)
    return reader, writer


def wait(descriptors: Sequence[int], timeout: float | None) -> list[int]:
    """The descriptors that are readable, or whose other end is closed; none if ``timeout`` seconds pass first.

    ``select`` refuses descriptors from 1,024 on, which a process that holds many files has; not every system has ``poll``.
    """
    if not hasattr(select, "poll"):
        return select.select(descriptors, [], [], timeout)[0]
    waiting = select.poll()
    for descriptor in descriptors:
        waiting.register(descriptor, select.POLLIN)
    return [
        descriptor
        for descriptor, _ in waiting.poll(None if timeout is None else int(min(timeout * 1000 + 1, _MOST_POLLED)))
    ]


def run_child(job: Callable[[Outbox], None], outbox: Outbox, memory: int | None, *, leads: bool = True) -> None:
    """The child's whole life; it never returns into the parent's code."""
    try:
        gc.freeze()  # a collection would write to, and so copy, all shared memory
        if leads and hasattr(os, "setpgid"):
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(2, 1)
        if memory is not None:
            _limit_memory(memory)
        error: BaseException | None = None
        try:
            job(outbox)
        except BaseException as raised:  # noqa: BLE001 - reported to the parent, whatever it is
            error = raised
        outbox.close(error)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _limit_memory(extra: int) -> None:
    """Does nothing where the system has no such limit (Windows)."""
    try:
        import resource
    except ImportError:
        return
    in_use = 0
    if os.path.exists("/proc/self/statm"):  # noqa: PTH110 - pathlib is not worth its import here
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - as above
            in_use = int(file.read().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = in_use + extra
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _how_it_ended(code: int) -> tuple[str, int | None]:
    """In words; and the signal that ended it, if one did."""
    if code < 0:
        return f"was killed by signal {-code} ({signal.Signals(-code).name})", -code
    return f"ended the process with exit code {code}", None
