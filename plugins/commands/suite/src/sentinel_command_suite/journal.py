"""Finished trials of a run, written to disk at once, so that an interrupted run can be resumed."""

import errno
import fcntl
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import attrs
import msgspec

from sentinel_command_suite.cassette import Exchange
from sentinel_command_suite.results import TrialResult
from sentinel_core import Capabilities
from sentinel_core.errors import InputError
from sentinel_core.runtime.redact import redact_json
from sentinel_core.runtime.state_files import make_folder, refuse_detours

__all__ = ["Done", "Journal"]

_NO_LOCKS = frozenset((errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP))  # of some network file systems


@attrs.frozen(kw_only=True)
class Done:
    """A finished trial, and what is needed to put it on a cassette."""

    result: TrialResult
    capabilities: Capabilities | None = None
    exchanges: tuple[Exchange, ...] = ()

    def to_json(self) -> bytes:
        """One line, with secrets taken out."""
        return redact_json(msgspec.json.encode(self))


class Journal:
    """A file of lines: a head that identifies the run, then one line for each finished trial.

    Each line is written and synced at once. A truncated last line is ignored, and the next one overwrites it. Nothing is
    written before ``begin``, so that a run that cannot start leaves the previous one's journal alone. The file is locked
    from the start, or once it exists, so that a second run in the same folder is refused; some network file systems have
    no locks. The lock ends with this process, even if workers outlive it.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], *, resume: bool) -> None:
        """Raises ``InputError`` if there is nothing to resume, or a different run; ``OSError`` for the disk."""
        self._path = path
        self._begun = False
        self._file = _locked(path)
        try:
            self._read(msgspec.json.encode(head, order="sorted") + b"\n", head, resume=resume)
        except BaseException:
            self._close()
            raise

    def _read(self, first: bytes, head: Mapping[str, Any], *, resume: bool) -> None:
        if resume and self._file is None:
            raise InputError(f'there is no run to resume in "{self._path.parent}"; start again without --resume')
        lines = _whole_lines(_all_of(self._file)) if resume and self._file is not None else []
        if lines and lines[0] + b"\n" != first:
            raise InputError(
                f'the run in "{self._path.parent}" differs from this run ({_difference(lines[0], head)}); start again without --resume'
            )
        self.done = [_done(line, number, self._path) for number, line in enumerate(lines[1:], 2)]
        self._head = b"" if lines else first
        self._kept = sum(len(line) + 1 for line in lines)

    def begin(self) -> None:
        """Open the file for this run, once, without lines of another run. Raises ``InputError``, ``OSError``."""
        if self._begun:
            return
        if self._file is None:
            make_folder(self._path.parent)
            self._file = _locked(self._path, os.O_CREAT)
        assert self._file is not None, "made"
        os.ftruncate(self._file, self._kept)
        _write(self._file, self._head)
        self._begun = True

    def add(self, done: Done) -> None:
        """Add a finished trial, after ``begin``. Raises ``OSError``."""
        assert self._file is not None, "begun"
        _write(self._file, done.to_json() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def _locked(path: Path, flags: int = 0) -> int | None:
    """The file, open for adding lines; None if there is none. Raises ``InputError`` if another process has locked it."""
    refuse_detours(path)
    try:
        file = os.open(path, os.O_RDWR | os.O_APPEND | flags, 0o600)
    except FileNotFoundError:
        return None
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return file
        os.close(file)
        if error.errno in (errno.EACCES, errno.EAGAIN):
            raise InputError(
                f'another "sentinel suite run" is writing "{path}"; wait for it, stop it, or give this run its own --dir'
            ) from None
        raise
    return file


def _all_of(file: int) -> bytes:
    """The content of an open file, which stays open: closing any descriptor of it would release the lock."""
    with os.fdopen(file, "rb", closefd=False) as stream:
        return stream.read()


def _write(file: int, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _done(line: bytes, number: int, path: Path) -> Done:
    try:
        return msgspec.json.decode(line, type=Done)
    except msgspec.MsgspecError as error:
        problem = str(error).replace("`", "")
        raise InputError(
            f'line {number} of journal "{path}" is damaged ({problem}); start again without --resume'
        ) from None


def _whole_lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def _difference(line: bytes, head: Mapping[str, Any]) -> str:
    """The first difference between the two heads, in words."""
    try:
        before = msgspec.json.decode(line, type=dict[str, Any])
        now = msgspec.json.decode(msgspec.json.encode(head), type=dict[str, Any])
    except msgspec.MsgspecError:
        return "its journal is damaged"
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            return f'its {key} was "{str(before.get(key))[:60]}" and is now "{str(now.get(key))[:60]}"'
    return "its journal has a different format"
