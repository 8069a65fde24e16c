"""Keeps waiting spans on disk, so that memory holds only their places."""

import tempfile
import threading
from typing import IO

import attrs

__all__ = ["Place", "Spool"]

_SEGMENT = 64 << 20


@attrs.frozen(eq=False)
class Place:
    """The place of some bytes. The segment's file is deleted with the last place in it."""

    segment: "_Segment"
    offset: int
    size: int

    def read(self) -> bytes:
        """The bytes."""
        with self.segment.lock:
            self.segment.file.seek(self.offset)
            return self.segment.file.read(self.size)


class _Segment:
    """An unnamed file that nobody else can open."""

    def __init__(self) -> None:
        self.file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the last place that needs it
        self.lock = threading.Lock()
        self.size = 0

    def __del__(self) -> None:
        self.file.close()


class Spool:
    """Stores bytes and returns their places; for any number of threads."""

    def __init__(self) -> None:
        self._segment = _Segment()
        self._lock = threading.Lock()

    def put(self, data: bytes) -> Place:
        """Store these bytes. Raises ``OSError`` if the disk is full."""
        with self._lock:
            if self._segment.size > _SEGMENT:
                self._segment = _Segment()
            segment = self._segment
            with segment.lock:
                segment.file.seek(segment.size)
                segment.file.write(data)
            place = Place(segment, segment.size, len(data))
            segment.size += len(data)
            return place
