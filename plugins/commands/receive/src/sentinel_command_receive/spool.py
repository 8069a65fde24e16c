"""What was received and is not yet reported, on disk: a receiver that is killed reads it again at its next start.

The spool is a folder of segments, each a sequence of records with sizes and checksums. The spans of a request count once
the ``Taken`` after them is on disk, so a request is there whole or not at all. Memory holds only the places of spans.
"""

import contextlib
import errno
import fcntl
import itertools
import os
import time
import weakref
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import Struct

import attrs
import msgspec

from sentinel_command_receive.bodies import ReceivedSpan
from sentinel_core.errors import ConfigError
from sentinel_core.runtime.state_files import make_folder

__all__ = ["Claim", "Handed", "Place", "Spool", "Started", "Stored", "claimed"]

_SEGMENT = 64 << 20
_PIECE = 1 << 20  # bytes that are written at a time
_HEAD = Struct("!III")  # size of a record, size of the data after it, checksum of both
_SUFFIX = ".spans"
_LOCK = "lock"
_ORPHAN_SECONDS = 30.0  # within which the child of a receiver that was killed has ended
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class Stored(msgspec.Struct, tag=0, array_like=True, frozen=True):
    """One span, whose JSON follows, with the ids that group it."""

    trace_id: str
    span_id: str
    parent_id: str
    conversation: str | None


class _Taken(msgspec.Struct, tag=1, array_like=True, frozen=True):
    """The spans before it are a whole request."""


class Handed(msgspec.Struct, tag=2, array_like=True, frozen=True):
    """Groups, each by its id, that were handed over to be judged in the batch of this number."""

    batch: int
    groups: list[str]


class Started(msgspec.Struct, tag=3, array_like=True, frozen=True):
    """A receiver has started again: reports up to this batch were written, and what later ones had is judged again."""

    reported: int


_Record = Stored | _Taken | Handed | Started
_encode = msgspec.msgpack.Encoder().encode
_decoder: msgspec.msgpack.Decoder[_Record] = msgspec.msgpack.Decoder(_Record)


class _Segment:
    """An open file. It is closed with the last place in it, and then ``Spool.trim`` may delete it."""

    def __init__(self, path: Path, flags: int) -> None:
        self.file = os.open(path, flags, 0o600)
        self.size = 0

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # it was not opened
            os.close(self.file)

    def read(self, offset: int, size: int) -> bytes:
        """So many bytes, fewer at the end of the file."""
        parts = []
        while size and (part := os.pread(self.file, size, offset)):
            parts.append(part)
            offset, size = offset + len(part), size - len(part)
        return b"".join(parts)


@attrs.frozen(eq=False)
class Place:
    """The place of a span's JSON."""

    segment: _Segment
    offset: int
    size: int

    def read(self) -> bytes:
        """The bytes."""
        return self.segment.read(self.offset, self.size)


