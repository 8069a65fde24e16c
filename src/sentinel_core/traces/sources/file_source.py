"""A file to read, compressed or not. Ids and names from inside a trace never become paths."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sentinel_core._fast import collected, declared, evolve, field
from sentinel_core.errors import InputError
from sentinel_core.traces.sources.streams import HEAD, ZIP, open_decompressed, open_part, zip_members

__all__ = [
    "DESCRIPTORS",
    "PLAIN",
    "SPOOLED",
    "SUFFIXES",
    "FileSource",
    "as_text",
    "bytes_before_end",
    "first_bytes",
    "may_hold_traces",
    "shown_url",
    "sources_in",
    "unread",
    "without_secrets",
]

_NO_TEXT = re.compile("[\ud800-\udfff]")
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # how Python holds the bytes of a name that are not UTF-8 (PEP 383)

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://"
_URL = re.compile(rf"""{_SCHEME}[^\s"'<>]+""")
# A password may contain any character; digits after a colon may be a port instead.
_USER = re.compile(r"(?<=://)(?:[^\s/?#:@\[]*:(?!:|\d+(?:[/?#]|$)).*@|(?:(?<=http://)|(?<=https://))[^/?#@]*@)")
_ON_THE_WEB = re.compile(r"https?://[^?#]*")
_QUERY = re.compile(r"\?[\w.~%-]+=.*", re.DOTALL)  # outside the web, "?" may be a wildcard


def as_text(name: str) -> str:
    r"""The name with ``\xff`` for a byte that is not UTF-8, so that it can be written and stays distinct."""
    return name if name.isascii() else _NO_TEXT.sub(_escaped, name)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if _FIRST_BYTE <= code <= _LAST_BYTE else f"\\u{code:04x}"


def shown_url(url: str) -> str:
    """The URL without user, password and query; a query often holds a signature that grants access."""
    shown = _USER.sub("", url)
    on_the_web = _ON_THE_WEB.match(shown)
    return on_the_web[0] if on_the_web else _QUERY.sub("", shown)


def without_secrets(text: str) -> str:
    """Text, such as an error's, with the secrets of each URL removed."""
    return _URL.sub(lambda match: shown_url(match[0]), text)


PLAIN = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
DESCRIPTORS = "/dev/fd"
SPOOLED = "sentinel-stdin-"  # how the names of such copies begin where children do not share descriptors
SUFFIXES = (*PLAIN, *(f"{plain}{packed}" for plain in PLAIN for packed in (".gz", ".zst")), ".zip")

# Most files in Markdown are no traces: those that are have a name and a place of their own.
_HISTORY = re.compile(r"(?:.*/)?(?:\.specstory/history/[^/]+\.md|\.aider\.chat\.history\.md)", re.DOTALL)


def may_hold_traces(path: str) -> bool:
    """Whether a file in a folder is read, by its path."""
    return path.endswith(SUFFIXES) or (
        path.endswith(".md") and _HISTORY.fullmatch(os.path.abspath(path)) is not None  # noqa: PTH100 - text is fast
    )


@collected
@declared(kw_only=True)
class FileSource:
    """A file as the user named it (``label``), below the folder ``root`` if the user named a folder or a glob.

    ``member`` is a file inside a zip archive; ``namesakes`` counts the members of that name before it. ``max_record`` caps one
    record, in bytes after decompression. A part of a large file is the ``length`` bytes from ``start``, after ``lines_before``
    lines and ``records_before`` records. ``url`` is the address of a remote file, ``size`` its bytes; the URL may hold a
    password, so it is neither written nor shown.
    """

    path: Path
    label: str = field(converter=as_text)
    root: str = field(default="", converter=as_text)
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
        """The path below ``root``, else the file's name; the same from every working directory."""
        path = Path(self.label)
        is_below = self.root and path != Path(self.root) and path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if is_below else self.name

    @property
    def is_spooled(self) -> bool:
        """True for standard input and pipes, copied to a file that only this process and its children can open."""
        return self.path.is_relative_to(DESCRIPTORS) or self.path.name.startswith(SPOOLED)

    @property
    def bytes_on_disk(self) -> int:
        """The file's size, compressed or not; 0 if there is no such file."""
        if self.url:
            return self.size
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def is_cut_short(self) -> bool:
        """True for a part if the file was truncated since, so that the part is incomplete."""
        return self.length is not None and self.bytes_on_disk < self.start + self.length

    @property
    def is_gone(self) -> bool:
        """True for a part if the file was truncated since, so that nothing of the part is left."""
        return self.length is not None and self.bytes_on_disk <= self.start

    def open(self) -> IO[bytes]:
        """The bytes from the start; gzip and Zstandard are recognised by their first bytes, not by the name."""
        if self.length is not None:
            return open_part(self.path, self.start, self.length)
        return open_decompressed(self.path, self.member, self.namesakes)

    def refused(self, reason: str) -> InputError:
        """An error that says why this file cannot be read."""
        return InputError(reason, label=self.label, place=self.place)

    def sibling(self, name: str) -> "FileSource | None":
        """The file at a relative path beside or below this one; None if it is missing or the path leads elsewhere."""
        import glob

        files = self.siblings(glob.escape(name))
        return files[0] if files else None

    def siblings(self, pattern: str) -> "list[FileSource]":
        """Files beside or below this one that match a relative glob pattern, sorted by name; no link leads elsewhere."""
        relative = Path(pattern)
        outside = not relative.parts or relative.is_absolute() or ".." in relative.parts
        if outside or self.is_spooled or "://" in self.label:
            return []
        here = self.path.parent.resolve()
        found = (path for path in self.path.parent.glob(pattern) if path.is_file() and path != self.path)
        paths = sorted(path for path in found if path.resolve().is_relative_to(here))
        return [evolve(self, path=path, label=str(path)) for path in paths]


def sources_in(source: FileSource, head: bytes) -> Iterator[FileSource | InputError]:
    """The source, which begins with ``head``; for a zip archive its members, or an error if it cannot be read."""
    if source.path.suffix == ".eval" or not head.startswith(ZIP):
        yield source
        return
    try:
        for member, namesakes in zip_members(source.path, PLAIN):
            yield evolve(source, member=member, namesakes=namesakes, label=f"{source.label}/{member}")
    except OSError as error:
        yield unread(source, error)


def first_bytes(path: Path) -> bytes:
    """The first ``HEAD`` bytes, which identify the kind of file. Raises ``OSError``."""
    with path.open("rb", buffering=0) as stream:
        return stream.read(HEAD)


def bytes_before_end(path: Path, distance: int, length: int) -> bytes:
    """``length`` bytes, starting ``distance`` bytes before the end. Raises ``OSError``."""
    with path.open("rb", buffering=0) as stream:
        stream.seek(-distance, os.SEEK_END)
        return stream.read(length)


def unread(source: FileSource, error: OSError) -> InputError:
    """The error for a file that the system refused to read."""
    return source.refused(f"cannot be read: {error.strerror or error}")
