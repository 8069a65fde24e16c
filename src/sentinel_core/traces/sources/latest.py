"""Finds the newest session of a tool (``--latest``)."""

import os
import re
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.offers import TraceReader
from sentinel_core.traces.sources.file_source import FileSource

__all__ = ["latest_session"]

_VARIABLE = r"\$\{(\w+):-([^}]*)\}"


def latest_session(reader: TraceReader, *, strict: bool, max_record: int) -> FileSource:
    """The most recently changed session file of the reader's tool; on a tie the last by name.

    Raises ``InputError`` if the reader declares no place for sessions, or there is none.
    """
    if not reader.kept_at:
        raise InputError(
            f'--latest "{reader.name}": this reader does not say where its tool keeps sessions; name the file'
        )
    import glob

    patterns = [os.path.expanduser(re.sub(_VARIABLE, _value, pattern)) for pattern in reader.kept_at]  # noqa: PTH111 - a pattern
    paths = [Path(name) for pattern in patterns for name in glob.glob(pattern)]  # noqa: PTH207 - the pattern is absolute
    changed = {path: status.st_mtime_ns for path in paths if (status := _stat(path)) is not None}
    if not changed:
        raise InputError(f'--latest "{reader.name}": no session in {", ".join(patterns)}')
    newest = max(changed, key=lambda path: (changed[path], str(path)))
    return FileSource(path=newest, label=str(newest), strict=strict, max_record=max_record)


def _value(match: re.Match[str]) -> str:
    return os.environ.get(match[1]) or match[2]


def _stat(path: Path) -> os.stat_result | None:
    """None for a broken link, and for a session that its tool has just removed."""
    try:
        return path.stat()
    except OSError:
        return None
