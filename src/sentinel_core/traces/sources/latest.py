"""Finds the sessions that a tool keeps on this machine, and the newest of them (``--latest``)."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.offers import TraceReader
from sentinel_core.traces.sources.file_source import FileSource

__all__ = ["expanded", "latest_session", "session_files"]

_VARIABLE = r"\$\{(\w+):-([^}]*)\}"


def latest_session(reader: TraceReader, *, strict: bool, max_record: int) -> FileSource:
    """The most recently changed session file of the reader's tool; on a tie the last by name.

    Raises ``InputError`` if the reader declares no place for sessions, or there is none.
    """
    if not reader.kept_at:
        raise InputError(
            f'--latest "{reader.name}": this reader does not know where its tool stores sessions; name the file'
        )
    patterns = [expanded(pattern) for pattern in reader.kept_at]
    found = session_files(patterns)
    if not found:
        raise InputError(f'--latest "{reader.name}": no session in {", ".join(patterns)}')
    newest = max(found, key=lambda path: (found[path].st_mtime_ns, str(path)))
    return FileSource(path=newest, label=str(newest), strict=strict, max_record=max_record)


def expanded(pattern: str) -> str:
    """A pattern of ``TraceReader.kept_at`` with its variables and ``~`` replaced."""
    return os.path.expanduser(re.sub(_VARIABLE, _value, pattern))  # noqa: PTH111 - a pattern


def session_files(patterns: Iterable[str]) -> dict[Path, os.stat_result]:
    """The files that expanded patterns match now, with their state."""
    import glob

    paths = [Path(name) for pattern in patterns for name in glob.glob(pattern)]  # noqa: PTH207 - the pattern is absolute
    return {path: status for path in paths if (status := _stat(path)) is not None}


def _value(match: re.Match[str]) -> str:
    return os.environ.get(match[1]) or match[2]


def _stat(path: Path) -> os.stat_result | None:
    """None for a broken link, and for a session that its tool has just removed."""
    try:
        return path.stat()
    except OSError:
        return None
