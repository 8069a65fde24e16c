"""The journal: every event of every run, on disk before it is acted on, in one SQLite file.

Each event is one synced transaction, so that neither a killed process nor a crashed machine loses it. A run belongs to one
process at a time: the process holds a lock, which ends with it, and a number, the fence, which each new holder raises; a
write with an older number is refused.
"""

import contextlib
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import attrs
import msgspec

from sentinel_agent.events import AttemptFinished, Event, RunStarted
from sentinel_agent.lease import Leases
from sentinel_core.errors import JournalError, RunHeldError
from sentinel_core.runtime.state_files import make_folder, refuse_detours

__all__ = ["Journal", "JournalObserver", "Run", "Writer", "decode_event", "encode_event", "end_with_parent", "event_of"]

VERSION = 1
_TABLES = (
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY,
        release_id TEXT NOT NULL,
        started_at TEXT NOT NULL,
        fence INTEGER NOT NULL,
        holder INTEGER NOT NULL,
        flags TEXT NOT NULL,
        fingerprint TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE events (
        run_id TEXT NOT NULL REFERENCES runs (run_id),
        sequence INTEGER NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (run_id, sequence)
    ) STRICT, WITHOUT ROWID
    """,
)


@attrs.frozen(kw_only=True)
class Run:
    """A run in the journal. ``flags`` are the user's settings for it, ``fingerprint`` what a resumed run must share."""

    run_id: str
    release_id: str
    started_at: str
    flags: dict[str, Any]
    fingerprint: dict[str, Any]
    events: tuple[Event, ...] = ()


class Journal:
    """The journal in a folder, ``journal.db``, created if missing, with access for its owner only."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "journal.db"
        with _journal_errors(self.path), contextlib.ExitStack() as refused:
            leases = directory / "journal.lock"
            for path in (self.path, leases):
                refuse_detours(path)
            make_folder(directory)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._leases = refused.enter_context(contextlib.closing(Leases(leases)))
            self._db = sqlite3.connect(self.path, timeout=10.0, isolation_level=None)
            refused.callback(self._db.close)
            self._prepare()
            self._db.execute("PRAGMA journal_mode = WAL")
            refused.pop_all()  # no error: both stay open

    def begin(self, run: Run) -> "Writer":
        """Add a new run with its first events, and hold it. Raises ``JournalError``."""
        self._take(run.run_id)
        row = (run.run_id, run.release_id, run.started_at, 1, os.getpid(), _json(run.flags), _json(run.fingerprint))
        with self._transaction():
            self._db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            self._add(run.run_id, run.events)
        return Writer(self, run.run_id, 1)

    def resume(self, run_id: str) -> "tuple[Run, Writer]":
        """A run with its events so far, held by this process. Raises ``RunHeldError`` if another process holds it."""
        self._number("fence", run_id)
        self._take(run_id)
        with self._transaction():
            self._db.execute("UPDATE runs SET fence = fence + 1, holder = ? WHERE run_id = ?", (os.getpid(), run_id))
        return self.read(run_id), Writer(self, run_id, self._number("fence", run_id))

    def read(self, run_id: str) -> Run:
        """A run with its events. Raises ``JournalError`` if there is no such run or it cannot be read."""
        found = self._runs("WHERE run_id = ?", run_id)
        if not found:
            raise self._unknown(run_id)
        query = "SELECT sequence, event FROM events WHERE run_id = ? ORDER BY sequence"
        with _journal_errors(self.path):
            rows = self._db.execute(query, (run_id,)).fetchall()
        for place, (sequence, _) in enumerate(rows):
            if sequence != place:
                raise JournalError(f'run "{run_id}" in "{self.path}" is missing event {place} and cannot be used')
        return attrs.evolve(found[0], events=tuple(decode_event(text.encode()) for _, text in rows))

    def runs(self) -> list[Run]:
        """Every run, oldest first, without its events."""
        return self._runs("ORDER BY started_at, run_id")

    def _runs(self, which: str, *given: str) -> list[Run]:
        query = f"SELECT run_id, release_id, started_at, flags, fingerprint FROM runs {which}"  # noqa: S608 - one of two
        with _journal_errors(self.path):
            rows = self._db.execute(query, given).fetchall()
        return [
            Run(
                run_id=run_id,
                release_id=release_id,
                started_at=started_at,
                flags=msgspec.json.decode(flags),
                fingerprint=msgspec.json.decode(fingerprint),
            )
            for run_id, release_id, started_at, flags, fingerprint in rows
        ]

    def write(self, run_id: str, fence: int, events: Sequence[Event]) -> None:
        """Add events in one transaction. Raises ``RunHeldError`` if another process took the run over."""
        with self._transaction():
            if self._number("fence", run_id) != fence:
                raise RunHeldError(f'run "{run_id}" was taken over by another process; this one stops')
            self._add(run_id, events)

    def holder(self, run_id: str) -> int | None:
        """The id of the other process that holds a run; None if there is none."""
        return self._number("holder", run_id) if self._leases.is_held(run_id) else None

    def close(self) -> None:
        """Close the file and release every run."""
        self._db.close()
        self._leases.close()

    def _take(self, run_id: str) -> None:
        with _journal_errors(self.path):
            taken = self._leases.take(run_id)
        if not taken:
            raise RunHeldError(
                f'run "{run_id}" is in use by process {self._number("holder", run_id)}; wait for that process, or end it'
            )

    def _number(self, column: Literal["fence", "holder"], run_id: str) -> int:
        with _journal_errors(self.path):
            row = self._db.execute(f"SELECT {column} FROM runs WHERE run_id = ?", (run_id,)).fetchone()  # noqa: S608 - one of two names
        if row is None:
            raise self._unknown(run_id)
        return int(row[0])

    def _unknown(self, run_id: str) -> JournalError:
        return JournalError(f'there is no run "{run_id}" in "{self.path}"; "sentinel runs" lists them')

    def _add(self, run_id: str, events: Sequence[Event]) -> None:
        rows = [(run_id, event.sequence, encode_event(event).decode()) for event in events]
        self._db.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _journal_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _prepare(self) -> None:
        self._db.execute("PRAGMA synchronous = FULL")
        if self._version() == 0:
            self._db.execute("BEGIN IMMEDIATE")
            if self._version() == 0:  # no other process created the tables since
                for statement in (*_TABLES, f"PRAGMA user_version = {VERSION}"):
                    self._db.execute(statement)
            self._db.execute("COMMIT")
        if self._version() != VERSION:
            raise JournalError(
                f'"{self.path}" is a journal of version {self._version()}, but this Sentinel writes version {VERSION}; '
                "move it away, or use the Sentinel that wrote it"
            )

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])


@attrs.define(eq=False)
class Writer:
    """An observer that writes a run's events into the journal, or raises.

    The end of a successful attempt is written in one transaction with its reply, so that neither is recorded alone.
    """

    journal: Journal
    run_id: str
    fence: int
    _waiting: list[Event] = attrs.field(factory=list, init=False)

    def __call__(self, event: Event) -> None:
        """Write one event. Raises ``JournalError``, and ``RunHeldError`` if another process took the run over."""
        self._waiting.append(event)
        if isinstance(event, AttemptFinished) and event.error_type is None:
            return
        self.journal.write(self.run_id, self.fence, self._waiting)
        self._waiting.clear()


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


@contextlib.contextmanager
def _journal_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the disk into a ``JournalError`` that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise JournalError(f'the journal "{path}" cannot be used: {error}') from error
    except OSError as error:
        raise JournalError(f'the journal "{path}" cannot be used: {error.strerror}') from error


_CLASSES = {cls.__name__: cls for cls in get_args(Event)}
_KIND = "event"


def encode_event(event: Event) -> bytes:
    """The event in JSON, UTF-8, one line."""
    plain: dict[str, Any] = msgspec.to_builtins(event, enc_hook=repr)
    return msgspec.json.encode({_KIND: type(event).__name__, **plain})


def decode_event(data: bytes) -> Event:
    """The event that ``encode_event`` wrote. Raises ``JournalError`` for anything else."""
    try:
        return event_of(msgspec.json.decode(data))
    except (msgspec.DecodeError, RecursionError) as error:
        raise JournalError(f"an event in the record is not JSON: {error}") from error


def event_of(value: object) -> Event:
    """The event in a decoded JSON object. Raises ``JournalError`` for anything else."""
    kind = value.pop(_KIND, None) if isinstance(value, dict) else None
    if kind not in _CLASSES:
        raise JournalError(
            f'an event in the record has the unknown kind "{kind}"; a newer version of Sentinel may have written it'
        )
    try:
        event: Event = msgspec.convert(value, _CLASSES[kind])
    except (msgspec.ValidationError, ValueError) as error:
        raise JournalError(f"a {kind} in the record cannot be read: {error}") from error
    return event


_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@attrs.define(eq=False)
class JournalObserver:
    """Writes one run into the journal: a new one after ``prepare``, or one that broke off after ``resume``.

    Raises, and so stops the run, if its parent process is gone.
    """

    journal: Journal
    past: Sequence[Event] = ()
    fingerprint: dict[str, Any] = attrs.field(factory=dict, init=False)
    _parent: int = attrs.field(factory=os.getppid, init=False)
    _writer: Writer | None = attrs.field(default=None, init=False)
    _release_id: str = attrs.field(default="", init=False)
    _flags: dict[str, Any] = attrs.field(factory=dict, init=False)
    _on_begin: Callable[[str], None] | None = attrs.field(default=None, init=False)

    def resume(self, run_id: str) -> Run:
        """Hold a run and load it. Raises ``JournalError``, and ``RunHeldError`` if another process holds it."""
        run, self._writer = self.journal.resume(run_id)
        self.past, self.fingerprint = run.events, run.fingerprint
        return run

    def prepare(
        self, release_id: str, flags: dict[str, Any], fingerprint: dict[str, Any], on_begin: Callable[[str], None]
    ) -> None:
        """Set what is added with a new run's first event; ``on_begin`` then receives its id."""
        self._release_id, self._flags, self.fingerprint, self._on_begin = release_id, flags, fingerprint, on_begin

    def __call__(self, event: Event) -> None:
        """Write one event. Raises ``JournalError``."""
        if os.getppid() != self._parent:
            raise JournalError("the command that started this run has ended; --resume continues the run")
        if self._writer is not None:
            self._writer(event)
        elif isinstance(event, RunStarted):
            self._begin(event)

    def _begin(self, event: RunStarted) -> None:
        run = Run(
            run_id=event.run_id,
            release_id=self._release_id,
            started_at=event.at,
            flags=self._flags,
            fingerprint=self.fingerprint,
            events=(event,),
        )
        self._writer = self.journal.begin(run)
        if self._on_begin is not None:
            self._on_begin(event.run_id)


def end_with_parent() -> None:
    """On Linux, let the system kill this process when its parent ends, because nothing would read its results."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
