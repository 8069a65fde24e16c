"""The one process primitive: run a job in a child process, and believe only whole frames.

A child is forked, so that the job sees everything that the parent has loaded; or it is started afresh (``Fresh``), where
the parent has threads and forking is not safe. Its standard output is the parent's standard error; what it has to say it
sends as frames through a pipe. It may end, crash, hang or eat memory: the parent then says what was at work, which the
child notes in shared memory as it goes. This bounds mistakes; it is no security boundary.
"""

import contextlib
import gc
import mmap
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import ClassVar, Self

from sentinel_core.errors import WorkerDied, WorkerJobError, WorkerTimeout

__all__ = ["Child", "Fresh", "Outbox", "call"]

_LENGTH = struct.Struct("!Q")
_END = b"E"
_FRAME = b"F"
_RAISED = b"R"
_MARK_SIZE = 4096
_GRACE = 5.0
_PIPE_READ = 1 << 20
_MOST_POLLED = (1 << 31) - 1  # milliseconds, which is 24 days


class Outbox:
    """The child's side: frames to the parent, orders from it, and the mark that says what is at work."""

    def __init__(self, descriptor: int, mark: mmap.mmap, orders: int) -> None:
        self._descriptor = descriptor
        self._mark = mark
        self._orders = orders
        self._idle = bytes(2)

    def order(self) -> bytes | None:
        """The next thing that the parent asks for; blocks until there is one. None where the parent wants no more."""
        head = _read_exactly(self._orders, _LENGTH.size)
        return None if head is None else _read_exactly(self._orders, _LENGTH.unpack(head)[0])

    def send(self, frame: bytes) -> None:
        """Give one frame to the parent; blocks while the parent is busy."""
        self._write(_FRAME, frame)

    def mark(self, text: str) -> None:
        """Note what is at work from now on; an empty text: nothing of a plugin's."""
        data = _as_mark(text) if text else self._idle
        self._mark[: len(data)] = data

    def idle(self, text: str) -> None:
        """What the mark says from now on where nothing of a plugin's is at work."""
        self._idle = _as_mark(text)
        self.mark("")

    def _write(self, kind: bytes, payload: bytes) -> None:
        view = memoryview(kind + _LENGTH.pack(len(payload)) + payload)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self, error: BaseException | None) -> None:
        """Say that the job is over, and what it raised."""
        if error is None:
            self._write(_END, b"")
        else:
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._write(_RAISED, text.encode("utf-8", "replace"))


