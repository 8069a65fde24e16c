"""Looks at the working tree when the agent stops: the files that its last message names, and what the repository's logs tell. Only reads."""

import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from sentinel_command_hook.repository import (
    Repository,
    head_log,
    index_states,
    pushes,
    repository_of,
    upstream_of,
    value_of,
)
from sentinel_core import ExecutionTrace
from sentinel_core.errors import InputError
from sentinel_core.evaluate.facts.witness import IndexState, PathState, Witness
from sentinel_core.trace import parsed, to_json

__all__ = ["begin_of", "encoded", "read_witness", "witness_of"]

_PATH = re.compile(r"(?<![\w@:/.-])/?(?:[\w.-]{1,100}/){0,12}[\w.-]{0,100}\w\.\w{1,8}\b(?![/(])")
_MOST_PATHS, _SECONDS, _LONGEST = 50, 0.8, 50_000
_COMMITS = ("commit", "merge", "cherry-pick", "revert", "rebase", "am", "pull")


def begin_of(trace: ExecutionTrace) -> float | None:
    """When the session began, in seconds since 1970; None where the transcript does not tell."""
    told = next((message.timestamp for message in trace.messages if message.timestamp), None)
    try:
        return None if told is None else datetime.fromisoformat(told).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def witness_of(folder: Path, said: str, since: float | None) -> Witness:
    """What is seen of a folder after ``said``. What would take longer than 0.8 seconds is not looked at."""
    until = time.monotonic() + _SECONDS
    paths: dict[str, PathState] = {}
    files: dict[str, os.stat_result] = {}
    for path in _named(said):
        if time.monotonic() > until:
            break
        status = _status(folder, _parts(folder, path))
        if status is not None:
            paths[path] = _state(status, since)
        if isinstance(status, os.stat_result) and stat.S_ISREG(status.st_mode):
            files[path] = status
    repository = repository_of(folder) if since is not None and time.monotonic() < until else None
    if repository is None or since is None:
        return Witness(paths)
    log = head_log(repository)
    commits = (
        None if log is None else [one.new for one in log if one.when >= int(since) and one.why.startswith(_COMMITS)]
    )
    index = _index(repository, folder, files) if time.monotonic() < until else {}
    return Witness(paths, commits, pushes(repository, int(since)), _is_pushed(repository), index)


def _index(repository: Repository, folder: Path, files: Mapping[str, os.stat_result]) -> dict[str, IndexState]:
    """How the named files stand to the index, whose paths begin at the top of the working tree."""
    if repository.tree is None:
        return {}
    below = folder.relative_to(repository.tree)
    names = {path: below.joinpath(*_parts(folder, path)).as_posix() for path in files}
    states = index_states(repository, {names[path]: status for path, status in files.items()})
    return {path: states[name] for path, name in names.items() if name in states}


def _named(said: str) -> Iterator[str]:
    found = dict.fromkeys(match[0] for match in _PATH.finditer(said[:_LONGEST]))
    yield from list(found)[:_MOST_PATHS]


def _state(status: os.stat_result | Literal["absent"], since: float | None) -> PathState:
    """What became of a file."""
    if status == "absent":
        return status
    if since is None:
        return "present"
    return "changed" if status.st_mtime >= since else "older"


def _parts(folder: Path, path: str) -> tuple[str, ...]:
    """The parts of a path below the folder; none where it is not below."""
    parts = PurePosixPath(path).parts
    if path.startswith("/"):
        try:
            parts = Path(path).relative_to(folder).parts
        except ValueError:
            return ()
    return () if ".." in parts else parts


def _status(folder: Path, parts: tuple[str, ...]) -> os.stat_result | Literal["absent"] | None:
    """Of the file at the end of the parts, with nothing followed on the way; None for what is elsewhere, behind a link, or cannot be looked at.

    A name without a folder, or in a folder that is not there, may be of a file in any.
    """
    place, status = folder, None
    for number, part in enumerate(parts):
        place = place / part
        is_last = number == len(parts) - 1
        try:
            status = place.lstat()
        except FileNotFoundError:
            return "absent" if is_last and number else None
        except (OSError, ValueError):
            return None
        if stat.S_ISLNK(status.st_mode) and not is_last:
            return None
    return status


def _is_pushed(repository: Repository) -> bool | None:
    name = upstream_of(repository) if repository.branch else ""
    upstream = value_of(repository.common, name) if name else ""
    return upstream == repository.head if upstream and repository.head else None


def encoded(witness: Witness) -> bytes:
    """The witness file."""
    return to_json(witness.document()) + b"\n"


def read_witness(path: Path) -> Witness:
    """A witness file. Raises ``InputError`` or ``OSError``."""
    try:
        return Witness.of(parsed(path.read_bytes().decode("utf-8", "replace")))
    except ValueError as error:
        raise InputError(f"is no witness file: {error}", label=str(path)) from None
