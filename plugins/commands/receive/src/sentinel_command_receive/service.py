"""The receiving process: stores and groups spans, and passes quiet groups to the parent as files, a frame for each batch."""

import itertools
import os
import re
import socket
import sys
import threading
import time
from collections import Counter, deque
from pathlib import Path
from typing import NamedTuple

import attrs

from sentinel_command_receive.bodies import BadRequest, spans_of_body
from sentinel_command_receive.spool import Claim, Handed, Place, Spool, Started, Stored
from sentinel_core.runtime.outbox import Frame, Outbox, as_text
from sentinel_core.runtime.printable import counted
from sentinel_core.telemetry import Group, Groups, renamed

__all__ = ["FILES", "STOP", "Batch", "Counts", "Reception", "Row", "serve"]

STOP = "stop"
"""The order to end; any other order is why requests are refused, and an empty one ends that."""

FILES = "*.otlp.json"
"""The files of batches in a spool's folder."""

_TICK = 0.1
_BATCH = 1000
_AGENT_ATTRIBUTE = re.compile(
    rb'"(?:gen_ai|openinference|llm|traceloop|tool|tool_call|mlflow|langfuse|gcp\.vertex\.agent|ai|pydantic_ai|input|output)[.]'
)


class Row(NamedTuple):
    """A file for the parent, and the ids of the trace and the root span in it."""

    path: str
    trace_id: str
    span_id: str


class Batch(Frame):
    """Files to judge. The reports of all batches up to a number are written before those of the next."""

    number: int
    rows: list[Row]


class Counts(Frame):
    """Counts of received spans and requests by outcome."""

    of: dict[str, int]


@attrs.frozen(kw_only=True)
class Reception:
    """Where to listen, where the spool is, and how long to wait.

    ``reported`` is the last batch with all its reports written. ``hosts`` are allowed in the Host header. ``until_quiet``
    ends the process after so many seconds in which nothing came and nothing waited.
    """

    listener: socket.socket
    claim: Claim
    reported: int
    hosts: tuple[str, ...]
    quiet: float = 2.0
    patience: float = 60.0
    most_spans: int = 2_000_000
    max_body: int = 64 << 20
    until_quiet: float | None = None


@attrs.define(eq=False)
class _Intake:
    """Takes spans from the server's threads.

    ``held`` and ``problem`` say why none can be taken now: because of the parent, and because of the disk.
    """

    groups: Groups[Place]
    spool: Spool
    held: str = ""
    problem: str = ""
    lock: threading.Lock = attrs.field(factory=threading.Lock)
    requests: Counter[str] = attrs.field(factory=Counter)
    last: float = attrs.field(factory=time.monotonic)

    def take(self, path: str, content_type: str, body: bytes) -> int:
        """Take one request's spans, and store them; return how many were rejected. Logs and metrics are counted and dropped.

        Raises ``BadRequest``: 503 if memory or disk has no room for all of them now. Only a request that is larger than
        the whole room is taken in part.
        """
        if path != "/v1/traces":
            with self.lock:
                self.requests[path] += 1
            return 0
        spans = spans_of_body(body, content_type)
        with self.lock:  # held for all spans, so that the room stays free
            if refusal := self.held or self.problem:
                raise BadRequest(503, refusal)
            if not self.groups.has_room(len(spans)):
                raise BadRequest(503, "too many spans are waiting; try again in a moment")
            try:
                stored = self.spool.store(span for span in spans if span is not None)
            except OSError as error:
                raise BadRequest(503, f"spans cannot be stored: {error.strerror}") from None
            rejected = len(spans) - sum(self._add(span, place) for span, place in stored)
            self.requests[path] += 1
            self.requests["rejected"] += rejected
            self.last = time.monotonic()
        return rejected

    def restore(self, reported: int) -> int:
        """Take again what earlier processes stored; return the number of the last batch.

        What they handed over is judged again, unless its reports are written. Raises ``OSError``.
        """
        most, self.groups.most_spans = self.groups.most_spans, sys.maxsize
        handed: dict[int, Handed] = {}
        newest = reported
        for record in self.spool.replay():
            match record:
                case Started():
                    self._take_back(handed, record.reported)
                case Handed():
                    newest = max(newest, record.batch)
                    handed[record.batch] = record
                    for group in record.groups:
                        self.groups.hand_over(group)
                case span, place:
                    self._add(span, place)
        self._take_back(handed, reported)
        self.spool.note(Started(reported))
        self.groups.most_spans = most
        restored = self.groups.counts["spans"]
        self.groups.counts.clear()
        self.requests["restored"] = restored
        return newest

    def _take_back(self, handed: dict[int, Handed], reported: int) -> None:
        for batch, record in handed.items():
            if batch > reported:
                for group in record.groups:
                    self.groups.take_back(group)
        handed.clear()

    def note(self, record: Handed) -> None:
        """Store what was handed over. Raises ``OSError``."""
        with self.lock:
            self.spool.note(record)

    def status(self) -> dict[str, int]:
        """All counts."""
        with self.lock:
            return {"waiting": self.groups.waiting, **dict(sorted((self.requests + self.groups.counts).items()))}

    def due(self, *, everything: bool = False) -> list[Group[Place]]:
        """Copies of the groups to judge now."""
        with self.lock:
            self.spool.trim()
            return [group.copy() for group in self.groups.due(time.monotonic(), everything=everything)]

    def _add(self, span: Stored, place: Place) -> bool:
        return self.groups.add(
            place,
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_id=span.parent_id,
            conversation=span.conversation,
            now=time.monotonic(),
        )


