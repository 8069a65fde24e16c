"""The files of a run: its trace, its metrics, its logs, each whole or not there."""

import errno
import os
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sentinel_core.agent.events import Event
from sentinel_core.runtime.state_files import make_folder, refuse_detours, write_whole
from sentinel_core.telemetry.encode import log_lines, metric_lines, span_lines
from sentinel_core.telemetry.logs import logs_of
from sentinel_core.telemetry.metrics import metrics_of
from sentinel_core.telemetry.spans import conversations, spans_of

__all__ = ["append_lines", "check_writable", "http_lines", "is_json_line", "live_path", "rebuild", "trace_path"]

_OURS = b'"scope":{"name":"sentinel"'
_MOMENT = 0.05  # seconds; a line is written in less, and only a file that grows no more tells that nobody writes one


def trace_path(directory: Path, trace_id: str) -> Path:
    """Where a trace's spans are."""
    return directory / "traces" / f"{trace_id}.otlp.jsonl"


def live_path(directory: Path, trace_id: str) -> Path:
    """Where spans are kept, until the trace is written, that no journal tells of: those of HTTP requests."""
    return directory / "traces" / f".{trace_id}.live.jsonl"


def rebuild(events: Iterable[Event], directory: Path) -> list[Path]:
    """Write the files of a record from its events alone; gives the paths of the traces, one for each conversation.

    HTTP spans that are on disk already, from this process or one that was killed, are kept. Raises ``OSError``.
    """
    return [_rebuilt(one, directory) for one in conversations(events)]


def _rebuilt(conversation: Iterable[Event], directory: Path) -> Path:
    spans = spans_of(conversation)
    trace_id = spans[0].trace_id
    path, live = trace_path(directory, trace_id), live_path(directory, trace_id)
    foreign = http_lines(directory, trace_id)
    logs = directory / "logs" / path.name
    _write(path, (*span_lines(spans), *foreign))
    _write(logs, (*log_lines(logs_of(spans)), *_verdicts(logs)))
    _write(directory / "metrics" / path.name, metric_lines(metrics_of(spans)))
    live.unlink(missing_ok=True)
    return path


def http_lines(directory: Path, trace_id: str) -> list[bytes]:
    """The spans of a trace that are on disk and no journal tells of: those of HTTP requests. Raises ``OSError``."""
    paths = (trace_path(directory, trace_id), live_path(directory, trace_id))
    return list(dict.fromkeys(line for path in paths for line in _foreign(path)))


def _write(path: Path, lines: Iterable[bytes]) -> None:
    """No file where there is nothing to say."""
    data = b"".join(lines)
    if data:
        write_whole(path, data)
    else:
        path.unlink(missing_ok=True)


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Add lines to a file that grows, each in one write, so that processes that share it do not mix within a line.

    Only its owner can read it. A line for which the disk has no room is not there in part, and what stands after one
    that a kill cut short begins a line of its own. Raises ``OSError``.
    """
    waiting = list(lines)
    if not waiting:
        return
    refuse_detours(path)
    descriptor = _opened(path)
    try:
        if _is_cut_short(path):
            _append(descriptor, b"\n")
        for line in waiting:
            _append(descriptor, line)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    """The file to add to, with its folder."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    try:
        return os.open(path, flags, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        make_folder(path.parent)
        return os.open(path, flags, 0o600)


def _is_cut_short(path: Path) -> bool:
    """Whether the last line has no end, and does not grow: half of one that another process writes now may be there."""
    size, is_whole = _end_of(path)
    while not is_whole:
        time.sleep(_MOMENT)
        before, (size, is_whole) = size, _end_of(path)
        if size == before:
            return not is_whole
    return False


def _end_of(path: Path) -> tuple[int, bool]:
    """How long a file is, and whether its last line has an end."""
    if not path.stat().st_size:  # pipes and devices, too
        return 0, True
    with path.open("rb") as file:
        size = file.seek(-1, os.SEEK_END)
        return size, file.read(1) == b"\n"


def _append(descriptor: int, line: bytes) -> None:
    written = os.write(descriptor, line)
    if written == len(line):
        return
    end = os.lseek(descriptor, 0, os.SEEK_CUR)
    if os.fstat(descriptor).st_size == end:  # else another process has added to it: that stays
        os.ftruncate(descriptor, end - written)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_writable(path: Path) -> int:
    """How long a file that grows is by now; 0 where it is not there yet, and none is made. Raises ``OSError``."""
    refuse_detours(path)
    make_folder(path.parent)
    if path.exists():
        with path.open("ab") as file:
            return file.tell()
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path.parent))
    return 0


def _foreign(path: Path) -> Iterable[bytes]:
    """The whole lines of a file that others wrote; one that a kill cut short is left out."""
    return (line for line in _lines(path) if _OURS not in line and is_json_line(line))


def _verdicts(path: Path) -> Iterable[bytes]:
    """What was said about this trace stays when its logs are written again."""
    return (line for line in _lines(path) if b'"eventName":"gen_ai.evaluation.result"' in line)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def is_json_line(line: bytes) -> bool:
    """Whether this is a whole line of JSON, with the mark of its end."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return line.endswith(b"\n")
