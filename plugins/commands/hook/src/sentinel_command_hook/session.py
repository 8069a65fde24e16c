"""The session as a trace. Of a long one, what was read before is kept, so that only what is new is read.

A kept part is a file of two lines in the user's cache folder: a header, then the trace in Sentinel's own format. It is used where the
transcript still begins with the same bytes and goes on from where it ended; else everything is read anew.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import IO, Any

import attrs

from sentinel_command_hook.memory import Memory
from sentinel_command_hook.tools import ToolHook
from sentinel_command_hook.transcript import MOST, Transcript, opened, whole_lines
from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, decode_trace, encode_trace
from sentinel_core.errors import InputError, TraceDecodeError
from sentinel_core.trace import TraceDetails, parsed, to_json

__all__ = ["read_session"]

WORTH = 2 << 20
"""A transcript of fewer bytes is read anew each time."""

_AFRESH = 1 << 20  # bytes that are new before the kept part is written again
_EDGE = 64 << 10
_VERSION = 1
_PARENT = re.compile(rb'"parentUuid":\s?"([^"\\]{1,100})"')
_OWN = re.compile(rb'"uuid":\s?"([^"\\]{1,100})"')


@attrs.frozen(kw_only=True)
class _Head:
    """The part that was read before: its end, in bytes and lines, the ends of its branches, and the files that were read with it."""

    end: int
    lines: int
    leaves: frozenset[str]
    files: dict[str, int]
    trace: ExecutionTrace


def read_session(path: Path, tool: ToolHook, reader: TraceReader, memory: Memory) -> ExecutionTrace:
    """The session in the file. Raises ``InputError`` or ``OSError`` where it cannot be read."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        is_long = tool.appends and size >= WORTH
        head = _kept(file, size, memory) if is_long else None
        if head is not None:
            file.seek(head.end)
            data = whole_lines(file.read(size - head.end), path)
            if _goes_on(data, head.leaves):
                return _longer(head, path, data, reader, memory)
        file.seek(0)
        data = whole_lines(file.read(MOST), path)
    trace = _read(reader, Transcript(path=path, data=data))
    if trace is None:
        raise InputError("holds no session", label=str(path))
    if is_long:
        _keep(memory, data, _Head(end=0, lines=0, leaves=frozenset(), files={}, trace=trace), path)
    return trace


def _read(reader: TraceReader, source: Source) -> ExecutionTrace | None:
    """The one trace of the source; None where no line of it is of a message. Raises ``InputError`` where it cannot be read."""
    problem: ReadError | None = None
    for outcome in reader.read(source):
        if isinstance(outcome, ExecutionTrace):
            return outcome
        problem = problem or outcome
    if problem is not None and source.lines_before == 0:
        raise InputError(problem.message, label=source.name)
    return None


def _longer(head: _Head, path: Path, data: bytes, reader: TraceReader, memory: Memory) -> ExecutionTrace:
    """The kept part with what is new; it is kept, too, once it is long."""
    if not data:
        return head.trace
    tail = _read(reader, Transcript(path=path, data=data, lines_before=head.lines, known=head.files))
    trace = head.trace if tail is None else _joined(head.trace, tail)
    if len(data) >= _AFRESH:
        _keep(memory, data, attrs.evolve(head, trace=trace), path)
    return trace


def _joined(first: ExecutionTrace, second: ExecutionTrace) -> ExecutionTrace:
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
    header, _, body = (memory.load() or b"").partition(b"\n")
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
            trace=decode_trace(body),
        )
    except (KeyError, TypeError, ValueError, TraceDecodeError):
        return None


def _keep(memory: Memory, data: bytes, head: _Head, path: Path) -> None:
    """Keep the head's trace, which ends with ``data``. A folder that cannot be written costs only time, later."""
    parents, own = _links(data)
    end = head.end + len(data)
    try:
        with opened(path) as file:
            header: dict[str, Any] = {
                "version": _VERSION,
                "end": end,
                "lines": head.lines + data.count(b"\n"),
                "edges": _edges(file, end),
                "leaves": sorted((head.leaves | own) - parents),
                "files": _sizes(path),
            }
        memory.save(to_json(header) + b"\n" + encode_trace(head.trace))
    except OSError:
        return


def _edges(file: IO[bytes], end: int) -> str:
    """A digest of the first and the last bytes before ``end``."""
    digest = hashlib.blake2b(digest_size=16)
    for start in (0, max(0, end - _EDGE)):
        file.seek(start)
        digest.update(file.read(min(_EDGE, end - start)))
    return digest.hexdigest()


def _sizes(path: Path) -> dict[str, int]:
    """The files that belong to the session, with their sizes."""
    return {str(one): one.stat().st_size for one in sorted(path.with_suffix("").rglob("*.json*")) if one.is_file()}
