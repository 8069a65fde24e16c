"""Where bytes come from. Compressed files are read through; ids and names from inside a trace never become paths."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import attrs

from sentinel_core.errors import InputError
from sentinel_core.sources.names import as_text
from sentinel_core.sources.streams import HEAD, ZIP, open_decompressed, zip_members

if TYPE_CHECKING:
    from sentinel_core.sources.own import LeftOut

__all__ = ["SUFFIXES", "FileSource", "bytes_before_end", "find_sources", "first_bytes", "sources_in", "spool", "unread"]

_PLAIN = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
_DESCRIPTORS = "/dev/fd"
SUFFIXES = (*_PLAIN, *(f"{plain}{packed}" for plain in _PLAIN for packed in (".gz", ".zst")), ".zip")


@attrs.frozen(kw_only=True)
class FileSource:
    """A file as the user named it (``label``), below the folder ``root`` where a folder or a glob was named.

    ``member`` is a file inside a zip archive, where so many of that name stand before it (``namesakes``); ``max_record`` caps
    one record, in bytes after decompression. A part of a large file is the ``length`` bytes from ``start``, with so many
    lines and records before it. ``url`` is where a file is that is not on this machine, and ``size`` its bytes; it may
    hold a password, so it is neither written nor shown.
    """

    path: Path
    label: str = attrs.field(converter=as_text)
    root: str = attrs.field(default="", converter=as_text)
    strict: bool = False
    max_record: int = 256 << 20
    member: str | None = None
    namesakes: int = 0
    start: int = 0
    length: int | None = None
    lines_before: int = 0
    records_before: int = 0
    url: str = ""
    size: int = 0

    @property
    def name(self) -> str:
        """The file's own name."""
        return Path(self.member or self.label).name

    @property
    def place(self) -> str:
        """For people: its path below ``root``, else its own name; the same from whichever folder it is read."""
        path = Path(self.label)
        is_below = self.root and path != Path(self.root) and path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if is_below else self.name

    @property
    def is_spooled(self) -> bool:
        """True for standard input and pipes: kept in a file that only this process and its children can open."""
        return self.path.is_relative_to(_DESCRIPTORS)

    @property
    def bytes_on_disk(self) -> int:
        """As they are, compressed or not; 0 where there is no such file."""
        if self.url:
            return self.size
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def is_cut_short(self) -> bool:
        """Of a part: True where the file, which went on behind it when it was cut, ends in it or before it now."""
        return self.length is not None and self.bytes_on_disk < self.start + self.length

    @property
    def is_gone(self) -> bool:
        """Of a part: True where nothing of it is there any more."""
        return self.length is not None and self.bytes_on_disk <= self.start

    def open(self) -> IO[bytes]:
        """The bytes from the start, decompressed where they begin as gzip or Zstandard do, whatever the file is called."""
        if self.length is not None:
            from sentinel_core.sources.parts import open_part

            return open_part(self.path, self.start, self.length)
        return open_decompressed(self.path, self.member, self.namesakes)

    def refused(self, reason: str) -> InputError:
        """Why it cannot be read."""
        return InputError(reason, label=self.label, place=self.place)

    def sibling(self, name: str) -> "FileSource | None":
        """The file at a relative path beside or below this one; None where it is missing or the path leads elsewhere."""
        import glob

        found = self.siblings(glob.escape(name))
        return found[0] if found else None

    def siblings(self, pattern: str) -> "list[FileSource]":
        """Files beside or below this one that match a relative glob pattern, sorted by name."""
        relative = Path(pattern)
        outside = not relative.parts or relative.is_absolute() or ".." in relative.parts
        if outside or self.is_spooled or "://" in self.label:
            return []
        paths = sorted(path for path in self.path.parent.glob(pattern) if path.is_file() and path != self.path)
        return [attrs.evolve(self, path=path, label=str(path)) for path in paths]


def spool(stream: IO[bytes]) -> Path:
    """A stream kept in an unnamed temporary file, so that it can be read again; the path leads to its descriptor."""
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(stream, file)
        file.flush()
        return Path(_DESCRIPTORS, str(os.dup(file.fileno())))


def find_sources(
    arguments: tuple[str, ...],
    *,
    stdin: Path | None = None,
    strict: bool = False,
    max_record: int = 256 << 20,
    left_out: "LeftOut | None" = None,
) -> Iterator[FileSource | InputError]:
    """One source a file, folders and globs in sorted order; an ``InputError`` for an argument that leads to none.

    ``-`` is what was read from standard input, kept at ``stdin``; it is called "stdin" wherever it is spoken of. What Sentinel
    wrote itself is left out of folders and globs, and so are files that are read with another; ``left_out`` gets them.
    """
    passed = {} if left_out is None else left_out
    for argument in arguments:
        if argument == "-" and stdin is not None:
            yield FileSource(path=stdin, label="stdin", strict=strict, max_record=max_record)
        elif "://" in argument:
            from sentinel_core.sources.remote import find_remote

            yield from find_remote(argument, strict=strict, max_record=max_record, left_out=passed)
        elif os.path.exists(argument) and not os.path.isdir(argument):  # noqa: PTH110, PTH112 - its folder may forbid to ask
            named = FileSource(path=Path(argument), label=str(Path(argument)), strict=strict, max_record=max_record)
            yield from _named(named)
        else:
            from sentinel_core.sources.folders import find_in_folders

            yield from find_in_folders(argument, strict=strict, max_record=max_record, left_out=passed)


def _named(source: FileSource) -> Iterator[FileSource | InputError]:
    """A pipe (``<(zcat traces.jsonl.gz)`` in a shell) can be read once only, and is kept."""
    try:
        if source.path.is_file():
            yield from sources_in(source, first_bytes(source.path))
            return
        with source.path.open("rb") as stream:
            yield attrs.evolve(source, path=spool(stream))
    except OSError as error:
        yield unread(source, error)


def sources_in(source: FileSource, head: bytes) -> Iterator[FileSource | InputError]:
    """The source, which begins with ``head``; of a zip archive its members, or why it cannot be read."""
    if source.path.suffix == ".eval" or not head.startswith(ZIP):
        yield source
        return
    try:
        for member, namesakes in zip_members(source.path, _PLAIN):
            yield attrs.evolve(source, member=member, namesakes=namesakes, label=f"{source.label}/{member}")
    except OSError as error:
        yield unread(source, error)


def first_bytes(path: Path) -> bytes:
    """So many that they tell what kind of file it is. Raises ``OSError``."""
    with path.open("rb", buffering=0) as stream:
        return stream.read(HEAD)


def bytes_before_end(path: Path, distance: int, length: int) -> bytes:
    """So many, from a place so far before the end. Raises ``OSError``."""
    with path.open("rb", buffering=0) as stream:
        stream.seek(-distance, os.SEEK_END)
        return stream.read(length)


def unread(source: FileSource, error: OSError) -> InputError:
    """What the system refused."""
    return source.refused(f"cannot be read: {error.strerror or error}")
