"""Writes state files: whole or not at all, or line by line; readable by their owner only, and not through links."""

import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["append_lines", "check_writable", "make_folder", "read_bytes", "refuse_detours", "write_whole"]

_HOME = ".sentinel"
_IGNORED = "# Made by Sentinel: what it keeps here quotes traces and holds tokens. Baselines may be committed.\n/*\n!/baselines/\n"
_MOMENT = 0.05  # seconds, longer than a write takes: a file that does not grow meanwhile has no writer
_ELSEWHERE = (
    "; to use another place, set --store and --reports (sentinel run), --dir (sentinel suite), or -o (sentinel receive)"
)


def refuse_detours(path: Path) -> None:
    """Raises ``OSError`` if ``.sentinel`` in the path, or anything below it, is a link, which a checkout may contain."""
    if _HOME not in path.parts:
        return
    ours = len(path.parts) - path.parts.index(_HOME)
    for part in (path, *path.parents)[:ours]:
        if part.is_symlink():
            other = _ELSEWHERE if part.name == _HOME else ""
            raise OSError(errno.ELOOP, f'"{part}" is a symbolic link, which may point anywhere: remove it{other}')


def make_folder(path: Path) -> None:
    """Make a folder for its owner only (0700), and those above it that are missing; Git ignores a new ``.sentinel``.

    Raises ``OSError``, as ``refuse_detours`` does, too.
    """
    refuse_detours(path)
    for folder in reversed([folder for folder in (path, *path.parents) if not folder.is_dir()]):
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, "is a file, but must be a folder", str(folder)) from None
        if folder.name == _HOME:
            (folder / ".gitignore").write_text(_IGNORED, encoding="utf-8")


def write_whole(path: Path, data: bytes, *, temporary: str | None = None) -> None:
    """Write or replace a file (0600), with its folder; it appears whole or not at all. Raises ``OSError``.

    ``temporary`` names the file beside it that is renamed at the end, for a sole writer: the next write then replaces what
    a kill left. Otherwise each process has its own.
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
    """A file's bytes; None if it does not exist. Raises ``OSError`` if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def append_lines(path: Path, lines: Iterable[bytes], *, durable: bool = False, mode: int = 0o600) -> None:
    """Append lines to a file, each in one write, so that processes that share it do not mix within a line.

    A new file has ``mode``, less the umask: by default, only its owner can read it. A line for which the disk has no room is not written in part, and after a line that a kill
    truncated, the next one starts on a new line. ``durable``: when this returns, they are on disk. Raises ``OSError``.
    """
    waiting = list(lines)
    if not waiting:
        return
    refuse_detours(path)
    descriptor = _opened(path, mode)
    try:
        if _is_cut_short(path):
            _append(descriptor, b"\n")
        for line in waiting:
            _append(descriptor, line)
        if durable and path.is_file():
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path, mode: int) -> int:
    """The file to add to, with its folder."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        return os.open(path, flags, mode)
    except (FileNotFoundError, NotADirectoryError):
        make_folder(path.parent)
        return os.open(path, flags, mode)


def _is_cut_short(path: Path) -> bool:
    """Whether the last line has no newline and does not grow; another process may be in the middle of writing it."""
    size, is_whole = _end_of(path)
    while not is_whole:
        time.sleep(_MOMENT)
        before, (size, is_whole) = size, _end_of(path)
        if size == before:
            return not is_whole
    return False


def _end_of(path: Path) -> tuple[int, bool]:
    """A file's size, and whether it ends with a newline."""
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
    if os.fstat(descriptor).st_size == end:  # else another process has appended, which must stay
        os.ftruncate(descriptor, end - written)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_writable(path: Path) -> int:
    """The size of a file to append to; 0 if it does not exist, and it is not created. Raises ``OSError`` if unwritable."""
    refuse_detours(path)
    make_folder(path.parent)
    if path.exists():
        with path.open("ab") as file:
            return file.tell()
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path.parent))
    return 0
