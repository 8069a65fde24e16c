"""Children where the system cannot fork (Windows): a new interpreter, reached through its standard input and output.

Such pipes cannot be waited for together, so a thread reads each. What runs here was pickled, and there is no limit on memory.
"""

import mmap
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

from sentinel_core.errors import WorkerDied
from sentinel_core.runtime.child import Child, run_child
from sentinel_core.runtime.outbox import LENGTH, MARK_SIZE, Outbox

__all__ = ["Spawned", "heard_from", "run_spawned"]

_PIECE = 1 << 16
_MOST_WAITING = 256  # pieces in memory; the thread then waits, and with it the child
_TO_END = 1.0  # seconds to end by itself, once its output is closed
_CODE = (
    "import sys; sys.path[:] = {path!r}; from sentinel_core.runtime.spawned import run_spawned; run_spawned({mark!r})"
)


class Spawned(Child):
    """A child in a new interpreter, without descriptors of its own."""

    _news: ClassVar[threading.Condition] = threading.Condition()
    _process: "subprocess.Popen[bytes]"

    def _open(self, job: Callable[[Outbox], None], memory: int | None) -> None:
        try:
            order = pickle.dumps((job, memory))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise WorkerDied(
                f"could not be started, because this system cannot fork, and {error}: use Linux, macOS or WSL"
            ) from error
        handle, name = tempfile.mkstemp(prefix="sentinel-mark-")
        self._mark_file = Path(name)
        os.ftruncate(handle, MARK_SIZE)
        self._mark = mmap.mmap(handle, MARK_SIZE)
        os.close(handle)
        self._pieces: deque[bytes] = deque()
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, this module
            [sys.executable, "-P", "-c", _CODE.format(path=sys.path, mark=name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()
        self._give(order)

    def _listen(self, stream: IO[bytes]) -> None:
        while True:
            data = os.read(stream.fileno(), _PIECE)
            with self._news:
                self._pieces.append(data)
                self._news.notify_all()
                if not data:
                    return
                self._news.wait_for(lambda: len(self._pieces) < _MOST_WAITING)

    @property
    def has_news(self) -> bool:
        """Whether there is data, or the child can send no more."""
        return bool(self._pieces)

    def is_readable(self, timeout: float | None) -> bool:
        """As ``Child.is_readable``."""
        return bool(heard_from([self], timeout))

    def _read(self) -> bytes:
        with self._news:
            self._news.wait_for(lambda: self._pieces)
            data = self._pieces[0]
            if data:  # an end stays, to be seen again
                self._pieces.popleft()
                self._news.notify_all()
        return data

    def _give(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
        except OSError:  # it has ended, which is noticed when its frames are read
            return

    def want_no_more(self) -> None:
        """As ``Child.want_no_more``."""
        self._due += 1
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _end(self) -> int:
        if self._status is None:
            try:
                self._status = self._process.wait(_TO_END if self._pieces and not self._pieces[-1] else 0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._status = self._process.wait()
        return self._status

    def _release(self) -> None:
        with self._news:
            self._pieces.clear()
            self._news.notify_all()
        self._mark.close()
        self._mark_file.unlink(missing_ok=True)


def heard_from(children: Sequence[Child], timeout: float | None) -> list[Child]:
    """The children with data, or that have ended; none if ``timeout`` seconds pass first."""
    spawned = [child for child in children if isinstance(child, Spawned)]
    with Spawned._news:  # noqa: SLF001 - a class of this module
        Spawned._news.wait_for(lambda: any(child.has_news for child in spawned), timeout)  # noqa: SLF001 - as above
        return [child for child in spawned if child.has_news]


def run_spawned(mark: str) -> None:
    """The whole life of such a child; its first order is the job."""
    frames, orders = os.dup(1), os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (frames, orders):
            msvcrt.setmode(descriptor, os.O_BINARY)
    with Path(mark).open("r+b") as shared:
        memory: Any = mmap.mmap(shared.fileno(), MARK_SIZE)
    outbox = Outbox(frames, memory, orders)
    job, limit = outbox.order()
    run_child(job, outbox, limit)
