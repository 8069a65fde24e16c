"""The outputs of a batch: a stream, one file that appears when it is complete, or a folder of parts."""

import os
import shutil
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, Concatenate, ParamSpec, Protocol, TypeVar

import attrs

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.assignment import Answer
from sentinel_core.judging.batch.locked_files import leads_to, lock, to_disk, write_whole
from sentinel_core.judging.output.sink import Outlet, permit, refusals, why_unwritten

__all__ = ["File", "Finish", "Folder", "Output", "Stream", "part_name"]

_BLOCK = 1 << 20
_OURS = (".part-", ".manifest.json.", ".summary.json.")

Finish = Callable[[IO[bytes], Path], None]
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Output(Protocol):
    """Takes answers in the order of the input, and stores the manifest beside them."""

    def known(self) -> bytes | None:
        """The manifest of a batch that was begun here; None if there is none."""

    def begin(self, offset: int | None) -> None:
        """Open the output at ``offset``, or (None) from the start. Raises ``InputError`` or ``OSError``."""

    def put(self, answer: Answer) -> None:
        """Write the answer of a split."""

    def settle(self) -> int:
        """Sync what was written to disk; returns its size in bytes, for one file."""

    def note(self, manifest: bytes) -> None:
        """Store the manifest."""

    def finish(self, summary: bytes) -> str | None:
        """Make the complete output appear; returns the summary's place."""

    def close(self, *, forget: bool) -> None:
        """Close the output; ``forget`` also removes an incomplete one."""


@attrs.define
class Stream:
    """Standard output, or another stream that is written once. Stores no manifest."""

    sink: Outlet

    def known(self) -> bytes | None:
        """None."""
        return None

    def begin(self, offset: int | None) -> None:
        """Nothing to do."""

    def put(self, answer: Answer) -> None:
        """Write at once."""
        answer.items.seek(0)
        self.sink.put_many(answer.items, answer.written)
        self.sink.flush()

    def settle(self) -> int:
        """Nothing to do."""
        return 0

    def note(self, manifest: bytes) -> None:
        """Nothing to do."""

    def finish(self, summary: bytes) -> str | None:  # noqa: ARG002 - a stream has no place for it
        """Close the JSON document."""
        self.sink.finish()
        return None

    def close(self, *, forget: bool) -> None:
        """Nothing to do."""


class _Local:
    """An output on this machine, as the user named it."""

    def __init__(self, named: Path) -> None:
        self._named = named


_Self = TypeVar("_Self", bound=_Local)


def _refusing(
    method: Callable[Concatenate[_Self, _Given], _Result],
) -> Callable[Concatenate[_Self, _Given], _Result]:
    """Turn a method's ``OSError`` into an ``InputError`` that names the output."""

    @wraps(method)
    def refusing(self: _Self, /, *given: _Given.args, **named: _Given.kwargs) -> _Result:
        with refusals(self._named):
            return method(self, *given, **named)

    return refusing


