"""The parent process of ``sentinel receive``: one child receives and stores spans, others judge the traces."""

import contextlib
import errno
import io
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any

import attrs
import click
import msgspec

from sentinel_command_receive.cli.report_file import ReportFile, mode_of
from sentinel_command_receive.service import FILES, STOP, Batch, Counts, Reception, serve
from sentinel_command_receive.spool import Claim, claimed
from sentinel_core import ReliabilityReport
from sentinel_core.cli import ERROR, HOME, INTERRUPTED, complain, say, warn
from sentinel_core.cli.options import finish
from sentinel_core.cli.supervise import supervise
from sentinel_core.errors import ConfigError, WorkerError
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.judging.job import Plan
from sentinel_core.judging.job import job as judge
from sentinel_core.judging.tally import NO_VERDICT, Tally
from sentinel_core.runtime.http_server import LOOPBACK
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Refusal, Warned
from sentinel_core.runtime.printable import printable
from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry import Emission
from sentinel_core.traces.sources import FileSource

__all__ = ["Receiver"]

_BACKLOG = 128
_AGAIN = 0.5  # seconds until reports that could not be written are tried again
_ATTEMPTS = 3  # at judging a batch, if the process that judges it is killed
_STATE = "reported.json"
_TAKEN = (errno.EADDRINUSE, errno.EACCES)  # errors that another port would avoid


@attrs.define(eq=False, kw_only=True)
class Receiver:
    """Judges incoming traces. ``tally`` counts all batches."""

    layers: Layers
    selection: Selection
    output: Path
    emission: Emission | None = None
    tally: Tally = attrs.field(factory=Tally)
    _reports: ReportFile = attrs.field(init=False)
    _interrupted: bool = attrs.field(default=False, init=False)
    _is_stopped: bool = attrs.field(default=False, init=False)
    _is_patient: bool = attrs.field(default=True, init=False)

    def run(self, address: tuple[str, int], options: Mapping[str, Any]) -> int:
        """Receive until stopped, and return the exit code; at once if plugins or settings make judging impossible.

        Raises ``ConfigError`` if it cannot listen or write.
        """
        host = self.layers.host()
        append_lines(self.output, [b""], mode=mode_of(self.output))  # refuses an unwritable file now, not after an hour
        if self._judged(()).broken:
            return ERROR
        with claimed(_spool_of(self.output)) as claim, _listener(*address) as listener:
            self._reports = ReportFile(self.output, claim.folder / _STATE)
            for report in self._complete():
                self.tally.counts[report.verdict or NO_VERDICT] += 1
            for left in claim.folder.glob(FILES):
                left.unlink()
            self._receive(claim, listener, options)
        if self._interrupted:
            return INTERRUPTED
        came = self.tally.total or self.tally.broken
        return self.tally.exit_code(host.fail_on) if came else 0

    def _receive(self, claim: Claim, listener: socket.socket, options: Mapping[str, Any]) -> None:
        """Receive until stopped; then empty the spool, if all is reported."""
        reception = Reception(
            listener=listener,
            claim=claim,
            reported=self._reports.batch.number,
            hosts=(*LOOPBACK, _bracketed(options["address"]), *options["hosts"]),
            quiet=options["quiet"],
            patience=options["patience"],
            until_quiet=options["until_quiet"],
            most_spans=options["max_spans"],
            max_body=options["max_body_mb"] << 20,
        )
        self._is_patient = options["until_quiet"] is None
        with Child(partial(serve, reception), frames=Batch | Counts | Warned | Refusal) as server:
            name, port = listener.getsockname()[:2]
            listener.close()
            with self._stopping(server):
                say(
                    f"Receiving OTLP on http://{_bracketed(name)}:{port} (press Ctrl-C to judge what has arrived and stop)."
                )
                is_done = self._work(server)
        if is_done:
            for path in claim.folder.glob("*.*"):  # all but the lock
                path.unlink()
        else:
            complain(f'what is not reported is in "{printable(str(claim.folder))}", and is judged at the next start')

    def _work(self, server: Child) -> bool:
        """Judge what the child sends; return whether all that was received is reported."""
        is_done = True
        try:
            for frame in server.frames(None):
                match frame:
                    case Batch() if is_done:
                        is_done = self._judge(frame, server)
                    case Counts():
                        counts = ", ".join(f"{name} {count}" for name, count in frame.of.items() if count)
                        say(f"Received: {counts or 'nothing'}.")
                    case Warned():
                        warn(printable(frame.text))
                    case Refusal():
                        complain(printable(frame.text))
                        is_done = False
        except WorkerError as error:
            complain(f"the receiving process {error}")
            is_done = False
        self.tally.broken = self.tally.broken or not is_done
        return is_done

    def _judged(self, sources: tuple[FileSource, ...], reports: IO[bytes] | None = None) -> Tally:
        """Judge files. Even without files, it reports plugins, profiles or weights that cannot be used."""
        host = self.layers.host()
        plan = Plan(sources=sources, layers=self.layers, selection=self.selection, reader="otlp", format="jsonl")
        return supervise(plan, reports or io.BytesIO(), job=judge, timeout=host.timeout, memory_mb=host.max_memory_mb)

    def _judge(self, batch: Batch, server: Child) -> bool:
        """Judge a batch and write its reports; return whether they could be written."""
        sources = tuple(FileSource(path=Path(row.path), label=f"trace {row.trace_id}") for row in batch.rows)
        for _ in range(_ATTEMPTS):
            reports = io.BytesIO()
            tally = self._judged(sources, reports)
            lines = reports.getvalue().splitlines(keepends=True)
            if len(lines) >= len(sources):
                break
        spans = {row.trace_id: row.span_id for row in batch.rows}
        if not self._write(batch.number, lines, spans, server):
            return False
        for verdict, count in tally.counts.items():
            self.tally.counts[verdict] += count
        self.tally.broken = self.tally.broken or tally.broken
        for row in batch.rows:
            Path(row.path).unlink()
        return True

    def _write(self, number: int, lines: list[bytes], spans: dict[str, str], server: Child) -> bool:
        """Write reports. While they cannot be written, senders are refused; it tries until it is told to stop."""
        told = ""
        while True:
            try:
                if self._reports.batch.number != number:  # else a part of them may be there
                    self._reports.begin(number, lines, spans)
                self._complete()
            except OSError as error:
                problem = f'reports cannot be written to "{self.output}": {error.strerror or error}'
                if problem != told:
                    complain(printable(problem))
                    server.order(problem)
                    told = problem
                if self._is_stopped or not self._is_patient:
                    return False
                time.sleep(_AGAIN)
            else:
                if told:
                    server.order("")
                return True

    def _complete(self) -> list[ReliabilityReport]:
        """Add the last batch of reports to the file, print them, and emit them. Raises ``OSError``."""
        self._reports.complete()
        lines = self._reports.batch.lines
        reports = [
            msgspec.json.decode(line, type=ReliabilityReport) for line in lines if not line.startswith('{"error"')
        ]
        for report in reports:
            click.echo(printable(f"{report.trace_id}: {report.reasoning}"))
        if self.emission is not None:
            self._emit(self.emission.prepared(), reports, self._reports.batch.spans)
        if lines:
            with contextlib.suppress(OSError):  # the next start then finds that all lines are there
                self._reports.settle()
        return reports

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
            self._is_stopped = True
            server.order(STOP)

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _spool_of(output: Path) -> Path:
    """The spool's folder: beside the file of reports, or in the working directory if that is a pipe or a device."""
    name = f"{output.name}.spool"
    return HOME / name if output.exists() and not output.is_file() else output.with_name(name)


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


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
