"""Reads JSON files, writes files atomically, and locks folders."""

import codecs
import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sentinel_core.errors import InputError
from sentinel_core.runtime.state_files import refuse_detours
from sentinel_core.trace import from_json

__all__ = ["create", "json_file", "json_object", "locked", "read_bytes", "replace"]


@contextlib.contextmanager
def locked(folder: Path, name: str = "") -> Iterator[None]:
    """Create the folder (0700) if it is missing, and lock it, or one name in it; other processes wait.

    The lock is released when the process ends, even if it is killed. Raises ``OSError``.
    """
    import fcntl  # not on Windows, where these tools can still be listed

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
    """Write a new file (0600); False if its name is taken. Raises ``OSError``."""
    with _written(path.parent, data) as whole:
        try:
            os.link(whole, path)
        except FileExistsError:
            return False
    _sync(path.parent)
    return True


def replace(path: Path, data: bytes) -> None:
    """Write a file (0600), or replace it. Raises ``OSError``."""
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


def read_bytes(path: Path, max_bytes: int, flag: str) -> bytes:
    """A file's bytes, at most one more than ``max_bytes``. Raises ``InputError`` with the flag that sets the path."""
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1)
    except OSError as error:
        raise InputError(f'"{os.fspath(path)}" cannot be read: {error.strerror}; {flag} sets the path') from error


def json_file(path: Path, max_bytes: int, flag: str) -> dict[str, Any]:
    """The JSON object in a file. Raises ``InputError`` with the file's name."""
    return json_object(read_bytes(path, max_bytes, flag), os.fspath(path), max_bytes)


def json_object(data: bytes, place: str, max_bytes: int) -> dict[str, Any]:
    """The JSON object in ``data``, after any byte order mark. Raises ``InputError`` with ``place``."""
    if len(data) > max_bytes:
        raise InputError(f'"{place}" is larger than {max_bytes} bytes; raise "max_bytes" if that size is expected')
    try:
        value = from_json(data.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        raise InputError(f'"{place}" is not JSON: {error}; correct its content') from error
    if not isinstance(value, dict):
        raise InputError(f'"{place}" must contain a JSON object at the top level ($), not {_KIND[type(value)]}')
    return value


_KIND = {
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
