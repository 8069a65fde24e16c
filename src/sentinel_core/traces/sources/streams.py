"""Opens compressed files, recognised by their first bytes."""

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
HEAD = 1 << 12  # bytes that identify the kind of file

_Archive = tuple["ZipFile", dict[str, list["ZipInfo"]]]
_cached: dict[tuple[object, ...], _Archive] = {}


def open_decompressed(path: Path, member: str | None = None, namesakes: int = 0) -> IO[bytes]:
    """The bytes of a file, or of a member of a zip archive. Raises ``OSError`` if it cannot be opened.

    ``namesakes`` counts the members of the same name before it. Reading damaged data raises ``OSError`` or ``EOFError``.
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
    """Names of the members that may hold traces, sorted, each with the number of members of that name before it.

    Raises ``OSError`` for a damaged archive.
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
    """An archive, and its members by name. The last one is cached: its directory is long, and each member needs it.

    A changed file is opened again, and so is one that was opened before a fork: both processes would share one file position.
    """
    import zipfile

    status = path.stat()
    key = (os.getpid(), path, status.st_ino, status.st_size, status.st_mtime_ns)
    cached = _cached.get(key)
    if cached is None:
        archive = zipfile.ZipFile(path)
        members: dict[str, list[ZipInfo]] = {}
        for info in archive.infolist():
            members.setdefault(info.filename, []).append(info)
        cached = archive, members
        _cached.clear()  # the previous archive closes itself when its last reader is gone
        _cached[key] = cached
    return cached


def _open_zstandard(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise OSError("reading Zstandard needs an extra: pip install 'reliability-sentinel[zstd]'") from None
    return _checked(zstandard.open(path, "rb"))


def _checked(stream: object) -> IO[bytes]:
    return io.BufferedReader(_Checked(cast("io.BufferedReader", stream)), MEGABYTE)


class _Checked(io.RawIOBase):
    """A decompressed stream that reports damage as ``OSError`` or ``EOFError`` for every format."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read what is available at once, so that data before damage is not lost."""
        try:
            data = self._stream.read1(len(buffer))
        except (OSError, EOFError, MemoryError):
            raise
        except Exception as error:  # zlib.error, BadZipFile, ZstdError: each format has its own
            raise OSError(str(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_part(path: Path, start: int, length: int) -> IO[bytes]:
    """``length`` bytes of a file from ``start``, as a stream. Raises ``OSError``."""
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
