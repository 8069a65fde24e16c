"""Finds the files in folders and globs."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import takewhile
from pathlib import Path

from sentinel_core.errors import InputError
from sentinel_core.trace import from_json
from sentinel_core.traces.sources.file_source import (
    PLAIN,
    FileSource,
    as_text,
    bytes_before_end,
    first_bytes,
    may_hold_traces,
    sources_in,
    unread,
)
from sentinel_core.traces.sources.own import MANIFEST, ONLY_OWN, OWN, WITH_SESSION, LeftOut, is_own
from sentinel_core.traces.sources.walk import Walk, is_pattern

__all__ = ["find_in_folders"]

_LINE_KEYS = frozenset(("parentUuid", "sessionId", "type", "uuid"))
_SUMMARY_KEYS = frozenset(("leafUuid", "summary", "type"))
_STRANDS_AGENT = "session_*/agents/agent_*"
_HEAD = 1 << 16  # bytes that readers sniff
_FIRST_LINES = 1 << 18


def find_in_folders(
    argument: str, *, strict: bool, max_record: int, left_out: LeftOut
) -> Iterator[FileSource | InputError]:
    """One source per file in a folder or a glob, sorted; an ``InputError`` for what cannot be read, or if there is no file.

    Adds to ``left_out`` the files that are not read on their own.
    """
    walk = Walk()
    paths, root = _expand(argument, walk)
    is_folder = os.path.isdir(argument)  # noqa: PTH112 - its folder may forbid to ask
    in_sessions = _sub_agents(paths) | _in_strands_sessions(paths) if is_folder else frozenset()
    found, only_own = False, bool(paths)
    for path in paths:
        source = FileSource(path=path, label=str(path), root=root, strict=strict, max_record=max_record)
        if path in in_sessions:
            left_out.setdefault(WITH_SESSION, []).append(source.label)
            continue
        try:
            head = _head_of_file(source, walk)
        except InputError as error:
            yield error
        else:
            if is_own(path, head, partial(first_bytes, path.with_name(MANIFEST)), partial(bytes_before_end, path)):
                left_out.setdefault(OWN, []).append(source.label)
                continue
            held = list(sources_in(source, head))
            yield from held
            found, only_own = found or bool(held), False
            continue
        found = True
    if not found:
        named = as_text(argument)
        yield InputError(_nothing_at(argument, only_own=only_own), label=named, place=Path(named).name)


def _head_of_file(source: FileSource, walk: Walk) -> bytes:
    """The first bytes. Raises ``InputError`` for what is not a file, and for what cannot be read."""
    path = source.path
    if path in walk.unread:
        raise source.refused(f"this folder cannot be read: {walk.unread[path]}")
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return first_bytes(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise unread(source, error) from None
    raise source.refused("is not a file, or is a link to a missing file")


def _expand(argument: str, walk: Walk) -> tuple[list[Path], str]:
    """The paths, and the root: the folder itself, or the part of a glob before its first wildcard."""
    if os.path.isdir(argument):  # noqa: PTH112 - its folder may forbid to ask
        return walk.below(argument, may_hold_traces), str(Path(argument))
    if is_pattern(argument):
        before = takewhile(lambda part: not is_pattern(part), Path(argument).parts)
        return walk.matches(argument), str(Path(*before))
    return [], ""


def _sub_agents(paths: Iterable[Path]) -> frozenset[Path]:
    """The sub-agent files that Claude Code's reader reads with a session that is also among ``paths``.

    Files of other tools with such names do not count, nor do files beside a session of another tool.
    """
    known, is_session = frozenset(paths), cache(_may_be_session)
    return frozenset(
        path
        for path in known
        if (session := _session_of(path)) in known and is_session(session) and _is_sub_agent(path)
    )


def _in_strands_sessions(paths: Iterable[Path]) -> frozenset[Path]:
    """The files of Strands sessions but for each agent's first message, with which its reader reads the others."""
    messages: dict[Path, list[Path]] = {}
    others = list[Path]()
    for path in paths:
        if path.match(f"{_STRANDS_AGENT}/messages/message_*.json"):
            messages.setdefault(path.parent, []).append(path)
        elif path.match(f"{_STRANDS_AGENT}/agent.json") or path.match("session_*/session.json"):
            others.append(path)
    later = [path for one in messages.values() for path in sorted(one, key=_by_number)[1:]]
    folders = {folder for held in messages for folder in held.parents}
    return frozenset(later + [path for path in others if path.parent in folders])


def _by_number(path: Path) -> tuple[int, str]:
    """``message_2`` before ``message_10``."""
    return len(path.name), path.name


def _session_of(path: Path) -> Path | None:
    """``SESSION.jsonl`` for ``SESSION/subagents/.../agent-ID.jsonl``, where its reader looks for the files of sub-agents."""
    if path.match("agent-*.jsonl"):
        for folder in path.parents:
            session = folder.parent.name
            if folder.name == "subagents" and session and ".jsonl" not in session:
                return folder.parent.with_name(f"{session}.jsonl")
    return None


def _may_be_session(path: Path) -> bool:
    """False for what the reader does not take for a session. Looks for keys, as the first lines may be too long to parse."""
    head = _start(path, _HEAD)
    return any(all(b'"%b"' % key.encode() in head for key in keys) for keys in (_LINE_KEYS, _SUMMARY_KEYS))


def _is_sub_agent(path: Path) -> bool:
    """Whether Claude Code wrote one of the first lines."""
    return any(map(_is_line, _start(path, _FIRST_LINES).splitlines()))


def _start(path: Path, size: int) -> bytes:
    try:
        if path.is_file():
            with path.open("rb") as stream:
                return stream.read(size)
    except OSError:  # reported when the file is read
        pass
    return b""


def _is_line(line: bytes) -> bool:
    try:
        entry = from_json(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(entry, dict) and entry.keys() >= _LINE_KEYS


def _nothing_at(argument: str, *, only_own: bool) -> str:
    if only_own:
        return ONLY_OWN
    if os.path.isdir(argument):  # noqa: PTH112 - as above
        return f"no trace files in this folder (looked for {', '.join(PLAIN)} and .zip, also compressed as .gz or .zst)"
    return "no file matches" if is_pattern(argument) else _why_not_there(argument)


def _why_not_there(argument: str) -> str:
    try:
        Path(argument).stat()
    except PermissionError as error:
        return f"cannot be read: {error.strerror}"
    except OSError:
        pass
    return "no such file or folder"