class File(_Local):
    """One file of lines. Until it is complete it is ``.NAME.partial`` beside its place, with ``NAME.manifest``.

    ``a.jsonl`` and ``a.parquet`` have one summary, so ``.a.summary.json.lock`` keeps two batches from writing it.
    ``finisher`` converts the lines to another format at the end.
    """

    def __init__(self, path: Path, finisher: Finish | None = None) -> None:
        super().__init__(path)
        self._path = Path(os.path.realpath(path))
        self._partial = self._path.with_name(f".{self._path.name}.partial")
        self._manifest = self._path.with_name(f"{self._path.name}.manifest")
        self._summary = self._path.with_name(f"{self._path.stem}.summary.json")
        self._summary_lock = self._path.with_name(f".{self._summary.name}.lock")
        self._finisher = finisher
        self._stream: IO[bytes] | None = None
        self._lock = -1

    def known(self) -> bytes | None:
        """The manifest; None also if the partial file is gone."""
        return self._manifest.read_bytes() if self._partial.exists() and self._manifest.exists() else None

    def begin(self, offset: int | None) -> None:
        """Open the partial file, without what was written after the manifest."""
        descriptor = self._held(self._partial, self._path)
        self._stream = os.fdopen(descriptor, "r+b")
        try:
            self._lock = self._held(self._summary_lock, self._summary)
        except InputError:
            if self.known() is None:
                self._partial.unlink()
            raise
        if os.fstat(descriptor).st_size < (offset or 0):
            raise InputError(
                f'--resume: "{self._partial}" is shorter than it was when the batch stopped; start again without --resume'
            )
        self._stream.truncate(offset or 0)
        self._stream.seek(offset or 0)

    def _held(self, path: Path, named: Path) -> int:
        """A file, created if missing, locked against other batches. Raises ``InputError`` that names it ``named``."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise InputError(f'"{self._named}" cannot be written: {why_unwritten(self._named, error)}') from None
        try:
            lock(descriptor, named)
            is_ours = leads_to(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        if not is_ours:
            os.close(descriptor)
            raise InputError(f'"{self._named}" has just been finished by another batch; start again')
        return descriptor

    @property
    def _open(self) -> IO[bytes]:
        assert self._stream is not None
        return self._stream

    @_refusing
    def put(self, answer: Answer) -> None:
        """Append."""
        answer.items.seek(0)
        shutil.copyfileobj(answer.items, self._open, _BLOCK)

    @_refusing
    def settle(self) -> int:
        """Sync; returns the size."""
        self._open.flush()
        os.fsync(self._open.fileno())
        return self._open.tell()

    @_refusing
    def note(self, manifest: bytes) -> None:
        """Write atomically."""
        write_whole(self._manifest, manifest)

    @_refusing
    def finish(self, summary: bytes) -> str | None:
        """Rename the partial file, or what the finisher made of it."""
        self.settle()
        whole = self._partial
        if self._finisher is not None:
            whole = self._path.with_name(f".{self._path.name}.whole")
            self._open.seek(0)
            self._finisher(self._open, whole)
            to_disk(whole)
        write_whole(self._summary, summary)
        permit(self._summary)
        permit(whole)
        whole.replace(self._path)
        self.close(forget=True)
        return str(self._named.with_name(self._summary.name))

    def close(self, *, forget: bool) -> None:
        """Close; without ``forget`` the partial file stays for ``--resume``."""
        if forget and self._stream is not None:
            self._partial.unlink(missing_ok=True)
            self._manifest.unlink(missing_ok=True)
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._lock >= 0:
            self._summary_lock.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1


def part_name(number: int, suffix: str) -> str:
    """The name of one part in a folder."""
    return f"part-{number:05d}{suffix}"


class Folder(_Local):
    """A folder of ``part-00000.jsonl``, ..., each renamed into place once complete, with ``manifest.json``."""

    def __init__(self, path: Path, suffix: str, finisher: Finish | None = None) -> None:
        super().__init__(path)
        self._path = path
        self._suffix = suffix
        self._finisher = finisher
        self._lock = -1

    def known(self) -> bytes | None:
        """The folder's manifest."""
        path = self._path / "manifest.json"
        return path.read_bytes() if path.exists() else None

    def begin(self, offset: int | None) -> None:
        """Create the folder; one with other files is refused."""
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f'"{self._path}" cannot be created: {error.strerror}') from None
        self._lock = os.open(self._path, os.O_RDONLY)
        lock(self._lock, self._path)
        if offset is None and any(not name.startswith(_OURS) for name in (path.name for path in self._path.iterdir())):
            begun = " (--resume continues the batch in it)" if self.known() else ""
            raise InputError(f'"{self._path}" is not empty{begun}; give a new folder')

    @_refusing
    def put(self, answer: Answer) -> None:
        """Write a part."""
        answer.items.seek(0)
        path = self._path / part_name(answer.split.number, self._suffix)
        temporary = path.with_name(f".{path.name}")
        if self._finisher is not None:
            self._finisher(answer.items, temporary)
        else:
            with temporary.open("wb") as stream:
                shutil.copyfileobj(answer.items, stream, _BLOCK)
        to_disk(temporary)
        temporary.replace(path)

    @_refusing
    def settle(self) -> int:
        """Sync the folder: the parts are synced already, but not their names."""
        os.fsync(self._lock)
        return 0

    @_refusing
    def note(self, manifest: bytes) -> None:
        """Write atomically."""
        write_whole(self._path / "manifest.json", manifest)

    @_refusing
    def finish(self, summary: bytes) -> str | None:
        """Add the summary."""
        path = self._path / "summary.json"
        write_whole(path, summary)
        permit(path)
        self.close(forget=False)
        return str(path)

    def close(self, *, forget: bool) -> None:
        """Parts stay; with ``forget`` an empty folder is removed before its lock is released."""
        if self._lock < 0:
            return
        try:
            if forget:
                (self._path / "manifest.json").unlink(missing_ok=True)
                if not any(self._path.iterdir()):
                    self._path.rmdir()
        finally:
            os.close(self._lock)
            self._lock = -1
