"""The files of a run: its trace, its metrics, its logs, each written atomically."""

from collections.abc import Iterable
from pathlib import Path

from sentinel_agent.events import Event
from sentinel_agent.telemetry.logs import logs_of
from sentinel_agent.telemetry.metrics import metrics_of
from sentinel_agent.telemetry.spans import conversations, spans_of
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.telemetry.encode import is_json_line, log_lines, metric_lines, span_lines

__all__ = ["http_lines", "live_path", "rebuild", "trace_path"]

_OURS = b'"scope":{"name":"sentinel"'


def trace_path(directory: Path, trace_id: str) -> Path:
    """The file of a trace's spans."""
    return directory / "traces" / f"{trace_id}.otlp.jsonl"


def live_path(directory: Path, trace_id: str) -> Path:
    """Where the spans of HTTP requests, which are not in the journal, are kept until the trace is written."""
    return directory / "traces" / f".{trace_id}.live.jsonl"


def rebuild(events: Iterable[Event], directory: Path) -> list[Path]:
    """Write the files of a record from its events alone; return the paths of the traces, one for each conversation.

    HTTP spans that are on disk already, from this process or one that was killed, are kept. Raises ``OSError``.
    """
    return [_rebuilt(conversation, directory) for conversation in conversations(events)]


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
    """The spans of a trace's HTTP requests, which are on disk but not in the journal. Raises ``OSError``."""
    paths = (trace_path(directory, trace_id), live_path(directory, trace_id))
    return list(dict.fromkeys(line for path in paths for line in _foreign(path)))


def _write(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file; without a line, remove it."""
    data = b"".join(lines)
    if data:
        write_whole(path, data)
    else:
        path.unlink(missing_ok=True)


def _foreign(path: Path) -> Iterable[bytes]:
    """The whole lines of a file that others wrote; a line that a kill truncated is left out."""
    return (line for line in _lines(path) if _OURS not in line and is_json_line(line))


def _verdicts(path: Path) -> Iterable[bytes]:
    """The verdicts on this trace, which are kept when its logs are rewritten."""
    return (line for line in _lines(path) if b'"eventName":"gen_ai.evaluation.result"' in line)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []
