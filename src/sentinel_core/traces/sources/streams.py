"""Compressed files read through, told by their first bytes."""

import io
import os
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from sentinel_core.traces.readers.lines import MEGABYTE

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

__all__ = ["HEAD", "ZIP", "is_plain", "open_decompressed", "open_part", "zip_members"]

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
ZIP = b"PK\x03\x04"
HEAD = 1 << 12  # bytes that tell what kind of file it is

_Archive = tuple["ZipFile", dict[str, list["ZipInfo"]]]
_kept: dict[tuple[object, ...], _Archive] = {}


def open_decompressed(path: Path, member: str | None = None, namesakes: int = 0) -> IO[bytes]:
    """The bytes of a file, or of one in a zip archive. Raises ``OSError`` where they cannot be had.

    So many members of the same name (``namesakes``) stand before it. What is damaged shows while reading, as ``OSError`` or ``EOFError``.
    """
    if member is not None:
        return _open_member(path, member, namesakes)
    magic = _magic(path)
    if magic.startswith(_GZIP):
        import gzip

        return _checked(gzip.open(path))
    return _open_zstandard(path) if magic == _ZSTANDARD else path.open("rb")


def is_plain(path: Path) -> bool:
    """True for a file that is not compressed. Raises ``OSError``."""
    magic = _magic(path)
    return not magic.startswith(_GZIP) and magic not in (_ZSTANDARD, ZIP)


def zip_members(path: Path, suffixes: tuple[str, ...]) -> list[tuple[str, int]]:
    """Names of the files in an archive that may hold traces, sorted, each with how many of its name stand before it.

    Raises ``OSError`` where it is damaged.
    """
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = Counter(info.filename for info in archive.infolist() if info.filename.endswith(suffixes))
            return [(name, before) for name in sorted(names) for before in range(names[name])]
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise OSError(f"the zip archive is damaged: {error}") from None


def _magic(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(4)


def _open_member(path: Path, member: str, namesakes: int) -> IO[bytes]:
    import zipfile

    try:
        archive, members = _archive(path)
        same = members.get(member, ())
        return _checked(archive.open(same[namesakes] if namesakes < len(same) else member))
    except (zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError) as error:
        raise OSError(f"the zip archive cannot be read: {error}") from None


def _archive(path: Path) -> _Archive:
    """An archive, and its members by name. The last one is kept: its directory is long, and is asked for with each member.

    A file that changed is read anew, and so is one that was opened before a fork, for both processes would move one place in it.
    """
    import zipfile

    told = path.stat()
    key = (os.getpid(), path, told.st_ino, told.st_size, told.st_mtime_ns)
    kept = _kept.get(key)
    if kept is None:
        archive = zipfile.ZipFile(path)
        members: dict[str, list[ZipInfo]] = {}
        for info in archive.infolist():
            members.setdefault(info.filename, []).append(info)
        kept = archive, members
        _kept.clear()  # an earlier one closes by itself, once nothing of it is being read
        _kept[key] = kept
    return kept


def _open_zstandard(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise OSError("Zstandard needs: pip install 'reliability-sentinel[zstd]'") from None
    return _checked(zstandard.open(path, "rb"))


def _checked(stream: object) -> IO[bytes]:
    return io.BufferedReader(_Checked(cast("io.BufferedReader", stream)), MEGABYTE)


class _Checked(io.RawIOBase):
    """A decompressed stream whose damage is an ``OSError`` or ``EOFError``, whatever its format calls it."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """What there is without reading on: what stands before a damaged place is not lost with it."""
        try:
            data = self._stream.read1(len(buffer))
        except (OSError, EOFError, MemoryError):
            raise
        except Exception as error:  # zlib.error, BadZipFile, ZstdError: each format has one of its own
            raise OSError(str(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_part(path: Path, start: int, length: int) -> IO[bytes]:
    """So many bytes of a file, as a stream of their own. Raises ``OSError``."""
    file = path.open("rb", buffering=0)
    file.seek(start)
    return io.BufferedReader(_Slice(file, length), MEGABYTE)


class _Slice(io.RawIOBase):
    """The next ``left`` bytes of a file."""

    def __init__(self, file: io.RawIOBase | IO[bytes], left: int) -> None:
        self._file = cast("io.RawIOBase", file)
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(min(len(buffer), self._left)) or b""
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
