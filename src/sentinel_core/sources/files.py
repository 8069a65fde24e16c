"""Where bytes come from. Compressed files are read through; ids and names from inside a trace never become paths."""

import os
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import IO

import attrs

from sentinel_core.errors import InputError
from sentinel_core.sources.streams import is_zip, open_decompressed, zip_members

__all__ = ["SUFFIXES", "FileSource", "find_sources", "spool"]

_PLAIN = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
_DESCRIPTORS = "/dev/fd"
_SUB_AGENT = b'"isSidechain"'
_HEAD = 1 << 16
SUFFIXES = (*_PLAIN, *(f"{plain}{packed}" for plain in _PLAIN for packed in (".gz", ".zst")), ".zip")


@attrs.frozen(kw_only=True)
class FileSource:
    """A file as the user named it (``label``), below the folder ``root`` where a folder or a glob was named.

    ``member`` is a file inside a zip archive; ``max_record`` caps one record, in bytes after decompression. A part of a large
    file is the ``length`` bytes from ``start``, with so many lines and records before it. ``url`` is where a file is
    that is not on this machine, and ``size`` its bytes.
    """

    path: Path
    label: str
    root: str = ""
    strict: bool = False
    max_record: int = 256 << 20
    member: str | None = None
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
        return Path(self.label).relative_to(self.root).as_posix() if self.root else self.name

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

    def open(self) -> IO[bytes]:
        """The bytes from the start, decompressed where they begin as gzip or Zstandard do, whatever the file is called."""
        if self.length is not None:
            from sentinel_core.sources.parts import open_part

            return open_part(self.path, self.start, self.length)
        return open_decompressed(self.path, self.member)

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
    leave_out: Callable[[Path], bool] = lambda _path: False,
) -> Iterator[FileSource | InputError]:
    """One source a file, folders and globs in sorted order; an ``InputError`` for an argument that leads to none.

    ``-`` is what was read from standard input, kept at ``stdin``; it is called "stdin" wherever it is spoken of.
    ``leave_out`` tells which files of folders and globs are not meant.
    """
    for argument in arguments:
        if argument == "-" and stdin is not None:
            yield FileSource(path=stdin, label="stdin", strict=strict, max_record=max_record)
            continue
        if "://" in argument:
            from sentinel_core.sources.remote import find_remote

            yield from find_remote(argument, strict=strict, max_record=max_record)
            continue
        found, root = False, _root(argument)
        for path in _expand(argument):
            is_named = path == Path(argument)
            if not is_named and leave_out(path):
                continue
            found = True
            if is_named or path.is_file():
                source = FileSource(path=path, label=str(path), root=root, strict=strict, max_record=max_record)
                yield from _sources(source)
            else:
                yield InputError(f'"{path}": is no file, or a link that leads to none')
        if not found:
            yield InputError(_nothing_at(argument))


def _sources(source: FileSource) -> Iterator[FileSource | InputError]:
    """A zip archive is its members. A pipe (``<(zcat traces.jsonl.gz)`` in a shell) can be read once only, and is kept."""
    try:
        if not source.path.is_file():
            with source.path.open("rb") as stream:
                yield attrs.evolve(source, path=spool(stream))
        elif source.path.suffix != ".eval" and is_zip(source.path):
            for member in zip_members(source.path, _PLAIN):
                yield attrs.evolve(source, member=member, label=f"{source.label}/{member}")
        else:
            yield source
    except OSError as error:
        yield InputError(f'"{source.label}": cannot be read: {error.strerror or error}')


def _expand(argument: str) -> Iterator[Path]:
    path = Path(argument)
    if path.is_dir():
        found = sorted(inner for inner in path.rglob("*") if inner.name.endswith(SUFFIXES) and not inner.is_dir())
        sessions = frozenset(found)
        yield from (inner for inner in found if _session_of(inner) not in sessions)
    elif path.exists():
        yield path
    elif _is_pattern(argument):
        import glob

        yield from (
            Path(name)
            for name in sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - the pattern may be absolute
            if not Path(name).is_dir()
        )


def _root(argument: str) -> str:
    """The folder that a folder or a glob is about: what comes before the first part with a wildcard. Empty for a file."""
    path = Path(argument)
    if path.is_dir():
        return str(path)
    return "" if path.exists() else str(Path(*takewhile(lambda part: not _is_pattern(part), path.parts)))


def _session_of(path: Path) -> Path | None:
    """``SESSION.jsonl`` for ``SESSION/subagents/.../agent-ID.jsonl``, which Claude Code's reader reads with its session.

    None for files of other tools that happen to be called so.
    """
    if path.match("agent-*.jsonl"):
        for folder in path.parents:
            if folder.name == "subagents" and path.is_file() and _is_of_sub_agent(path):
                return folder.parent.with_name(f"{folder.parent.name}.jsonl")
    return None


def _is_of_sub_agent(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return _SUB_AGENT in stream.read(_HEAD)
    except OSError:  # told where it is read
        return False


def _is_pattern(argument: str) -> bool:
    import glob

    return glob.has_magic(argument)


def _nothing_at(argument: str) -> str:
    if Path(argument).is_dir():
        return f'"{argument}": no trace files in this folder (looked for {", ".join(SUFFIXES)})'
    if _is_pattern(argument):
        return f'"{argument}": no file matches'
    return f'"{argument}": no such file or folder'
