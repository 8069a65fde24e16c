"""The newest session of a tool, where that tool keeps them."""

import os
import re
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.offers import TraceReader
from sentinel_core.traces.sources.file_source import FileSource

__all__ = ["latest_session"]

_VARIABLE = r"\$\{(\w+):-([^}]*)\}"


def latest_session(reader: TraceReader, *, strict: bool, max_record: int) -> FileSource:
    """The file changed last among those that the reader's tool keeps; of equals the last by name.

    Raises ``InputError`` where the reader knows no such place, or there is nothing.
    """
    if not reader.kept_at:
        raise InputError(f'--latest "{reader.name}": it is not known where that tool keeps its sessions; name the file')
    import glob

    patterns = [os.path.expanduser(re.sub(_VARIABLE, _value, pattern)) for pattern in reader.kept_at]  # noqa: PTH111 - a pattern
    paths = [Path(name) for pattern in patterns for name in glob.glob(pattern)]  # noqa: PTH207 - the pattern is absolute
    changed = {path: told.st_mtime_ns for path in paths if (told := _stat(path)) is not None}
    if not changed:
        raise InputError(f'--latest "{reader.name}": no session in {", ".join(patterns)}')
    newest = max(changed, key=lambda path: (changed[path], str(path)))
    return FileSource(path=newest, label=str(newest), strict=strict, max_record=max_record)


def _value(match: re.Match[str]) -> str:
    return os.environ.get(match[1]) or match[2]


def _stat(path: Path) -> os.stat_result | None:
    """None for a link that leads nowhere, and for a session that its tool removed just now."""
    try:
        return path.stat()
    except OSError:
        return None
