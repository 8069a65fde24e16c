"""The session's file as bytes, and as a source for the reader of its format. It is only read, and only where it is a plain file."""

import io
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from sentinel_core.errors import InputError

__all__ = ["MOST", "WORTH", "Transcript", "opened", "whole_lines"]

WORTH = 2 << 20
"""A transcript of fewer bytes is read anew each time."""

MOST = 512 << 20
"""A larger transcript is not judged."""


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A source: the bytes of the file from ``start`` on, with ``lines_before`` lines before them.

    Files beside it whose name and size are in ``known`` are left out: they were read before.
    """

    path: Path
    data: bytes
    lines_before: int = 0
    known: Mapping[str, int] = msgspec.field(default_factory=dict)
    strict: bool = False
    max_record: int = MOST

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.name

    def open(self) -> IO[bytes]:
        """The bytes."""
        return io.BytesIO(self.data)

    def sibling(self, name: str) -> "Transcript | None":
        """The file at a relative path beside or below this one, or None."""
        import glob

        return next(iter(self.siblings(glob.escape(name))), None)

    def siblings(self, pattern: str) -> "list[Transcript]":
        """Plain files beside or below this one that match a relative pattern, sorted by name; without those that cannot be read."""
        relative = Path(pattern)
        if not relative.parts or relative.is_absolute() or ".." in relative.parts:
            return []
        paths = sorted(path for path in self.path.parent.glob(pattern) if path != self.path)
        found = (_beside(path) for path in paths if self.known.get(str(path)) != _size(path))
        return [one for one in found if one is not None]


class _Beside(Transcript, frozen=True, kw_only=True):
    """A file beside, which is read when it is asked for: most are listed only."""

    def open(self) -> IO[bytes]:
        """The bytes. Raises ``OSError`` where they cannot be read."""
        with opened(self.path) as file:
            return io.BytesIO(whole_lines(file.read(MOST), self.path))


def _beside(path: Path) -> Transcript | None:
    return _Beside(path=path, data=b"") if path.is_file() else None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def opened(path: Path) -> IO[bytes]:
    """The plain file, open. Raises ``InputError`` for a pipe, device, folder or a file too large; ``OSError`` otherwise."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    )
    problem = _refused(os.fstat(descriptor))
    if problem is not None:
        os.close(descriptor)
        raise InputError(problem, label=str(path))
    return os.fdopen(descriptor, "rb")


def _refused(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
        return f"is not a regular file but {kind}: a transcript is the file of one session"
    return f"is larger than {MOST >> 20} MB" if status.st_size > MOST else None


def whole_lines(data: bytes, path: Path) -> bytes:
    """Without the last line of a file of lines, where the tool is still writing it."""
    if path.suffix != ".jsonl" or data.endswith(b"\n"):
        return data
    return data[: data.rfind(b"\n") + 1]
