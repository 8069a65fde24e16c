"""Files that appear whole or not at all, and one process at a time in a folder."""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sentinel_core.runtime.state_files import refuse_detours

__all__ = ["create", "locked", "replace"]


@contextlib.contextmanager
def locked(folder: Path, name: str = "") -> Iterator[None]:
    """Make the folder (0700) where it is missing, and hold it, or one name in it, until the end; another process waits.

    The lock goes with the process that holds it, however that ends. Raises ``OSError``.
    """
    lock = folder / f"{name}.lock"
    refuse_detours(lock)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def create(path: Path, data: bytes) -> bool:
    """Write a new file (0600); False where its name is taken. Raises ``OSError``."""
    with _written(path.parent, data) as whole:
        try:
            os.link(whole, path)
        except FileExistsError:
            return False
    _sync(path.parent)
    return True


def replace(path: Path, data: bytes) -> None:
    """Write a file (0600), new or instead of the one that is there. Raises ``OSError``."""
    with _written(path.parent, data) as whole:
        Path(whole).replace(path)
    _sync(path.parent)


@contextlib.contextmanager
def _written(folder: Path, data: bytes) -> Iterator[str]:
    descriptor, name = tempfile.mkstemp(prefix=".new-", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        Path(name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
