"""The same outputs at a URL, by fsspec. A file is moved into place once it is complete."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.assignment import Answer
from sentinel_core.judging.batch.outputs import Finish, part_name
from sentinel_core.traces.sources.file_source import shown_url, without_secrets
from sentinel_core.traces.sources.remote import file_system

__all__ = ["RemoteFile", "RemoteFolder"]

_BLOCK = 4 << 20


class _Place:
    """A URL to write at."""

    def __init__(self, url: str) -> None:
        self.url = shown_url(url)
        with self.reached():
            self.system, self.path = file_system(url)
        self.path = self.path.rstrip("/")

    @contextmanager
    def reached(self) -> Iterator[None]:
        """Turn any exception into an ``InputError`` that names the URL."""
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            only_read = isinstance(error, NotImplementedError) and not str(error)
            reason = "the file system is read-only" if only_read else error
            problem = without_secrets(f"{type(error).__name__}: {reason}")
            raise InputError(f'"{self.url}" cannot be written: {problem}') from error

    def attempt(self) -> None:
        """Write a small file and remove it. Raises ``InputError`` if that fails."""
        with self.reached():
            temporary = f"{self.path}.new"
            self._make_folder(temporary)
            with self.system.open(temporary, "wb") as remote:
                remote.write(b"to be removed\n")
            self.system.rm(temporary)

    def _make_folder(self, path: str) -> None:
        """Create the folders of a path. Without a leading slash the first part is a bucket, which is not created."""
        if path.startswith("/"):
            self.system.makedirs(path.rpartition("/")[0], exist_ok=True)

    def write(self, path: str, stream: IO[bytes]) -> None:
        """Write a stream atomically."""
        with self.reached():
            temporary = f"{path}.new"
            self._make_folder(path)
            with self.system.open(temporary, "wb") as remote:
                shutil.copyfileobj(stream, remote, _BLOCK)
            self.system.mv(temporary, path)

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write bytes atomically."""
        with tempfile.SpooledTemporaryFile(len(data) + 1) as stream:
            stream.write(data)
            stream.seek(0)
            self.write(path, stream)

    def read(self, path: str) -> bytes | None:
        """The file's bytes; None if there is none."""
        with self.reached():
            data: bytes | None = self.system.cat_file(path) if self.system.exists(path) else None
            return data


class RemoteFolder:
    """Like ``Folder``, but without a lock: two batches must not write to the same place."""

    def __init__(self, url: str, suffix: str, finisher: Finish | None = None) -> None:
        self._place = _Place(url)
        self._suffix = suffix
        self._finisher = finisher

    def _at(self, name: str) -> str:
        return f"{self._place.path}/{name}"

    def known(self) -> bytes | None:
        """The folder's manifest."""
        return self._place.read(self._at("manifest.json"))

    def begin(self, offset: int | None) -> None:
        """Refuse a folder with other files."""
        with self._place.reached():
            taken = offset is None and self._place.system.exists(self._place.path)
            found = self._place.system.ls(self._place.path, detail=False) if taken else []
        if found:
            begun = " (--resume continues the batch in it)" if self.known() else ""
            raise InputError(f'"{self._place.url}" is not empty{begun}; give a new folder')

    def put(self, answer: Answer) -> None:
        """Write a part."""
        path = self._at(part_name(answer.split.number, self._suffix))
        answer.items.seek(0)
        with _finished(answer.items, self._finisher) as items:
            self._place.write(path, items)

    def settle(self) -> int:
        """Nothing to do: every part is written."""
        return 0

    def note(self, manifest: bytes) -> None:
        """Write atomically."""
        self._place.write_bytes(self._at("manifest.json"), manifest)

    def finish(self, summary: bytes) -> str | None:
        """Add the summary."""
        self._place.write_bytes(self._at("summary.json"), summary)
        return f"{self._place.url.rstrip('/')}/summary.json"

    def close(self, *, forget: bool) -> None:
        """Parts stay."""
        path = self._at("manifest.json")
        with self._place.reached():
            if forget and self._place.system.exists(path):
                self._place.system.rm(path)


class RemoteFile:
    """One file at a URL, collected locally and sent when complete, so a stopped batch starts again from the beginning.

    If sending fails, the file is kept locally.
    """

    def __init__(self, url: str, finisher: Finish | None = None) -> None:
        self._place = _Place(url)
        self._finisher = finisher
        self._lines = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()

    def known(self) -> bytes | None:
        """Nothing to do: there is no manifest."""
        return None

    def begin(self, offset: int | None) -> None:  # noqa: ARG002 - there is nothing to resume
        """Check that the URL can be written, before anything is judged."""
        self._place.attempt()

    def put(self, answer: Answer) -> None:
        """Append."""
        answer.items.seek(0)
        shutil.copyfileobj(answer.items, self._lines, _BLOCK)

    def settle(self) -> int:
        """Nothing to do: there is no manifest."""
        return self._lines.tell()

    def note(self, manifest: bytes) -> None:
        """Nothing to do: there is no manifest."""

    def finish(self, summary: bytes) -> str | None:
        """Send the file and the summary."""
        self._lines.seek(0)
        with _finished(self._lines, self._finisher) as whole:
            try:
                self._place.write(self._place.path, whole)
            except InputError as error:
                raise InputError(f"{error}; {_kept(whole, self._place.path)}") from error
        self._place.write_bytes(_summary_beside(self._place.path), summary)
        self.close(forget=False)
        return _summary_beside(self._place.url)

    def close(self, *, forget: bool) -> None:  # noqa: ARG002 - there is nothing to remember
        """Close."""
        self._lines.close()


def _kept(whole: IO[bytes], place: str) -> str:
    """Save a file that could not be sent on this machine; returns a message that names it."""
    try:
        whole.seek(0)
        with tempfile.NamedTemporaryFile(prefix="sentinel-", suffix=f"-{Path(place).name}", delete=False) as kept:
            shutil.copyfileobj(whole, kept, _BLOCK)
    except OSError as error:
        return f"the reports could not be saved on this machine either: {error.strerror}"
    return f'the reports are in "{kept.name}"'


def _summary_beside(place: str) -> str:
    """``FOLDER/NAME.summary.json`` for ``FOLDER/NAME.jsonl``, whatever dots the folder's name has."""
    folder, slash, name = place.rpartition("/")
    return f"{folder}{slash}{Path(name).stem}.summary.json"


@contextmanager
def _finished(lines: IO[bytes], finisher: Finish | None) -> Iterator[IO[bytes]]:
    """The lines, or the finisher's output."""
    if finisher is None:
        yield lines
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole"
        finisher(lines, path)
        with path.open("rb") as stream:
            yield stream
