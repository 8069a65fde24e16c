"""Loops in a PostgreSQL database, for services on several machines (the ``postgres`` extra)."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from sentinel_core.errors import StoreError
from sentinel_core.guardrails.idle import Idle
from sentinel_core.guardrails.sql import Cursor, SqlStore
from sentinel_core.runtime.redact import redact

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresStore"]

_PATIENCE = 20.0
_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
_LOCK = 0x53454E54
_AUDIT = _LOCK + 1
_Result = TypeVar("_Result")


class PostgresStore(SqlStore):
    """A database by its address. Names of tables begin with ``sentinel_``.

    After a lost connection the work is repeated on a new one for up to 20 seconds: reads are harmless, and a change that was
    committed after all fails the version check. Raises ``StoreError`` if the database cannot be used.
    """

    mark = "%s"
    serial = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"

    def __init__(self, address: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise StoreError("PostgreSQL needs psycopg: pip install 'reliability-sentinel[postgres]'") from None
        self.place = redact(address)
        self.taken = (psycopg.errors.UniqueViolation,)
        self.absent = (psycopg.errors.UndefinedTable,)
        self._address = address
        self._lost = (psycopg.OperationalError, psycopg.InterfaceError)
        self._error = psycopg.Error
        self._connect: Callable[..., psycopg.Connection[Any]] = psycopg.connect
        self._idle: Idle[psycopg.Connection[Any]] = Idle()
        self._patience, self._refused = 0.0, ""  # a wrong address or password is reported at once
        self.again(self.prepare)
        self._patience, self._refused = _PATIENCE, "; no rerun is granted"

    def lock(self, cursor: Cursor) -> None:
        """Let only one of several services that start together create the tables."""
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))

    def take_turn(self, cursor: Cursor) -> None:
        """Row ids are assigned before a commit makes them visible, so the next one waits for this commit."""
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (_AUDIT,))

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Cursor]:
        """See ``SqlStore``. If the block raises, the connection is closed, which rolls back."""
        connection = self._connection()
        try:
            with connection.cursor() as cursor:
                if write:
                    cursor.execute("BEGIN")
                yield cursor
                if write:
                    cursor.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        self._idle.give(connection)

    def again(self, job: Callable[[], _Result]) -> _Result:
        """Run the job, again after a lost connection until the patience ends. Turns driver errors into ``StoreError``."""
        deadline, pause = time.monotonic() + self._patience, _PAUSE
        while True:
            try:
                return job()
            except self._lost as error:
                if time.monotonic() + pause > deadline:
                    raise self._unusable(error) from error
                self._forget()
            except self._error as error:
                raise self._unusable(error) from error
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close idle connections."""
        self._forget()

    def _unusable(self, error: Exception) -> StoreError:
        text = redact(" ".join(str(error).split()))[:300]
        return StoreError(f'store "{self.place}" cannot be used: {text}{self._refused}')

    def _forget(self) -> None:
        self._idle.close()

    def _connection(self) -> "psycopg.Connection[Any]":
        return self._idle.take() or self._connect(self._address, autocommit=True, connect_timeout=5)
