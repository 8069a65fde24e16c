"""Finds the sessions that a tool keeps on this machine, and the newest that worked in a folder (``--latest``)."""

import os
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.offers import TraceReader
from sentinel_core.traces.sources.file_source import FileSource

__all__ = ["expanded", "first_of_folder", "latest_session", "session_files", "works_in"]

_VARIABLE = r"\$\{(\w+):-([^}]*)\}"
_HEAD = 1 << 16  # bytes in which a session names the folder that it works in
_LOOKED_AT = 1000
_FOLDER = re.compile(rb'"(?:cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")|projectHash"\s*:\s*"([0-9a-f]{16,64})")')


def latest_session(reader: TraceReader, *, strict: bool, max_record: int) -> FileSource:
    """The most recently changed session of the reader's tool that worked in the working directory, else of all.

    Ties are broken by name, last first. Raises ``InputError`` if the reader declares no place for sessions, or there is none.
    """
    if not reader.kept_at:
        raise InputError(
            f'--latest "{reader.name}": this reader does not know where its tool stores sessions; give the path of a session'
        )
    patterns = [expanded(pattern) for pattern in reader.kept_at]
    found = session_files(patterns)
    if not found:
        raise InputError(f'--latest "{reader.name}": no session was found in {", ".join(patterns)}')
    newest_first = sorted(found, key=lambda path: (found[path].st_mtime_ns, str(path)), reverse=True)
    newest = first_of_folder(newest_first, Path.cwd()) or newest_first[0]
    return FileSource(path=newest, label=str(newest), strict=strict, max_record=max_record)


def first_of_folder(sessions: Iterable[Path], folder: Path) -> Path | None:
    """The first of at most a thousand sessions that worked in the folder."""
    return next((path for path in islice(sessions, _LOOKED_AT) if works_in(path, folder)), None)


def works_in(session: Path, folder: Path) -> bool | None:
    """Whether the session's first lines name the folder (an absolute path); None if it cannot be read.

    One that names none and has a relative path is kept in the working directory itself, as a project's history is.

    Tools name the working directory as ``cwd``; Gemini CLI gives the first digits of the SHA-256 of its path.
    """
    try:
        with session.open("rb") as file:
            named = _FOLDER.search(file.read(_HEAD))
    except (OSError, ValueError):  # it is gone, or its name is none
        return None
    if named is None:
        return not session.is_absolute() and session.absolute().is_relative_to(folder)
    if named[2]:
        import hashlib  # loads OpenSSL

        return hashlib.sha256(os.fsencode(folder)).hexdigest().startswith(named[2].decode())
    try:
        import json

        return bool(Path(json.loads(named[1])) == folder)
    except ValueError:
        return False


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
