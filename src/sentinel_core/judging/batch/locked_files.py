"""Files of a batch: locking, syncing, and atomic writes."""

import os
import time
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.runtime import state_files as state

__all__ = ["leads_to", "lock", "to_disk", "write_whole"]


# A batch that was killed leaves children, which share its lock until they notice: on a busy machine that takes a while.
_WAITED = 3.0  # seconds
_BETWEEN_LOOKS = 0.05


def lock(descriptor: int, path: Path) -> None:
    """Lock an output against other batches. Raises ``InputError`` if one has it, and keeps it."""
    until = time.monotonic() + _WAITED
    while not _is_locked(descriptor):
        if time.monotonic() >= until:
            raise InputError(f'"{path}" is being written by another batch; wait for it, or stop it')
        time.sleep(_BETWEEN_LOOKS)


def _is_locked(descriptor: int) -> bool:
    """Where the system has no such locks (Windows), nothing keeps a second batch out."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def leads_to(path: Path, descriptor: int) -> bool:
    """False if the file was renamed or removed after it was opened and before it was locked."""
    return path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor))


def to_disk(path: Path) -> None:
    """Sync a file to disk, so that it survives a crash of the machine."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def write_whole(path: Path, data: bytes) -> None:
    """Like ``state.write_whole``, for the holder of the output's lock."""
    state.write_whole(path, data, temporary=f".{path.name}.new")
