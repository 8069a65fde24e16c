"""Loops in an SQLite file, the default: safe among threads and processes of one machine."""

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sentinel_core.errors import StoreError
from sentinel_core.guardrails.idle import Idle
from sentinel_core.guardrails.sql import Cursor, SqlStore
from sentinel_core.runtime.state_files import make_folder, refuse_detours

__all__ = ["SqliteStore"]

_PATIENCE = 30.0
_PAUSE = 0.01
_Result = TypeVar("_Result")


class SqliteStore(SqlStore):
    """One file (mode 0600) in a folder that is created with mode 0700.

    A change waits up to 30 seconds for another writer, and is on disk when ``save`` returns. Raises ``StoreError`` if the file
    cannot be opened, is not a store, has a newer version, or was replaced since, because a new file has no attempts.
    """

    mark = "?"
    serial = "INTEGER PRIMARY KEY AUTOINCREMENT"
    taken = (sqlite3.IntegrityError,)
    absent = (
        sqlite3.OperationalError,
    )  # also raised for a locked or unreadable file; the next statement then fails too

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.place = str(path)
        self._path = path
        self._idle: Idle[sqlite3.Connection] = Idle()
        self._refused = ""
        self.again(lambda: refuse_detours(path))
        if create:
            self._make_file()
        elif not path.is_file():
            raise StoreError(
                f'there is no store "{path}" yet: "sentinel run" and "sentinel serve" create one; choose another store with --store'
            )
        self._file = self.again(self._found)
        self.again(self.prepare)
        self._refused = "; no rerun is granted"

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Cursor]:
        """See ``SqlStore``. If the block raises, the connection is closed, which rolls back."""
        connection = self._connection()
        try:
            if write:
                connection.execute("BEGIN IMMEDIATE")
            yield connection.cursor()
            if write:
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        self._idle.give(connection)

    def again(self, job: Callable[[], _Result]) -> _Result:
        """Run the job. Turns SQLite's errors into a ``StoreError`` that names the file."""
        try:
            return job()
        except (sqlite3.Error, OSError) as error:
            why = getattr(error, "strerror", None) or error
            raise StoreError(f'store "{self.place}" cannot be used: {why}{self._refused}') from error

    def close(self) -> None:
        """Close idle connections."""
        self._idle.close()

    def _make_file(self) -> None:
        try:
            make_folder(self._path.parent)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise StoreError(f'store "{self.place}" cannot be opened: {error.strerror}') from None

    def _found(self) -> tuple[int, int]:
        """The file's identity: SQLite keeps using a file that was moved or deleted, and others would create a new one."""
        there = self._path.stat()
        return there.st_dev, there.st_ino

    def _connection(self) -> sqlite3.Connection:
        if self._found() != self._file:
            raise OSError(errno.ESTALE, "it was replaced by another file; restart Sentinel to use the new file")
        if (free := self._idle.take()) is not None:
            return free
        connection = sqlite3.connect(
            self._address(), uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            _set_up(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _address(self) -> str:
        """A store in a read-only folder is opened as immutable, because SQLite would create files beside it."""
        address, log = self._path.absolute().as_uri(), self._path.with_name(f"{self._path.name}-wal")
        may_write = log.exists() or os.access(self._path.parent, os.W_OK)
        return f"{address}?{'mode=rw' if may_write else 'immutable=1'}"


def _set_up(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log. Retries, because SQLite does not wait while another process switches the same file."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return
