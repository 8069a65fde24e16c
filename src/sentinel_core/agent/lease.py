"""Who works on a run: a lock that the system takes back when the process ends, however it ends."""

import errno
import fcntl
import hashlib
import os
import time
from pathlib import Path

__all__ = ["Leases"]

_INSTANT = 0.1  # seconds


class Leases:
    """POSIX record locks on one file, a byte for each run, the place being a digest of its id.

    A forked child does not have its parent's locks, so a tool that outlives its agent holds no run. The file must be
    opened once in a process: closing it anywhere gives back every lock.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._mine: set[str] = set()

    def take(self, run_id: str) -> bool:
        """Hold the run; False where another process does. Raises ``OSError`` where locks cannot be had."""
        if not self._lock(run_id):
            return False
        self._mine.add(run_id)
        return True

    def is_held(self, run_id: str) -> bool:
        """Whether another process holds the run."""
        if run_id in self._mine:
            return False
        if not self._lock(run_id):
            return True
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, _place(run_id))
        return False

    def close(self) -> None:
        """Let go of all."""
        os.close(self._descriptor)

    def _lock(self, run_id: str) -> bool:
        """Lock the run's byte. Whoever only looks at it holds it for an instant, so it is tried a little longer than that."""
        until = time.monotonic() + _INSTANT
        while not self._lock_now(run_id):
            if time.monotonic() > until:
                return False
            time.sleep(_INSTANT / 20)
        return True

    def _lock_now(self, run_id: str) -> bool:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(run_id))
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise
        return True


def _place(run_id: str) -> int:
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:7], "big")
