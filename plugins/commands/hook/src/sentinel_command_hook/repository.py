"""A git repository, read as files: where HEAD and its upstream are, and what its logs tell.

No program is run, so nothing that a repository configures (hooks, fsmonitor, filters, pagers) can be. No symbolic link is followed,
only plain files are opened, and only so much of each is read; what is not as git writes it is not known.
"""

import os
import re
import stat
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sentinel_core.evaluate.facts.witness import IndexState

__all__ = ["LogEntry", "Repository", "head_log", "index_states", "pushes", "repository_of", "upstream_of", "value_of"]

_MOST_LEVELS, _MOST, _LARGEST_INDEX = 40, 1 << 20, 16 << 20
# Of an entry of the index: what stands before the id of the blob, and how a flag says that more flags follow.
_STAT, _EXTENDED, _NAME_LENGTH = struct.Struct(">10I"), 0x4000, 0xFFF
_HEADER, _MOST_PLACES = 12, 1_000
_VERSIONS = (2, 3)  # in which each name stands whole
_NAME = re.compile(r"(?!.*\.\.)(?!/)[\w./@+%=-]{1,250}\Z")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_ENTRY = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\n]*> (\d{1,12}) [+-]\d{4}(?:\t([^\n]*))?")


class Repository(NamedTuple):
    """``folder`` holds HEAD, ``common`` what all work trees share; ``branch`` is empty where HEAD is detached.

    ``tree`` is the working tree, which a bare repository has not.
    """

    folder: Path
    common: Path
    branch: str
    head: str
    tree: Path | None


class LogEntry(NamedTuple):
    """A line of a reflog: the new id, when (seconds since 1970), and why."""

    new: str
    when: int
    why: str


def repository_of(folder: Path) -> Repository | None:
    """The repository of a folder; None where there is none, or it is not as git writes it."""
    for level in (folder, *folder.parents[:_MOST_LEVELS]):
        place = _git_folder(level)
        if place is not None:
            return _repository(place, None if place == level else level)
    return None


def _git_folder(level: Path) -> Path | None:
    """The git folder that belongs to one folder."""
    inner = level / ".git"
    if _is_folder(inner):
        return inner
    told = _text(inner).removeprefix("gitdir:").strip()
    if told and "\0" not in told:
        return level / told
    is_bare = _is_folder(level / "objects") and _is_folder(level / "refs") and _text(level / "HEAD") != ""
    return level if is_bare else None


def _repository(folder: Path, tree: Path | None) -> Repository | None:
    shared = _text(folder / "commondir").strip()
    common = folder / shared if shared and "\0" not in shared else folder
    told = _text(folder / "HEAD").strip()
    branch = told.removeprefix("ref: refs/heads/") if told.startswith("ref: refs/heads/") else ""
    if branch and _NAME.match(branch):
        return Repository(folder, common, branch, value_of(common, f"refs/heads/{branch}"), tree)
    return Repository(folder, common, "", told, tree) if _ID.match(told) else None


def value_of(common: Path, name: str) -> str:
    """The id that a reference has; empty where it has none, or it is not known."""
    if not _NAME.match(name):
        return ""
    own = _text(common / name).strip()
    if _ID.match(own):
        return own
    packed = (line.split(" ", 1) for line in _text(common / "packed-refs").splitlines())
    return next((row[0] for row in packed if row[1:] == [name] and _ID.match(row[0])), "")


def upstream_of(repository: Repository) -> str:
    """The reference that the branch is pushed to (``refs/remotes/origin/main``), as the repository's own configuration says."""
    remote = merge = ""
    within = False
    for line in _text(repository.common / "config").splitlines():
        text = line.strip()
        if text.startswith("["):
            within = text == f'[branch "{repository.branch}"]'
        elif within and (told := re.match(r"(remote|merge)\s*=\s*(\S+)\s*\Z", text)):
            remote, merge = (told[2], merge) if told[1] == "remote" else (remote, told[2])
    name = f"refs/remotes/{remote}/{merge.removeprefix('refs/heads/')}"
    return name if remote and merge.startswith("refs/heads/") and _NAME.match(name) else ""


def head_log(repository: Repository) -> list[LogEntry] | None:
    """What HEAD was moved by, oldest first; None where nothing is kept."""
    return _log(repository.folder / "logs" / "HEAD")


def pushes(repository: Repository, since: float) -> list[str] | None:
    """The remote branches that were pushed to since a time; None where no log of a remote branch is kept."""
    folder = repository.common / "logs" / "refs" / "remotes"
    logs = [(path, log) for path in _files_below(folder) if (log := _log(path)) is not None]
    found = [
        path.relative_to(folder).as_posix()
        for path, log in logs
        if any(entry.when >= since and "by push" in entry.why for entry in log)
    ]
    return sorted(found) if logs else None


def index_states(repository: Repository, files: Mapping[str, os.stat_result]) -> dict[str, IndexState]:
    """How files of the working tree stand to the index, by their paths in it; none where the index is not known.

    Names are searched for, so that an index of 100,000 files takes no longer than its bytes.
    """
    data = _bytes(repository.folder / "index", most=_LARGEST_INDEX, whole=True) if files else None
    if data is None or data[:4] != b"DIRC" or int.from_bytes(data[4:8], "big") not in _VERSIONS:
        return {}
    id_size = len(repository.head) // 2 or 20  # of a branch without a commit, as most repositories have it
    names = ((path, path.encode("utf-8", "surrogateescape")) for path in files)
    states = ((path, _index_state(data, name, files[path], id_size)) for path, name in names)
    return {path: state for path, state in states if state is not None}


def _index_state(data: bytes, name: bytes, status: os.stat_result, id_size: int) -> IndexState | None:
    """The same of one file; None where its name stands in more places than a name does."""
    at = -1
    for _ in range(_MOST_PLACES):
        at = data.find(name + b"\0", at + 1)
        if at < 0:
            return "untracked"
        for more in (0, 2):
            begin = at - more - 2 - id_size - _STAT.size
            flags = int.from_bytes(data[at - more - 2 : at - more], "big") if begin >= _HEADER else 0
            if bool(flags & _EXTENDED) is bool(more) and flags & _NAME_LENGTH == min(len(name), _NAME_LENGTH):
                fields = _STAT.unpack_from(data, begin)
                same = (fields[2], fields[9]) == (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
                return "tracked" if same else "unstaged"
    return None


def _files_below(folder: Path, depth: int = 4, most: int = 500) -> Iterator[Path]:
    """Plain files and folders below, not through links."""
    try:
        with os.scandir(folder) as rows:
            entries = sorted((row for _, row in zip(range(most), rows, strict=False)), key=lambda row: row.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and depth:
            yield from _files_below(Path(entry.path), depth - 1, most // 2)
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)


def _log(path: Path) -> list[LogEntry] | None:
    data = _bytes(path)
    if data is None:
        return None
    return [
        LogEntry(new.decode(), int(when), why.decode("utf-8", "replace")) for _, new, when, why in _ENTRY.findall(data)
    ]


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _text(path: Path) -> str:
    return (_bytes(path) or b"").decode("utf-8", "replace")


def _bytes(path: Path, *, most: int = _MOST, whole: bool = False) -> bytes | None:
    """The last megabyte of a plain file; None for anything else, and for more where it is to be ``whole``."""
    try:
        descriptor = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        )
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (whole and status.st_size > most):
            return None
        return os.pread(descriptor, most, max(0, status.st_size - most))
    except OSError:
        return None
    finally:
        os.close(descriptor)
