"""The session as a trace. Of a long one, what was read before is kept, so that only what is new is read.

A kept part is a file of two lines in the user's cache folder: a header, then the trace in Sentinel's own format. It is used where the
transcript still begins with the same bytes and goes on from where it ended; else everything is read anew.
"""

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import msgspec

from sentinel_command_hook.memory import Memory, blake2b
from sentinel_command_hook.tools import ToolHook
from sentinel_command_hook.transcript import MOST, WORTH, Transcript, opened, whole_lines
from sentinel_core import (
    ExecutionTrace,
    ReadError,
    TraceIndex,
    TraceReader,
    __version__,
    decode_trace,
    encode_trace,
)
from sentinel_core.errors import InputError, TraceDecodeError
from sentinel_core.trace import TraceDetails, parsed, to_json

__all__ = ["AFRESH", "WORTH", "Session", "read_session"]

AFRESH = 1 << 20
"""So many bytes are new before the kept part is written again."""

_EDGE = 64 << 10
_VERSION = f"1 {__version__}"
_PARENT = re.compile(rb'"parentUuid":\s?"([^"\\]{1,100})"')
_OWN = re.compile(rb'"uuid":\s?"([^"\\]{1,100})"')


class _Head(NamedTuple):
    """The part that was read before.

    ``end`` is where it ends, after ``lines`` lines; ``leaves`` are the ends of its branches, ``files`` those that were read with it;
    ``checks`` are those of each call.
    """

    end: int = 0
    lines: int = 0
    leaves: frozenset[str] = frozenset()
    files: Mapping[str, int] = MappingProxyType({})
    checks: Sequence[Any] = ()
    trace: ExecutionTrace | None = None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was read: its ``trace``, of which the ``head`` was kept, and ``fresh``, the bytes behind that.

    ``is_cut`` is True where the last line was not complete, and was left out.
    """

    path: Path
    trace: ExecutionTrace
    head: _Head
    fresh: bytes
    worth: bool
    is_cut: bool = False

    def index(self) -> TraceIndex:
        """An index of it, which knows what was kept."""
        index = TraceIndex(self.trace)
        if self.head.trace is not None:
            with contextlib.suppress(TypeError, ValueError):  # what is not as it was written is looked at anew
                index.recall(self.head.checks, len(self.head.trace.messages))
        return index

    def keep(self, index: TraceIndex, memory: Memory) -> None:
        """Keep what was read, and what its index found out. A folder that cannot be written costs only time, later."""
        if self.worth:
            parents, own = _links(self.fresh)
            head = self.head._replace(
                end=self.head.end + len(self.fresh),
                lines=self.head.lines + self.fresh.count(b"\n"),
                leaves=(self.head.leaves | own) - parents,
                files=_sizes(self.path),
                checks=[call.checks for call in index.calls],
            )
            with contextlib.suppress(OSError):
                memory.save(_header(head, self.path), encode_trace(self.trace))


def read_session(path: Path, tool: ToolHook, reader: TraceReader, memory: Memory) -> Session:
    """The session in the file. Raises ``InputError`` or ``OSError`` where it cannot be read."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        is_long = tool.appends and size >= WORTH
        head = _kept(file, size, memory) if is_long else None
        if head is not None:
            file.seek(head.end)
            data = file.read(size - head.end)
            fresh = whole_lines(data, path)
            if _goes_on(fresh, head.leaves):
                trace, is_cut = _longer(head, path, fresh, reader), len(fresh) < len(data)
                return Session(
                    path=path, trace=trace, head=head, fresh=fresh, worth=len(fresh) >= AFRESH, is_cut=is_cut
                )
        file.seek(0)
        data = file.read(MOST)
        fresh = whole_lines(data, path)
    whole = _read(reader, Transcript(path=path, data=fresh))
    if whole is None or not whole.messages:
        raise InputError("contains no session", label=str(path))
    return Session(path=path, trace=whole, head=_Head(), fresh=fresh, worth=is_long, is_cut=len(fresh) < len(data))


def _read(reader: TraceReader, source: Transcript) -> ExecutionTrace | None:
    """The one trace of the source; None where no line of it is of a message. Raises ``InputError`` where it cannot be read."""
    problem: ReadError | None = None
    for outcome in reader.read(source):
        if isinstance(outcome, ExecutionTrace):
            return outcome
        problem = problem or outcome
    if problem is not None and source.lines_before == 0:
        raise InputError(f'{problem.message} (read as "{reader.name}")', label=str(source.path.absolute()))
    return None


def _longer(head: _Head, path: Path, fresh: bytes, reader: TraceReader) -> ExecutionTrace:
    """The kept part with what is new."""
    assert head.trace is not None
    tail = None
    if fresh:
        tail = _read(reader, Transcript(path=path, data=fresh, lines_before=head.lines, known=head.files))
    return head.trace if tail is None else _joined(head.trace, tail)


def _joined(first: ExecutionTrace, second: ExecutionTrace) -> ExecutionTrace:
    import attrs

    details = first.details or TraceDetails()
    children = {child.trace_id: child for child in details.children}
    if second.details is not None:
        children |= {child.trace_id: child for child in second.details.children}
    return attrs.evolve(
        first,
        messages=(*first.messages, *second.messages),
        details=attrs.evolve(details, children=tuple(children.values())),
    )


def _goes_on(data: bytes, leaves: frozenset[str]) -> bool:
    """True where each line follows one of these bytes, or the end of a branch: nothing that was read before was given up."""
    parents, own = _links(data)
    return parents - own <= leaves


def _links(data: bytes) -> tuple[set[str], set[str]]:
    return {found.decode() for found in _PARENT.findall(data)}, {found.decode() for found in _OWN.findall(data)}


def _kept(file: IO[bytes], size: int, memory: Memory) -> _Head | None:
    """What was kept of this file; None where it was not, or does not fit."""
    header, body = memory.load()
    told = parsed(header.decode("utf-8", "replace"))
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        return None
    end = told.get("end")
    if not isinstance(end, int) or not 0 < end <= size or told.get("edges") != _edges(file, end):
        return None
    try:
        return _Head(
            end=end,
            lines=int(told["lines"]),
            leaves=frozenset(told["leaves"]),
            files=dict(told["files"]),
            checks=list(told["checks"]),
            trace=decode_trace(body),
        )
    except (KeyError, TypeError, ValueError, TraceDecodeError):
        return None


def _header(head: _Head, path: Path) -> bytes:
    with opened(path) as file:
        edges = _edges(file, head.end)
    header = {
        "version": _VERSION,
        "end": head.end,
        "edges": edges,
        "lines": head.lines,
        "leaves": sorted(head.leaves),
        "files": head.files,
        "checks": head.checks,
    }
    return to_json(header)


def _edges(file: IO[bytes], end: int) -> str:
    """A digest of the first and the last bytes before ``end``."""
    digest = blake2b(digest_size=16)
    for start in (0, max(0, end - _EDGE)):
        file.seek(start)
        digest.update(file.read(min(_EDGE, end - start)))
    return digest.hexdigest()


def _sizes(path: Path) -> dict[str, int]:
    """The files that belong to the session, with their sizes."""
    return {str(one): one.stat().st_size for one in sorted(path.with_suffix("").rglob("*.json*")) if one.is_file()}
