"""What folders and globs lead to."""

import errno
import os
import stat
from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.sources.files import SUFFIXES, FileSource, bytes_before_end, first_bytes, sources_in, unread
from sentinel_core.sources.names import as_text
from sentinel_core.sources.own import MANIFEST, ONLY_OWN, is_own
from sentinel_core.sources.walk import Walk, is_pattern

__all__ = ["find_in_folders"]

_SUB_AGENT = b'"isSidechain"'
_HEAD = 1 << 16


def find_in_folders(argument: str, *, strict: bool, max_record: int) -> Iterator[FileSource | InputError]:
    """One source a file that a folder or a glob leads to, sorted; an ``InputError`` for what cannot be read, and for nothing."""
    walk = Walk()
    paths, root = _expand(argument, walk)
    found = False
    for path in paths:
        source = FileSource(path=path, label=str(path), root=root, strict=strict, max_record=max_record)
        try:
            head = _head_of_file(source, walk)
        except InputError as error:
            yield error
        else:
            if is_own(path, head, partial(first_bytes, path.with_name(MANIFEST)), partial(bytes_before_end, path)):
                continue
            yield from sources_in(source, head)
        found = True
    if not found:
        named = as_text(argument)
        yield InputError(_nothing_at(argument, only_own=bool(paths)), label=named, place=Path(named).name)


def _head_of_file(source: FileSource, walk: Walk) -> bytes:
    """Raises ``InputError`` for anything else, and for what cannot be read."""
    path = source.path
    if path in walk.unread:
        raise source.refused(f"this folder cannot be read: {walk.unread[path]}")
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return first_bytes(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise unread(source, error) from None
    raise source.refused("is no file, or a link that leads to none")


def _expand(argument: str, walk: Walk) -> tuple[list[Path], str]:
    """Paths, and the folder that a folder or a glob is about: what comes before the first part with a wildcard."""
    if os.path.isdir(argument):  # noqa: PTH112 - its folder may forbid to ask
        found = walk.below(argument, SUFFIXES)
        sessions = frozenset(found)
        return [path for path in found if _session_of(path) not in sessions], str(Path(argument))
    if is_pattern(argument):
        before = takewhile(lambda part: not is_pattern(part), Path(argument).parts)
        return walk.matches(argument), str(Path(*before))
    return [], ""


def _session_of(path: Path) -> Path | None:
    """``SESSION.jsonl`` for ``SESSION/subagents/.../agent-ID.jsonl``, which Claude Code's reader reads with its session.

    None for files of other tools that happen to be called so.
    """
    if path.match("agent-*.jsonl"):
        for folder in path.parents:
            if folder.name == "subagents" and path.is_file() and _is_of_sub_agent(path):
                return folder.parent.with_name(f"{folder.parent.name}.jsonl")
    return None


def _is_of_sub_agent(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return _SUB_AGENT in stream.read(_HEAD)
    except OSError:  # told where it is read
        return False


def _nothing_at(argument: str, *, only_own: bool) -> str:
    if only_own:
        return ONLY_OWN
    if os.path.isdir(argument):  # noqa: PTH112 - as above
        return f"no trace files in this folder (looked for {', '.join(SUFFIXES)})"
    return "no file matches" if is_pattern(argument) else _why_not_there(argument)


def _why_not_there(argument: str) -> str:
    try:
        Path(argument).stat()
    except PermissionError as error:
        return f"cannot be read: {error.strerror}"
    except OSError:
        pass
    return "no such file or folder"
