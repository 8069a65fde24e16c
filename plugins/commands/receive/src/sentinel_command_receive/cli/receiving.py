"""The parent process of ``sentinel receive``: one child receives spans, others judge the traces."""

import contextlib
import errno
import io
import os
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any

import attrs
import click
import msgspec

from sentinel_command_receive.service import Batch, Counts, Reception, Row, serve
from sentinel_core import ReliabilityReport
from sentinel_core.cli import ERROR, INTERRUPTED, complain, say
from sentinel_core.cli.options import finish
from sentinel_core.cli.supervise import supervise
from sentinel_core.errors import ConfigError, WorkerError
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.judging.job import Plan
from sentinel_core.judging.job import job as judge
from sentinel_core.judging.tally import Tally
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry import Emission
from sentinel_core.traces.sources import FileSource

__all__ = ["Receiver"]

_BACKLOG = 128
_TAKEN = (errno.EADDRINUSE, errno.EACCES)  # errors that another port would avoid


@attrs.define(eq=False, kw_only=True)
class Receiver:
    """Judges incoming traces. ``tally`` counts all batches."""

    layers: Layers
    selection: Selection
    output: Path
    emission: Emission | None = None
    tally: Tally = attrs.field(factory=Tally)
    _interrupted: bool = attrs.field(default=False, init=False)

    def run(self, address: tuple[str, int], options: Mapping[str, Any]) -> int:
        """Receive until stopped, and return the exit code; at once if plugins or settings make judging impossible.

        Raises ``ConfigError`` if it cannot listen or write.
        """
        host = self.layers.host()
        append_lines(self.output, [b""])  # refuses an unwritable file now, not after an hour
        if self._judged(()).broken:
            return ERROR
        listener = _listener(*address)
        with tempfile.TemporaryDirectory(prefix="sentinel-receive-") as folder:
            reception = Reception(
                listener=listener,
                folder=Path(folder),
                quiet=options["quiet"],
                patience=options["patience"],
                until_quiet=options["until_quiet"],
                most_spans=options["max_spans"],
                max_body=options["max_body_mb"] << 20,
            )
            with Child(partial(serve, reception), frames=Batch | Counts) as server:
                name, port = listener.getsockname()[:2]
                listener.close()
                with self._stopping(server):
                    at = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
                    say(f"Receiving OTLP on http://{at} (press Ctrl-C to judge what has arrived and stop).")
                    self._work(server)
        if self._interrupted:
            return INTERRUPTED
        came = self.tally.total or self.tally.broken
        return self.tally.exit_code(host.fail_on) if came else 0

    def _work(self, server: Child) -> None:
        try:
            for frame in server.frames(None):
                if isinstance(frame, Batch):
                    self._judge(frame.rows)
                else:
                    counts = ", ".join(f"{name} {count}" for name, count in frame.of.items() if count)
                    say(f"Received: {counts or 'nothing'}.")
        except WorkerError as error:
            complain(f"the receiving process {error}")
            self.tally.broken = True

    def _judged(self, sources: tuple[FileSource, ...], reports: IO[bytes] | None = None) -> Tally:
        """Judge files. Even without files, it reports plugins, profiles or weights that cannot be used."""
        host = self.layers.host()
        plan = Plan(sources=sources, layers=self.layers, selection=self.selection, reader="otlp", format="jsonl")
        return supervise(plan, reports or io.BytesIO(), job=judge, timeout=host.timeout, memory_mb=host.max_memory_mb)

    def _judge(self, rows: list[Row]) -> None:
        reports = io.BytesIO()
        sources = tuple(FileSource(path=Path(row.path), label=f"trace {row.trace_id}") for row in rows)
        tally = self._judged(sources, reports)
        for verdict, count in tally.counts.items():
            self.tally.counts[verdict] += count
        self.tally.broken = self.tally.broken or tally.broken
        for row in rows:
            Path(row.path).unlink()
        self._write_reports(reports.getvalue().splitlines(keepends=True), {row.trace_id: row.span_id for row in rows})

    def _write_reports(self, lines: list[bytes], spans: dict[str, str]) -> None:
        try:
            append_lines(self.output, lines)
        except OSError as error:
            complain(f'reports cannot be written to "{self.output}" and are lost: {error.strerror}')
            self.tally.broken = True
        reports = [
            msgspec.json.decode(line, type=ReliabilityReport) for line in lines if not line.startswith(b'{"error"')
        ]
        for report in reports:
            click.echo(printable(f"{report.trace_id}: {report.reasoning}"))
        if self.emission is not None:
            self._emit(self.emission.prepared(), reports, spans)

    def _emit(self, emission: Emission, reports: list[ReliabilityReport], spans: dict[str, str]) -> None:
        for report in reports:
            emission.write(emission.lines(report, report.trace_id, spans.get(report.trace_id, "")))
        finish(emission)

    @contextlib.contextmanager
    def _stopping(self, server: Child) -> Iterator[None]:
        """The first Ctrl-C or SIGTERM lets the child finish; a second Ctrl-C ends at once."""

        def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
            if number == signal.SIGINT:
                self._interrupted = True
                signal.signal(signal.SIGINT, signal.default_int_handler)
            server.order("stop")

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listener(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        other = "port" if error.errno in _TAKEN else "host"
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)
        raise ConfigError(
            f'cannot listen on "{host}" port {port}: {why.partition(" (while ")[0]}; choose another {other} with --{other}'
        ) from None
