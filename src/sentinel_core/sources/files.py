"""Where bytes come from. Compressed files are read through; ids and names from inside a trace never become paths."""

import errno
import os
import stat
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import IO

import attrs

from sentinel_core.errors import InputError
from sentinel_core.sources.own import HEAD, is_own
from sentinel_core.sources.streams import ZIP, open_decompressed, zip_members
from sentinel_core.sources.walk import Walk, is_pattern

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
    arguments: tuple[str, ...], *, stdin: Path | None = None, strict: bool = False, max_record: int = 256 << 20
) -> Iterator[FileSource | InputError]:
    """One source a file, folders and globs in sorted order; an ``InputError`` for an argument that leads to none.

    ``-`` is what was read from standard input, kept at ``stdin``; it is called "stdin" wherever it is spoken of. What Sentinel
    wrote itself is left out of folders and globs.
    """
    for argument in arguments:
        if argument == "-" and stdin is not None:
            yield FileSource(path=stdin, label="stdin", strict=strict, max_record=max_record)
        elif "://" in argument:
            from sentinel_core.sources.remote import find_remote

            yield from find_remote(argument, strict=strict, max_record=max_record)
        elif os.path.exists(argument) and not os.path.isdir(argument):  # noqa: PTH110, PTH112 - its folder may forbid to ask
            named = FileSource(path=Path(argument), label=str(Path(argument)), strict=strict, max_record=max_record)
            yield from _named(named)
        else:
            yield from _found(argument, strict=strict, max_record=max_record)


def _named(source: FileSource) -> Iterator[FileSource | InputError]:
    """A pipe (``<(zcat traces.jsonl.gz)`` in a shell) can be read once only, and is kept."""
    try:
        if source.path.is_file():
            yield from _sources(source, _head(source.path))
            return
        with source.path.open("rb") as stream:
            yield attrs.evolve(source, path=spool(stream))
    except OSError as error:
        yield _unread(source.label, error)


def _found(argument: str, *, strict: bool, max_record: int) -> Iterator[FileSource | InputError]:
    """What a folder or a glob leads to."""
    walk = Walk()
    paths, root = _expand(argument, walk)
    found = False
    for path in paths:
        source = FileSource(path=path, label=str(path), root=root, strict=strict, max_record=max_record)
        try:
            head = _head_of_file(path, walk)
        except InputError as error:
            yield error
        else:
            if is_own(path, head):
                continue
            yield from _sources(source, head)
        found = True
    if not found:
        yield InputError(_nothing_at(argument, only_own=bool(paths)))


def _head_of_file(path: Path, walk: Walk) -> bytes:
    """Raises ``InputError`` for anything else, and for what cannot be read."""
    if path in walk.unread:
        raise InputError(f'"{path}": this folder cannot be read: {walk.unread[path]}')
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return _head(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise _unread(str(path), error) from None
    raise InputError(f'"{path}": is no file, or a link that leads to none')


def _sources(source: FileSource, head: bytes) -> Iterator[FileSource | InputError]:
    """A zip archive is its members."""
    if source.path.suffix == ".eval" or not head.startswith(ZIP):
        yield source
        return
    try:
        for member in zip_members(source.path, _PLAIN):
            yield attrs.evolve(source, member=member, label=f"{source.label}/{member}")
    except OSError as error:
        yield _unread(source.label, error)


def _head(path: Path) -> bytes:
    with path.open("rb", buffering=0) as stream:
        return stream.read(HEAD)


def _unread(label: str, error: OSError) -> InputError:
    return InputError(f'"{label}": cannot be read: {error.strerror or error}')


def _expand(argument: str, walk: Walk) -> tuple[list[Path], str]:
    """Paths, and the folder that a folder or a glob is about: what comes before the first part with a wildcard."""
    if os.path.isdir(argument):  # noqa: PTH112 - as above
        found = walk.below(argument, SUFFIXES)
        sessions = frozenset(found)
        return [path for path in found if _session_of(path) not in sessions], str(Path(argument))
    if is_pattern(argument):
        before = takewhile(lambda part: not is_pattern(part), Path(argument).parts)
        return walk.matches(argument), str(Path(*before))
    return [], ""


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


def _nothing_at(argument: str, *, only_own: bool) -> str:
    if only_own:
        return f'"{argument}": nothing but what Sentinel wrote itself (a file of it that is named is read)'
    if os.path.isdir(argument):  # noqa: PTH112 - as above
        return f'"{argument}": no trace files in this folder (looked for {", ".join(SUFFIXES)})'
    if is_pattern(argument):
        return f'"{argument}": no file matches'
    return f'"{argument}": {_why_not_there(argument)}'


def _why_not_there(argument: str) -> str:
    try:
        Path(argument).stat()
    except PermissionError as error:
        return f"cannot be read: {error.strerror}"
    except OSError:
        pass
    return "no such file or folder"