@attrs.define(eq=False)
class Spool:
    """Appends to the newest segment of a folder. The caller sees to it that only one thread writes at a time.

    ``replay`` comes first. ``damaged`` counts the bytes that it could not read.
    """

    folder: Path
    damaged: int = attrs.field(default=0, init=False)
    _number: int = attrs.field(default=0, init=False)
    _segment: _Segment | None = attrs.field(default=None, init=False)
    _kept: deque[tuple[Path, "weakref.ref[_Segment]"]] = attrs.field(factory=deque, init=False)

    def replay(self) -> Iterator[tuple[Stored, Place] | Handed | Started]:
        """All that earlier processes stored, in order. Raises ``OSError``."""
        for path in sorted(self.folder.glob(f"*{_SUFFIX}")):
            self._number = int(path.stem)
            segment = _Segment(path, os.O_RDONLY | os.O_NOFOLLOW)
            self._kept.append((path, weakref.ref(segment)))
            yield from self._records(segment)

    def store(self, spans: Iterable[ReceivedSpan]) -> list[tuple[Stored, Place]]:
        """Store a request; when this returns, it is on disk. Raises ``OSError``, and then nothing of it is stored."""
        records = ((Stored(one.trace_id, one.span_id, one.parent_id, one.conversation), one.data) for one in spans)
        stored = self._append(itertools.chain(records, [(_Taken(), b"")]))
        return [(record, place) for record, place in stored if isinstance(record, Stored)]

    def note(self, record: Handed | Started) -> None:
        """Store a record; when this returns, it is on disk. Raises ``OSError``."""
        self._append([(record, b"")])

    def trim(self) -> None:
        """Delete the segments of which nothing is needed, the oldest first: later ones may say what became of its spans."""
        while self._kept and self._kept[0][1]() is None:
            self._kept.popleft()[0].unlink(missing_ok=True)

    def _records(self, segment: _Segment) -> Iterator[tuple[Stored, Place] | Handed | Started]:
        """The records of a segment up to where it ends or is damaged; a kill cuts off only what nobody was told is stored."""
        size, offset, request = os.fstat(segment.file).st_size, 0, list[tuple[Stored, Place]]()
        while len(head := segment.read(offset, _HEAD.size)) == _HEAD.size:
            of_record, of_data, checksum = _HEAD.unpack(head)
            start = offset + _HEAD.size
            if start + of_record + of_data > size:
                return
            record = _checked(segment.read(start, of_record + of_data), of_record, checksum)
            if record is None:
                self.damaged += size - offset
                return
            offset = start + of_record + of_data
            if isinstance(record, Stored):
                request.append((record, Place(segment, start + of_record, of_data)))
            elif isinstance(record, _Taken):
                yield from request
                request = []
            else:
                yield record

    def _append(self, records: Iterable[tuple[_Record, bytes]]) -> list[tuple[_Record, Place]]:
        """Write all of these records to disk, or none."""
        segment = self._writable()
        before, buffer, places = segment.size, bytearray(), list[tuple[_Record, Place]]()
        try:
            for record, data in records:
                written = _encode(record)
                buffer += _HEAD.pack(len(written), len(data), zlib.crc32(data, zlib.crc32(written))) + written
                places.append((record, Place(segment, segment.size + len(buffer), len(data))))
                buffer += data
                if len(buffer) >= _PIECE:
                    _write(segment, buffer)
            _write(segment, buffer)
            os.fsync(segment.file)
        except BaseException:
            segment.size = before
            os.ftruncate(segment.file, before)
            raise
        return places

    def _writable(self) -> _Segment:
        """The segment to append to: one of this process, for the last one of an earlier process may be cut off."""
        if self._segment is None or self._segment.size > _SEGMENT:
            path = self.folder / f"{self._number + 1:012d}{_SUFFIX}"
            segment = _Segment(path, _NEW)
            self._number += 1
            self._kept.append((path, weakref.ref(segment)))
            self._segment = segment
            _sync(self.folder)
        return self._segment


def _checked(data: bytes, size: int, checksum: int) -> "_Record | None":
    """The record at the start of the data; None if it is not what was written."""
    if zlib.crc32(data) != checksum:
        return None
    try:
        return _decoder.decode(data[:size])
    except msgspec.MsgspecError:
        return None


def _write(segment: _Segment, buffer: bytearray) -> None:
    """Write the buffer at the end of the segment, and empty it."""
    view = memoryview(bytes(buffer))
    while view:
        written = os.pwrite(segment.file, view, segment.size)
        segment.size += written
        view = view[written:]
    buffer.clear()


def _sync(folder: Path) -> None:
    """The names in a folder, to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@attrs.frozen
class Claim:
    """A spool that is this process's. ``file`` is open in its child, too, which locks another byte of it."""

    folder: Path
    file: int

    def hold_as_child(self) -> None:
        """In the child that writes the spool: keep it from the next receiver while this process lives."""
        fcntl.lockf(self.file, fcntl.LOCK_EX, 1, 1)


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[Claim]:
    """Make a spool's folder, and lock it against other receivers; afterwards remove it, if it is empty.

    Raises ``ConfigError`` if another receiver uses it, ``OSError`` if it cannot be made.
    """
    file = _locked(folder)
    try:
        _wait_for_orphan(file, folder)
        yield Claim(folder, file)
    finally:
        if list(folder.glob("*")) == [folder / _LOCK]:
            (folder / _LOCK).unlink()
            folder.rmdir()
        os.close(file)


def _locked(folder: Path) -> int:
    """The open lock; it may be one that the last receiver has removed meanwhile, and then there is a new one."""
    while True:
        make_folder(folder)
        file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        if not _has_locked(file, 0):
            os.close(file)
            raise _in_use(folder)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), (folder / _LOCK).stat()):
                return file
        os.close(file)


def _wait_for_orphan(file: int, folder: Path) -> None:
    """Until the child of a receiver that was killed has ended, too; it may still store spans."""
    due = time.monotonic() + _ORPHAN_SECONDS
    while not _has_locked(file, 1):
        if time.monotonic() > due:
            raise _in_use(folder)
        time.sleep(0.02)
    fcntl.lockf(file, fcntl.LOCK_UN, 1, 1)


def _has_locked(file: int, byte: int) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            raise
        return False
    return True


def _in_use(folder: Path) -> ConfigError:
    return ConfigError(f'another receiver uses "{folder}"; choose another file of reports with -o')
