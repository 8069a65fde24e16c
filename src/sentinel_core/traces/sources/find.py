"""Finds the files for command-line arguments: files, folders, globs, URLs, and standard input."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import attrs

from sentinel_core.errors import InputError
from sentinel_core.traces.sources.file_source import (
    DESCRIPTORS,
    PLAIN,
    SPOOLED,
    FileSource,
    first_bytes,
    sources_in,
    unread,
)

if TYPE_CHECKING:
    from sentinel_core.traces.sources.own import LeftOut

__all__ = ["find_sources", "spool"]


def spool(stream: IO[bytes]) -> Path:
    """Copy a stream to an unnamed temporary file, so that it can be read again; returns the path of its descriptor.

    Where children do not share descriptors (Windows), the file has a name, and is removed when this process ends.
    """
    import shutil
    import tempfile

    if not hasattr(os, "fork"):
        import atexit

        with tempfile.NamedTemporaryFile(prefix=SPOOLED, delete=False) as named:
            shutil.copyfileobj(stream, named)
        path = Path(named.name)
        atexit.register(path.unlink, missing_ok=True)
        return path
    with tempfile.TemporaryFile() as file:
        shutil.copyfileobj(stream, file)
        file.flush()
        return Path(DESCRIPTORS, str(os.dup(file.fileno())))


def find_sources(
    arguments: tuple[str, ...],
    *,
    stdin: Path | None = None,
    strict: bool = False,
    max_record: int = 256 << 20,
    left_out: "LeftOut | None" = None,
) -> Iterator[FileSource | InputError]:
    """One source per file; folders and globs in sorted order; an ``InputError`` for an argument without a file.

    ``-`` is standard input, spooled at ``stdin`` and labelled "stdin". In folders and globs, files that Sentinel wrote and
    files that are read as part of another are left out and added to ``left_out``.
    """
    left_out = {} if left_out is None else left_out
    for argument in arguments:
        if argument == "-" and stdin is not None:
            yield FileSource(path=stdin, label="stdin", strict=strict, max_record=max_record)
        elif "://" in argument:
            from sentinel_core.traces.sources.remote import find_remote

            yield from find_remote(argument, strict=strict, max_record=max_record, left_out=left_out)
        elif os.path.exists(argument) and not os.path.isdir(argument):  # noqa: PTH110, PTH112 - its folder may forbid to ask
            named = FileSource(path=Path(argument), label=str(Path(argument)), strict=strict, max_record=max_record)
            yield from _named(named)
        else:
            from sentinel_core.traces.sources.folders import find_in_folders

            yield from find_in_folders(argument, strict=strict, max_record=max_record, left_out=left_out)


def _named(source: FileSource) -> Iterator[FileSource | InputError]:
    """The file; a pipe (``<(zcat traces.jsonl.gz)`` in a shell) can be read only once, so it is spooled."""
    try:
        if source.path.is_file():
            held = list(sources_in(source, first_bytes(source.path)))
            yield from held or [source.refused(f"is an archive without trace files (looked for {', '.join(PLAIN)})")]
            return
        with source.path.open("rb") as stream:
            yield attrs.evolve(source, path=spool(stream))
    except OSError as error:
        yield unread(source, error)
