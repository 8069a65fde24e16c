"""Loops in an SQL database: tables, migrations and every statement, for both SQLite and PostgreSQL.

A read is one statement, so it sees a consistent state. A change is one transaction that first raises the family's version from
the one that the change was computed for; if no row has that version, another writer was faster and nothing is written.
"""

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

import msgspec

from sentinel_core.errors import StoreError
from sentinel_core.guardrails.facts import Override
from sentinel_core.guardrails.family import AuditRow, Change, Family, Loop

__all__ = ["NEWEST", "Cursor", "SqlStore"]

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE sentinel_families (
            root VARCHAR(128) PRIMARY KEY, version INTEGER NOT NULL, audit_rows INTEGER NOT NULL, head CHAR(64) NOT NULL
        )""",
        """CREATE TABLE sentinel_attempts (
            loop_id VARCHAR(128) PRIMARY KEY, root VARCHAR(128) NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
            UNIQUE (root, number)
        )""",
        """CREATE TABLE sentinel_overrides (
            root VARCHAR(128) NOT NULL, override_id VARCHAR(128) NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (root, override_id)
        )""",
        """CREATE TABLE sentinel_audit (
            row_id {serial}, root VARCHAR(128) NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
            digest CHAR(64) NOT NULL, UNIQUE (root, number)
        )""",
    ),
    (
        """CREATE TABLE sentinel_tags (
            tag VARCHAR(64) NOT NULL, loop_id VARCHAR(128) NOT NULL, root VARCHAR(128) NOT NULL,
            PRIMARY KEY (tag, loop_id)
        )""",
    ),
)
_FAMILY, _LOOP, _OVERRIDE = 0, 1, 2
_LOAD = """
    SELECT 0, root, version, audit_rows, head FROM sentinel_families {where}
    UNION ALL SELECT 1, root, number, 0, body FROM sentinel_attempts {where}
    UNION ALL SELECT 2, root, 0, 0, body FROM sentinel_overrides {where}
"""
_OF_EACH = 3  # how often the loop id is a parameter of _LOAD
_OF_LOOP = "WHERE root = (SELECT root FROM sentinel_attempts WHERE loop_id = ?)"
_TAGS = "SELECT tag, COUNT(*) FROM sentinel_tags WHERE root <> ? AND tag IN ({marks}) GROUP BY tag ORDER BY tag"
_AUDIT = "SELECT row_id, root, number, body, digest FROM sentinel_audit WHERE row_id > ?{where} ORDER BY row_id LIMIT ?"
NEWEST = len(_MIGRATIONS)
_NO_LIMIT = 1 << 62
_encode = msgspec.json.Encoder().encode
_Result = TypeVar("_Result")


class Cursor(Protocol):
    """The interface that both drivers share."""

    @property
    def rowcount(self) -> int:
        """The number of rows that the last statement changed."""

    def execute(self, query: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run one statement."""

    def fetchall(self) -> list[Any]:
        """All rows of the last statement."""


