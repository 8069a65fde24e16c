"""The input's sizes, which files can be split, and identities that show later whether a file changed."""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence

import attrs

from sentinel_core.errors import InputError
from sentinel_core.judging.batch.manifest import Inputs
from sentinel_core.traces.sources import FileSource
from sentinel_core.traces.sources.streams import is_plain

__all__ = ["Measured", "identities", "measured"]

_COMPRESSED_BY = 8


@attrs.frozen
class Measured:
    """The size of each source in bytes (estimated if compressed), and which sources can be split."""

    sizes: tuple[int, ...]
    cuttable: tuple[bool, ...]

    @property
    def total(self) -> int:
        """The sum of all sizes in bytes."""
        return sum(self.sizes)


def measured(sources: Sequence[FileSource | InputError], from_size: int) -> Measured:
    """Measure the sources. Only files of at least ``from_size`` bytes are opened, to see if they can be split."""
    found = [_measure(source, from_size) for source in sources]
    return Measured(tuple(size for size, _ in found), tuple(plain for _, plain in found))


def _measure(source: FileSource | InputError, from_size: int) -> tuple[int, bool]:
    if isinstance(source, InputError):
        return 0, False
    if source.url:
        return source.size, not source.label.endswith((".gz", ".zst", ".zip"))
    try:
        size = source.path.stat().st_size
        if size < from_size and source.member is None:
            return size, False
        plain = source.member is None and is_plain(source.path)
    except OSError:  # reading it reports the error
        return 0, False
    return (size, True) if plain else (size * _COMPRESSED_BY, False)


def identities(sources: Sequence[FileSource | InputError]) -> Inputs:
    """What identifies each file's content, by label; a repeated label gets a number."""
    found: Inputs = {}
    copies: Counter[str] = Counter()
    for source in sources:
        label = str(source) if isinstance(source, InputError) else source.label
        copies[label] += 1
        name = label if copies[label] == 1 else f"{label} (given {copies[label]} times)"
        found[name] = [] if isinstance(source, InputError) else _identity(source)
    return found


def _identity(source: FileSource) -> list[int | str]:
    if source.url:
        from sentinel_core.traces.sources.remote import remote_identity

        return [source.size, remote_identity(source.url)]
    try:
        stat = source.path.stat()
        if source.is_spooled:
            with source.path.open("rb") as stream:
                return [stat.st_size, hashlib.file_digest(stream, "sha256").hexdigest()]
    except OSError as error:
        return [os.strerror(error.errno or 0)]
    return [stat.st_size, stat.st_mtime_ns]
