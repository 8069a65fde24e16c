"""Locks that show which process holds a run; the system releases them when the process ends, however it ends."""

import errno
import fcntl
import hashlib
import os
import time
from pathlib import Path

__all__ = ["Leases"]

_INSTANT = 0.1  # seconds


class Leases:
    """POSIX record locks on one file, one byte per run at an offset derived from its id.

    A forked child does not inherit locks, so a tool that outlives its agent holds no run. A process must open the file only
    once: closing any descriptor of it releases every lock.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._mine: set[str] = set()

    def take(self, run_id: str) -> bool:
        """Hold the run; False if another process does. Raises ``OSError`` if the file system has no locks."""
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
        """Release every run."""
        os.close(self._descriptor)

    def _lock(self, run_id: str) -> bool:
        """Lock the run's byte. Retries for ``_INSTANT``, because ``is_held`` in another process locks it for a moment."""
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
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:7], "big")  # a file offset has 63 bits
