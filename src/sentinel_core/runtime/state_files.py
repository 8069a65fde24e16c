"""State files: whole or not at all, for their owner only, and through no link."""

import errno
import os
from pathlib import Path

__all__ = ["make_folder", "read_bytes", "refuse_detours", "write_whole"]

_HOME = ".sentinel"
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