class Child:
    """A job in a process of its own. Leaving the ``with`` block ends it, and all that it started, whatever it is doing.

    ``memory`` is the address space that the job may take beyond what the process has, in bytes. Raises ``WorkerDied`` where
    the system gives no process.
    """

    # The parent's ends of all pipes: a child that kept another's would keep it from seeing that the parent is gone.
    _ours: ClassVar[set[int]] = set()

    def __init__(self, job: Callable[[Outbox], None], *, memory: int | None = None) -> None:
        self._mark, self._reader, self._orders = mmap.mmap(-1, _MARK_SIZE), -1, -1
        self._buffer = bytearray()
        self._status: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        theirs: list[int] = []
        try:
            self._reader, frames = _wide_pipe()
            theirs.append(frames)
            orders, self._orders = os.pipe()
            theirs.append(orders)
            self._pid = self._start(job, memory, frames, orders)
        except OSError as error:
            self._let_go()
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
            _run(job, Outbox(frames, self._mark, orders), memory)
        return pid

    def fileno(self) -> int:
        """For ``select``: readable where there are frames, or the child has ended."""
        return self._reader

    def order(self, data: bytes) -> None:
        """Ask for something; a child that is gone is noticed when its frames are read."""
        view = memoryview(_LENGTH.pack(len(data)) + data)
        try:
            while view:
                view = view[os.write(self._orders, view) :]
        except BrokenPipeError:
            return

    def arrived(self) -> list[bytes]:
        """The frames that are there by now; blocks until something is. For a child that has not said its last word.

        Raises ``WorkerDied`` where the child has ended, and ``WorkerJobError`` where the job raised.
        """
        if (part := self._whole()) is None:
            self._fill(None)
            part = self._whole()
        whole = []
        while part is not None:
            if part[0] != _FRAME:
                self._let_it_leave()
                raise WorkerJobError(part[1].decode("utf-8", "replace") or "the job is over")
            whole.append(part[1])
            part = self._whole() if self._buffer[:1] == _FRAME or not whole else None
        return whole

    @property
    def mark(self) -> str:
        """What the child was last at."""
        size = int.from_bytes(self._mark[:2], "big")
        return self._mark[2 : 2 + size].decode("utf-8", "replace")

    def frames(self, timeout: float | None = None) -> Iterator[bytes]:
        """Every frame, in order, until the job is over.

        Raises ``WorkerTimeout`` where the next one takes longer than ``timeout`` seconds, ``WorkerDied`` where the child
        ends without having finished, and ``WorkerJobError`` where the job raised.
        """
        while True:
            kind, payload = self._next(timeout)
            if kind == _FRAME:
                yield payload
                continue
            self._let_it_leave()
            if kind == _END:
                return
            raise WorkerJobError(payload.decode("utf-8", "replace"))

    def _let_it_leave(self) -> None:
        """Wait for the end of a child that has said its last word: it may still be writing files of its own."""
        _is_readable(self._reader, _GRACE)

    def _next(self, timeout: float | None) -> tuple[bytes, bytes]:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (part := self._whole()) is None:
            self._fill(deadline)
        return part

    def _whole(self) -> tuple[bytes, bytes] | None:
        """Kind and payload of the first frame, where it is here whole."""
        head = 1 + _LENGTH.size
        if len(self._buffer) < head:
            return None
        end = head + _LENGTH.unpack_from(self._buffer, 1)[0]
        if len(self._buffer) < end:
            return None
        kind, payload = bytes(self._buffer[:1]), bytes(self._buffer[head:end])
        del self._buffer[:end]
        return kind, payload

    def _fill(self, deadline: float | None) -> None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not _is_readable(self._reader, left):
            raise WorkerTimeout("did not finish within its time limit")
        data = os.read(self._reader, _PIPE_READ)
        if not data:
            raise WorkerDied(_how_it_ended(self._end()))
        self._buffer += data

    def _end(self) -> int:
        """Kill the child and all that it started; a child that ended by itself keeps the status that it ended with."""
        if self._status is None:
            try:
                os.killpg(self._pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # it leads no group yet, or (macOS) is a zombie already
                os.kill(self._pid, signal.SIGKILL)
            self._status = os.waitpid(self._pid, 0)[1]
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
        self._let_go()

    def _let_go(self) -> None:
        """Close what this side holds."""
        ours = {self._reader, self._orders} - {-1}
        Child._ours -= ours
        for descriptor in ours:
            os.close(descriptor)
        self._mark.close()


class Fresh(Child):
    """A child that is started afresh: for a parent with threads. What the job is made of must be picklable.

    Raises ``WorkerDied`` from its first frame where the job cannot be had there.
    """

    def __init__(self, job: Callable[[Outbox], None], *, memory: int | None = None) -> None:
        import pickle

        order = pickle.dumps((job, memory))
        super().__init__(job, memory=memory)
        self.order(order)

    def _start(self, job: Callable[[Outbox], None], memory: int | None, frames: int, orders: int) -> int:  # noqa: ARG002 - both come as the first order
        import subprocess
        import tempfile

        with tempfile.TemporaryFile() as shared:
            shared.truncate(_MARK_SIZE)
            self._mark.close()
            self._mark = mmap.mmap(shared.fileno(), _MARK_SIZE)
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
    """The whole life of a child that was started afresh; its first order is the job."""
    import pickle

    outbox = Outbox(frames, mmap.mmap(shared, _MARK_SIZE), orders)
    job, memory = pickle.loads(outbox.order() or b"")  # noqa: S301 - from the parent, through a pipe of its own
    _run(job, outbox, memory)


def _wide_pipe() -> tuple[int, int]:
    """A pipe that holds many frames, where the system lets it."""
    reader, writer = os.pipe()
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # above what this user may have: the usual size does as well
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, _PIPE_READ)
    return reader, writer


def _is_readable(descriptor: int, timeout: float | None) -> bool:
    """Wait until there is something to read, or the other side is gone; False where ``timeout`` seconds pass before.

    ``select`` refuses descriptors from 1,024 on, which a process that holds many files has; not every system has ``poll``.
    """
    if not hasattr(select, "poll"):
        return bool(select.select([descriptor], [], [], timeout)[0])
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(None if timeout is None else int(min(timeout * 1000 + 1, _MOST_POLLED))))


def _as_mark(text: str) -> bytes:
    data = text.encode("utf-8", "replace")[: _MARK_SIZE - 2]
    return len(data).to_bytes(2, "big") + data


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    """So many bytes; None where the other side is gone."""
    data = bytearray()
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            return None
        data += more
    return bytes(data)


def call(job: Callable[[], bytes], *, timeout: float) -> bytes:
    """Run ``job`` in a child and give back what it returns.

    Raises ``WorkerTimeout`` after ``timeout`` seconds, ``WorkerDied`` where the child ended by itself, and
    ``WorkerJobError`` with the text ``TypeName: message`` where the job raised.
    """
    with Child(lambda outbox: outbox.send(job())) as child:
        (answer,) = child.frames(timeout)
    return answer


def _run(job: Callable[[Outbox], None], outbox: Outbox, memory: int | None) -> None:
    """The child's whole life; it never returns into the parent's code."""
    try:
        gc.freeze()  # to look for cycles in what both share would copy it all
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(2, 1)
        if memory is not None:
            _limit_memory(memory)
        error: BaseException | None = None
        try:
            job(outbox)
        except BaseException as raised:  # noqa: BLE001 - told to the parent, whatever it is
            error = raised
        outbox.close(error)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _limit_memory(extra: int) -> None:
    import resource

    in_use = 0
    if os.path.exists("/proc/self/statm"):  # noqa: PTH110 - pathlib is not worth its import here
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - as above
            in_use = int(file.read().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = in_use + extra
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by signal {number} ({signal.Signals(number).name})"
    return f"ended the process with exit code {os.WEXITSTATUS(status)}"