class SqlStore(abc.ABC):
    """A store on top of ``transaction(write)``, a context manager with a cursor.

    A subclass sets the parameter mark, the declaration of a serial column, the errors that mean a duplicate key (``taken``),
    and those that mean a missing table (``absent``). ``again`` repeats an idempotent job after a lost connection.
    """

    mark: str
    serial: str
    taken: tuple[type[Exception], ...]
    absent: tuple[type[Exception], ...]
    place: str

    @abc.abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Cursor]:
        """A cursor; with ``write`` in a transaction, committed at the end and rolled back if the block raises."""

    @abc.abstractmethod
    def again(self, job: Callable[[], _Result]) -> _Result:
        """Run a job that is safe to repeat."""

    def lock(self, cursor: Cursor) -> None:  # noqa: B027 - most stores have nothing to do
        """Lock out other creators of the tables until the transaction ends, if the database needs that."""

    def take_turn(self, cursor: Cursor) -> None:  # noqa: B027 - most stores have one writer at a time
        """Lock the audit ids until the transaction ends, so that a reader who pages by id misses no late row."""

    def family_of(self, loop_id: str) -> Family | None:
        """See ``Store``."""
        return self.again(lambda: self._family_of(loop_id))

    def save(self, change: Change) -> bool:
        """See ``Store``."""
        return self.again(lambda: self._save(change))

    def families(self) -> Sequence[Family]:
        """See ``Store``."""
        return self.again(self._families)

    def tags_elsewhere(self, root: str, tags: Iterable[str]) -> Mapping[str, int]:
        """See ``Store``."""
        wanted = sorted(set(tags))
        return self.again(lambda: self._tags_elsewhere(root, wanted)) if wanted else {}

    def audit(self, root: str | None = None, *, after: int = 0, limit: int | None = None) -> Sequence[AuditRow]:
        """See ``Store``."""
        return self.again(lambda: self._audit(root, after, limit))

    def prepare(self) -> None:
        """Create the tables or migrate older ones. Raises ``StoreError`` for tables of a newer version.

        If they are current, nothing is locked or written, so a read-only store can be read.
        """
        if self._is_current():
            return
        with self.transaction(write=True) as cursor:
            self.lock(cursor)
            cursor.execute("CREATE TABLE IF NOT EXISTS sentinel_schema (version INTEGER NOT NULL)")
            for statement in [statement for step in _MIGRATIONS[self._version(cursor) :] for statement in step]:
                cursor.execute(statement.format(serial=self.serial))
            cursor.execute("DELETE FROM sentinel_schema")
            cursor.execute(self._sql("INSERT INTO sentinel_schema VALUES (?)"), (NEWEST,))

    def _is_current(self) -> bool:
        try:
            with self.transaction(write=False) as cursor:
                return self._version(cursor) == NEWEST
        except self.absent:
            return False

    def _version(self, cursor: Cursor) -> int:
        cursor.execute("SELECT version FROM sentinel_schema")
        found = cursor.fetchall()
        version: int = found[0][0] if found else 0
        if version > NEWEST:
            raise StoreError(
                f'store "{self.place}" has version {version}, but this Sentinel supports only versions up to {NEWEST}: use a newer Sentinel'
            )
        return version

    def _sql(self, text: str) -> str:
        return text.replace("?", self.mark)

    def _rows(self, cursor: Cursor, text: str, *parameters: Any) -> list[Any]:
        cursor.execute(self._sql(text), parameters)
        return cursor.fetchall()

    def _family_of(self, loop_id: str) -> Family | None:
        found = self._load(_OF_LOOP, (loop_id,) * _OF_EACH)
        return found[0] if found else None

    def _families(self) -> list[Family]:
        return sorted(self._load("", ()), key=lambda family: family.root)

    def _load(self, where: str, given: Sequence[str]) -> list[Family]:
        with self.transaction(write=False) as cursor:
            found = self._rows(cursor, _LOAD.format(where=where), *given)
        loops: dict[str, list[Loop]] = {}
        overrides: dict[str, list[Override]] = {}
        for kind, root, _, _, body in found:
            if kind == _LOOP:
                loops.setdefault(root, []).append(self._decoded(body, Loop))
            elif kind == _OVERRIDE:
                overrides.setdefault(root, []).append(self._decoded(body, Override))
        return [
            Family(
                root=root,
                version=version,
                rows=rows,
                head=head,
                loops=tuple(sorted(loops.get(root, ()), key=lambda loop: loop.number)),
                overrides=tuple(sorted(overrides.get(root, ()), key=lambda override: int(override.override_id))),
            )
            for kind, root, version, rows, head in found
            if kind == _FAMILY
        ]

    def _decoded(self, body: str, kind: type[_Result]) -> _Result:
        try:
            return msgspec.json.decode(body, type=kind)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f'store "{self.place}" contains a {kind.__name__.lower()} that cannot be read: {error}'
            ) from None

    def _save(self, change: Change) -> bool:
        try:
            with self.transaction(write=True) as cursor:
                if not self._moved(cursor, change):
                    return False
                self._write(cursor, change)
        except self.taken:
            return False
        return True

    def _moved(self, cursor: Cursor, change: Change) -> bool:
        after = change.family
        if change.before == 0:
            text = "INSERT INTO sentinel_families (version, audit_rows, head, root) VALUES (?, ?, ?, ?)"
        else:
            text = "UPDATE sentinel_families SET version = ?, audit_rows = ?, head = ? WHERE root = ? AND version = ?"
        values = (after.version, after.rows, after.head, after.root)
        cursor.execute(self._sql(text), values if change.before == 0 else (*values, change.before))
        return cursor.rowcount == 1

    def _write(self, cursor: Cursor, change: Change) -> None:
        root, row = change.family.root, change.row
        update_loop = self._sql("UPDATE sentinel_attempts SET body = ? WHERE loop_id = ? AND root = ?")
        insert_loop = self._sql("INSERT INTO sentinel_attempts (body, loop_id, root, number) VALUES (?, ?, ?, ?)")
        insert_override = self._sql(
            "INSERT INTO sentinel_overrides (root, override_id, body) VALUES (?, ?, ?)"
            " ON CONFLICT (root, override_id) DO UPDATE SET body = excluded.body"
        )
        insert_tag = self._sql(
            "INSERT INTO sentinel_tags (tag, loop_id, root) VALUES (?, ?, ?) ON CONFLICT (tag, loop_id) DO NOTHING"
        )
        for loop in change.loops:
            values = (_encode(loop).decode(), loop.loop_id, root)
            cursor.execute(update_loop, values)
            if cursor.rowcount == 0:
                cursor.execute(insert_loop, (*values, loop.number))
            for tag in sorted(set(loop.reflection.bias_tags)) if loop.reflection is not None else ():
                cursor.execute(insert_tag, (tag, loop.loop_id, root))
        for override in change.overrides:
            cursor.execute(insert_override, (root, override.override_id, _encode(override).decode()))
        self.take_turn(cursor)
        cursor.execute(
            self._sql("INSERT INTO sentinel_audit (root, number, body, digest) VALUES (?, ?, ?, ?)"),
            (row.root, row.number, row.body, row.digest),
        )

    def _tags_elsewhere(self, root: str, tags: Sequence[str]) -> dict[str, int]:
        marks = ", ".join("?" * len(tags))
        with self.transaction(write=False) as cursor:
            return dict(self._rows(cursor, _TAGS.format(marks=marks), root, *tags))

    def _audit(self, root: str | None, after: int, limit: int | None) -> list[AuditRow]:
        where, given = ("", [after]) if root is None else (" AND root = ?", [after, root])
        with self.transaction(write=False) as cursor:
            found = self._rows(cursor, _AUDIT.format(where=where), *given, _NO_LIMIT if limit is None else limit)
        return [
            AuditRow(row_id=row_id, root=its, number=number, body=body, digest=digest)
            for row_id, its, number, body, digest in found
        ]