def serve(reception: Reception, outbox: Outbox) -> None:
    """Serve until the parent orders it to stop, or dies. Sends each batch, the final counts, and what it could not do."""
    from sentinel_command_receive.server import make_server

    reception.claim.hold_as_child()
    groups = Groups[Place](quiet=reception.quiet, patience=reception.patience, most_spans=reception.most_spans)
    intake = _Intake(groups, Spool(reception.claim.folder))
    batches = _Batches(reception.claim.folder, outbox, intake, intake.restore(reception.reported))
    if intake.spool.damaged:
        outbox.warn(f'{intake.spool.damaged:,} bytes in "{reception.claim.folder}" are damaged and were left out')
    server = make_server(intake.take, intake.status, max_body=reception.max_body, hosts=reception.hosts)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [reception.listener]}, name="otlp", daemon=True)
    thread.start()
    stop = threading.Event()
    threading.Thread(target=_obey, args=(outbox, stop, intake), name="orders", daemon=True).start()
    while not stop.wait(_TICK) and not _is_over(reception, intake):
        batches.send(intake.due())
    server.should_exit = True
    thread.join()
    batches.send(intake.due(everything=True))
    if batches.waiting:
        outbox.refuse(f"{counted(len(batches.waiting), 'trace')} could not be handed over: {intake.problem}")
    outbox.send(Counts(intake.status()))


def _obey(outbox: Outbox, stop: threading.Event, intake: _Intake) -> None:
    """Follow the parent's orders. If it was killed, end at once: all is stored."""
    while (order := outbox.order()) != STOP:
        if order is None:
            os._exit(0)
        intake.held = order
    stop.set()


def _is_over(reception: Reception, intake: _Intake) -> bool:
    if reception.until_quiet is None:
        return False
    with intake.lock:
        came = bool(intake.groups.counts["spans"] or intake.requests["restored"])
        return came and not intake.groups.waiting and intake.last + reception.until_quiet <= time.monotonic()


@attrs.define(eq=False)
class _Batches:
    """Writes groups as files, up to 1,000 at a time, and sends the parent their paths.

    Where the disk has no room for them, they wait for the next time, and the intake has a ``problem`` until then.
    """

    folder: Path
    outbox: Outbox
    intake: _Intake
    number: int
    waiting: deque[Group[Place]] = attrs.field(factory=deque)

    def send(self, groups: list[Group[Place]]) -> None:
        """Send these groups, and those that wait."""
        self.waiting += groups
        while self.waiting:
            batch = list(itertools.islice(self.waiting, _BATCH))
            try:
                rows = self._written(batch)
            except OSError as error:
                self.intake.problem = f"spans cannot be stored: {error.strerror}"
                return
            for _ in batch:
                self.waiting.popleft()
            if rows:
                self.outbox.send(Batch(self.number, rows))
        self.intake.problem = ""

    def _written(self, batch: list[Group[Place]]) -> list[Row]:
        """The rows of a batch, whose files and number are on disk."""
        rows: list[Row] = []
        others: list[Group[Place]] = []
        try:
            for group in batch:
                spans = [place.read() for place in group.spans.values()]
                if any(map(_AGENT_ATTRIBUTE.search, spans)):
                    path = self.folder / f"{self.number + 1}-{len(rows)}{FILES[1:]}"
                    rows.append(Row(str(path), as_text(group.id), as_text(group.root_id)))
                    _write_document(path, group, spans)
                else:
                    others.append(group)
            self.intake.note(Handed(self.number + 1, [group.id for group in batch]))
        except OSError:
            for row in rows:
                Path(row.path).unlink(missing_ok=True)
            raise
        self.number += 1
        with self.intake.lock:
            for group in others:
                self.intake.groups.discount(group)
        return rows


def _write_document(path: Path, group: Group[Place], spans: list[bytes]) -> None:
    document = b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b",".join(spans) + b"]}]}]}"
    if len(group.traces) > 1:
        document = renamed(document, group.id)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(document)
