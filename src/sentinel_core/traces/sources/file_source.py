"""Where bytes come from. Compressed files are read through; ids and names from inside a trace never become paths."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import attrs

from sentinel_core.errors import InputError
from sentinel_core.traces.sources.streams import HEAD, ZIP, open_decompressed, open_part, zip_members

__all__ = [
    "DESCRIPTORS",
    "SUFFIXES",
    "FileSource",
    "as_text",
    "bytes_before_end",
    "first_bytes",
    "shown_url",
    "sources_in",
    "unread",
    "without_secrets",
]

_NO_TEXT = re.compile("[\ud800-\udfff]")
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # for what a byte of a name stands that is no UTF-8

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://"
_URL = re.compile(rf"""{_SCHEME}[^\s"'<>]+""")
# A password may hold anything; what stands behind a colon may be a port instead.
_USER = re.compile(r"(?<=://)(?:[^\s/?#:@\[]*:(?!:|\d+(?:[/?#]|$)).*@|(?:(?<=http://)|(?<=https://))[^/?#@]*@)")
_ON_THE_WEB = re.compile(r"https?://[^?#]*")
_QUERY = re.compile(r"\?[\w.~%-]+=.*", re.DOTALL)  # elsewhere than on the web, "?" is a wildcard, too


def as_text(name: str) -> str:
    r"""The same, with ``\xff`` for a byte that is no UTF-8: what is written can hold it, and two names are two."""
    return name if name.isascii() else _NO_TEXT.sub(_escaped, name)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if _FIRST_BYTE <= code <= _LAST_BYTE else f"\\u{code:04x}"


def shown_url(url: str) -> str:
    """Without user, password and query, which often holds a signature that is as good as a password."""
    shown = _USER.sub("", url)
    on_the_web = _ON_THE_WEB.match(shown)
    return on_the_web[0] if on_the_web else _QUERY.sub("", shown)


def without_secrets(text: str) -> str:
    """Text, such as an error's, in which each URL stands as it is shown."""
    return _URL.sub(lambda match: shown_url(match[0]), text)


_PLAIN = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
DESCRIPTORS = "/dev/fd"
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
        return self.path.is_relative_to(DESCRIPTORS)

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
