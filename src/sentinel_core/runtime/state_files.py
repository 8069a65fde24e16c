"""State files: whole or not at all, or line by line; for their owner only, and through no link."""

import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["append_lines", "make_folder", "read_bytes", "refuse_detours", "write_whole"]

_HOME = ".sentinel"
_MOMENT = 0.05  # seconds; a line is written in less, and only a file that grows no more tells that nobody writes one
_ELSEWHERE = "; places elsewhere are named by --store and --reports (sentinel run), --dir (sentinel suite), -o (sentinel receive)"


def refuse_detours(path: Path) -> None:
    """Raises ``OSError`` where a ``.sentinel`` in the path, or what is below it, is a link: a checkout can bring such."""
    if _HOME not in path.parts:
        return
    ours = len(path.parts) - path.parts.index(_HOME)
    for one in (path, *path.parents)[:ours]:
        if one.is_symlink():
            other = _ELSEWHERE if one.name == _HOME else ""
            raise OSError(errno.ELOOP, f'"{one}" is a symbolic link, which may lead anywhere: remove it{other}')


def make_folder(path: Path) -> None:
    """Make a folder for its owner only (0700), and those above it that are missing.

    Raises ``OSError``, as ``refuse_detours`` does, too.
    """
    refuse_detours(path)
    for one in reversed([one for one in (path, *path.parents) if not one.is_dir()]):
        one.mkdir(mode=0o700, exist_ok=True)


def write_whole(path: Path, data: bytes, *, temporary: str | None = None) -> None:
    """Write a file (0600), new or instead of another, with its folder; it appears whole or not at all. Raises ``OSError``.

    ``temporary`` names the file beside it that takes its name in the end, for who alone writes there: what a kill leaves is
    then found the next time. Otherwise each process has its own.
    """
    make_folder(path.parent)
    unfinished = path.with_name(temporary or f".{path.name}.{os.getpid()}.tmp")
    unfinished.unlink(missing_ok=True)
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_bytes(path: Path) -> bytes | None:
    """A file's bytes; None where there is no file. Raises ``OSError`` for one that cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


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
