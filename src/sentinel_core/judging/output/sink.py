"""Where reports go: standard output, or a file that appears when it is complete."""

import errno
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, runtime_checkable

from sentinel_core.errors import InputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Outlet", "Sink", "open_output", "permit", "refusals", "separated", "why_unwritten"]

_BLOCK = 1 << 20


_LEADS = {"text": b"\n", "json": b",\n"}  # the separator before each item but the first
_LINES = ("jsonl", "lines", "records", "rows")


def separated(items: Sequence[bytes], form: str) -> bytes:
    """Items as ``Sink.put_many`` takes them: lines, or each after its separator.

    A text without a final newline is one of a list, whose items follow each other.
    """
    if form in _LINES:
        return b"\n".join([*items, b""])
    lead = _LEADS[form]
    if form == "text":
        return b"".join(lead + item if item.endswith(b"\n") else item + b"\n" for item in items)
    return b"".join(part for item in items for part in (lead, item))


@runtime_checkable
class Outlet(Protocol):
    """Takes rendered items, in the order of the input."""

    def put(self, item: bytes) -> None:
        """Write an item at once."""

    def put_many(self, items: IO[bytes], count: int) -> None:
        """Write ``count`` items, as ``separated`` returns them."""

    def flush(self) -> None:
        """Flush the stream."""

    def finish(self) -> None:
        """End the document after the last item."""


class Sink:
    """Writes rendered items in one format: ``text``, ``json``, ``jsonl``, or ``lines`` (unchanged, one per line).

    A JSON document is one object for one item, a list for more.
    """

    def __init__(self, stream: IO[bytes], form: str) -> None:
        self._stream = stream
        self._form = form
        self._held: bytes | None = None
        self._count = 0

    def put(self, item: bytes) -> None:
        """Write an item at once."""
        self.put_many(io.BytesIO(separated([item], self._form)), 1)
        self._stream.flush()

    def put_many(self, items: IO[bytes], count: int) -> None:
        """Write ``count`` items, as ``separated`` returns them."""
        if not count:
            return
        is_first = not self._count
        self._count += count
        if self._form in _LEADS:
            lead = items.read(len(_LEADS[self._form])) if is_first or self._held is not None else b""
            if self._form == "json" and self._opened(items, is_first=is_first, lead=lead):
                return
            if self._form == "text" and lead != _LEADS["text"]:
                self._stream.write(lead)
        while block := items.read(_BLOCK):
            self._stream.write(block)

    def _opened(self, items: IO[bytes], *, is_first: bool, lead: bytes) -> bool:
        """Open the list at the second item; True if the first item has to wait for that."""
        if is_first and self._count == 1:
            self._held = items.read()
            return True
        if is_first:
            self._stream.write(b"[\n")
        elif self._held is not None:
            self._stream.write(b"[\n" + self._held + lead)
            self._held = None
        return False

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()

    def finish(self) -> None:
        """Close the JSON document; without items nothing is written."""
        if self._form == "json":
            if self._held is not None:
                self._stream.write(self._held + b"\n")
            elif self._count:
                self._stream.write(b"\n]\n")
        self._stream.flush()


@contextmanager
def open_output(path: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a temporary file that is renamed to ``path`` if the block succeeds.

    Raises ``InputError`` if the folder is missing or cannot be written; the block's own exceptions pass through.
    """
    if path is None:
        yield sys.stdout.buffer
        return
    with refusals(path):
        is_in_place = path.exists() and not path.is_file()
    with _in_place(path) if is_in_place else _replacing(path) as stream:
        yield stream


@contextmanager
def refusals(named: Path) -> Iterator[None]:
    """Turn an ``OSError`` inside into an ``InputError`` that names the output."""
    try:
        yield
    except OSError as error:
        raise InputError(f'"{named}" cannot be written: {why_unwritten(named, error)}') from None


def why_unwritten(named: Path, error: OSError) -> str:
    """The system's reason, or the folder that is missing."""
    if error.errno == errno.ENOENT and not named.parent.exists():
        return f'there is no folder "{named.parent}"'
    return error.strerror or str(error)


class _File(io.FileIO):
    """A file whose own errors name it, so that they differ from errors of its writers."""

    def __init__(self, file: int | Path, named: Path) -> None:
        self._named = named
        super().__init__(file, "wb")

    def write(self, data: "ReadableBuffer", /) -> int:
        with refusals(self._named):
            return super().write(data)

    def close(self) -> None:
        with refusals(self._named):
            super().close()


@contextmanager
def _in_place(path: Path) -> Iterator[IO[bytes]]:
    """A device or pipe, such as ``/dev/null``, which a file must not replace."""
    with refusals(path):
        file = _File(path, path)
    with io.BufferedWriter(file) as stream:
        yield stream


@contextmanager
def _replacing(named: Path) -> Iterator[IO[bytes]]:
    """A temporary file that is renamed at the end, unless nothing was written."""
    import tempfile

    with refusals(named):
        path = named.resolve()
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with io.BufferedWriter(_File(descriptor, named)) as stream:
            yield stream
            stream.flush()
            with refusals(named):
                os.fsync(stream.fileno())
        with refusals(named):
            if temporary.stat().st_size:
                permit(temporary)
                temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def permit(path: Path) -> None:
    """Set a file's mode by the umask, as for a newly created file."""
    mask = os.umask(0o022)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
