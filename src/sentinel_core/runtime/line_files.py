"""Files that grow by whole lines, and that several processes may write at once."""

import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path

from sentinel_core.runtime.state_files import make_folder, refuse_detours

__all__ = ["append_lines"]

_MOMENT = 0.05  # seconds; a line is written in less, and only a file that grows no more tells that nobody writes one


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Add lines to a file that grows, each in one write, so that processes that share it do not mix within a line.

    Only its owner can read it. A line for which the disk has no room is not there in part, and what stands after one
    that a kill cut short begins a line of its own. Raises ``OSError``.
    """
    waiting = list(lines)
    if not waiting:
        return
    refuse_detours(path)
    descriptor = _opened(path)
    try:
        if _is_cut_short(path):
            _append(descriptor, b"\n")
        for line in waiting:
            _append(descriptor, line)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """The file to add to, with its folder."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        return os.open(path, flags, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        make_folder(path.parent)
        return os.open(path, flags, 0o600)


def _is_cut_short(path: Path) -> bool:
    """Whether the last line has no end, and does not grow: half of one that another process writes now may be there."""
    size, is_whole = _end_of(path)
    while not is_whole:
        time.sleep(_MOMENT)
        before, (size, is_whole) = size, _end_of(path)
        if size == before:
            return not is_whole
    return False


def _end_of(path: Path) -> tuple[int, bool]:
    """How long a file is, and whether its last line has an end."""
    if not path.stat().st_size:  # pipes and devices, too
        return 0, True
    with path.open("rb") as file:
        size = file.seek(-1, os.SEEK_END)
        return size, file.read(1) == b"\n"


def _append(descriptor: int, line: bytes) -> None:
    written = os.write(descriptor, line)
    if written == len(line):
        return
    end = os.lseek(descriptor, 0, os.SEEK_CUR)
    if os.fstat(descriptor).st_size == end:  # else another process has added to it: that stays
        os.ftruncate(descriptor, end - written)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
