"""The finished trials of a run, on disk as they finish, so that a run that was cut off can go on."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import attrs
import msgspec

from sentinel_core.errors import InputError
from sentinel_core.model import Capabilities
from sentinel_core.redact import redact_json
from sentinel_core.state import make_folder, read_bytes
from sentinel_core.suite.cassette import Exchange
from sentinel_core.suite.results import TrialResult

__all__ = ["Done", "Journal"]


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
    """A file of lines: a head that says what run it is, then one line for each finished trial.

    Each line is written at once and synced. A last line that was cut off is not read, and the next one goes over it.
    Nothing is written before ``begin``, so that a run that cannot begin leaves the one before it alone.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], *, resume: bool) -> None:
        """Raises ``InputError`` where there is nothing to resume, or a different run; ``OSError`` for the disk."""
        self._path = path
        self._file: int | None = None
        first = msgspec.json.encode(head, order="sorted") + b"\n"
        data = read_bytes(path) if resume else None
        if resume and data is None:
            raise InputError(f'there is no run to resume in "{path.parent}"; leave out --resume')
        lines = _whole_lines(data or b"")
        if lines and lines[0] + b"\n" != first:
            raise InputError(
                f'the run in "{path.parent}" is another one ({_difference(lines[0], head)}); leave out --resume'
            )
        self.done = [_done(line, number, path) for number, line in enumerate(lines[1:], 2)]
        self._head = b"" if lines else first
        self._kept = sum(len(line) + 1 for line in lines)

    def begin(self) -> None:
        """Open the file for this run, once; the lines of another one are gone then. Raises ``OSError``."""
        if self._file is None:
            make_folder(self._path.parent)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.ftruncate(self._file, self._kept)
            os.lseek(self._file, 0, os.SEEK_END)
            _write(self._file, self._head)

    def add(self, done: Done) -> None:
        """Keep one more, of a journal that was begun. Raises ``OSError``."""
        assert self._file is not None, "begun"
        _write(self._file, done.to_json() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)


def _write(file: int, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[os.write(file, view) :]
    os.fsync(file)


def _done(line: bytes, number: int, path: Path) -> Done:
    try:
        return msgspec.json.decode(line, type=Done)
    except msgspec.MsgspecError as error:
        told = str(error).replace("`", "")
        raise InputError(f'journal "{path}", line {number} is damaged ({told}); leave out --resume') from None


def _whole_lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def _difference(line: bytes, head: Mapping[str, Any]) -> str:
    """The first thing in which the two heads differ."""
    try:
        before = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.MsgspecError:
        return "its journal is damaged"
    for key in sorted({*before, *head}):
        if before.get(key) != head.get(key):
            return f'its {key} was "{str(before.get(key))[:60]}" and is "{str(head.get(key))[:60]}"'
    return "its journal is written differently"
