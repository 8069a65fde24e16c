"""The receiving process: groups spans, and passes quiet groups to the parent as files, a frame for each batch."""

import os
import re
import shutil
import socket
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import attrs

from sentinel_command_receive.bodies import BadRequest, ReceivedSpan, spans_of_body
from sentinel_command_receive.spool import Place, Spool
from sentinel_core.runtime.outbox import Frame, Outbox, as_text
from sentinel_core.telemetry import Group, Groups, renamed

__all__ = ["Batch", "Counts", "Reception", "Row", "serve"]

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
    """Files to judge."""

    rows: list[Row]


class Counts(Frame):
    """Counts of received spans and requests by outcome."""

    of: dict[str, int]


@attrs.frozen(kw_only=True)
class Reception:
    """Where to listen, where to put files for the parent, and how long to wait.

    ``until_quiet`` ends the process after so many seconds in which nothing came and nothing waited.
    """

    listener: socket.socket
    folder: Path
    quiet: float = 2.0
    patience: float = 60.0
    most_spans: int = 2_000_000
    max_body: int = 64 << 20
    until_quiet: float | None = None


@attrs.define(eq=False)
class _Intake:
    """Takes spans from the server's threads."""

    groups: Groups[Place]
    spool: Spool = attrs.field(factory=Spool)
    lock: threading.Lock = attrs.field(factory=threading.Lock)
    requests: Counter[str] = attrs.field(factory=Counter)
    last: float = attrs.field(factory=time.monotonic)

    def take(self, path: str, content_type: str, body: bytes) -> int:
        """Take one request's spans; return how many were rejected. Logs and metrics are counted and dropped.

        Raises ``BadRequest``: 503 if memory or disk has no room for all of them now. Only a request that is larger than
        the whole room is taken in part.
        """
        if path != "/v1/traces":
            with self.lock:
                self.requests[path] += 1
            return 0
        spans = spans_of_body(body, content_type)
        with self.lock:  # held for all spans, so that the room stays free
            if not self.groups.has_room(len(spans)):
                raise BadRequest(503, "too many spans are waiting; try again in a moment")
            rejected = sum(span is None or not self._add(span) for span in spans)
            self.requests[path] += 1
            self.requests["rejected"] += rejected
            self.last = time.monotonic()
        return rejected

    def status(self) -> dict[str, int]:
        """All counts."""
        with self.lock:
            return {"waiting": self.groups.waiting, **dict(sorted((self.requests + self.groups.counts).items()))}

    def due(self, *, everything: bool = False) -> list[Group[Place]]:
        """Copies of the groups to judge now."""
        with self.lock:
            return [group.copy() for group in self.groups.due(time.monotonic(), everything=everything)]

    def _add(self, span: ReceivedSpan) -> bool:
        return self.groups.add(
            self._put(span.data),
            trace_id=span.trace_id,
            span_id=span.span_id,
            parent_id=span.parent_id,
            conversation=span.conversation,
            now=time.monotonic(),
        )

    def _put(self, data: bytes) -> Place:
        try:
            return self.spool.put(data)
        except OSError as error:
            raise BadRequest(503, f"spans cannot be stored: {error.strerror}") from None


def serve(reception: Reception, outbox: Outbox) -> None:
    """Serve until the parent sends an order, or dies; then remove the folder of files, which it no longer does.

    Sends each batch, and the final counts.
    """
    from sentinel_command_receive.server import make_server

    intake = _Intake(Groups(quiet=reception.quiet, patience=reception.patience, most_spans=reception.most_spans))
    server = make_server(intake.take, intake.status, max_body=reception.max_body)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [reception.listener]}, name="otlp", daemon=True)
    thread.start()
    batches = _Batches(reception.folder, outbox, intake)
    stop = threading.Event()
    threading.Thread(target=_listen_for_orders, args=(outbox, stop), name="orders", daemon=True).start()
    try:
        while not stop.wait(_TICK) and not _is_over(reception, intake):
            batches.send(intake.due())
        server.should_exit = True
        thread.join()
        batches.send(intake.due(everything=True))
        outbox.send(Counts(intake.status()))
    except BrokenPipeError:  # the parent was killed, and cannot remove the folder
        shutil.rmtree(reception.folder, ignore_errors=True)


def _listen_for_orders(outbox: Outbox, stop: threading.Event) -> None:
    """Stop at any order, or when the parent was killed."""
    outbox.order()
    stop.set()


def _is_over(reception: Reception, intake: _Intake) -> bool:
    if reception.until_quiet is None:
        return False
    with intake.lock:
        came = bool(intake.groups.counts["spans"])
        return came and not intake.groups.waiting and intake.last + reception.until_quiet <= time.monotonic()


@attrs.define(eq=False)
class _Batches:
    """Writes groups as files, up to 1,000 at a time, and sends the parent their paths."""

    folder: Path
    outbox: Outbox
    intake: _Intake
    number: int = 0

    def send(self, groups: list[Group[Place]]) -> None:
        for start in range(0, len(groups), _BATCH):
            rows = [row for group in groups[start : start + _BATCH] if (row := self._written(group)) is not None]
            if rows:
                self.outbox.send(Batch(rows))

    def _written(self, group: Group[Place]) -> Row | None:
        """One file per group; None for a group without an agent's span."""
        spans = [place.read() for place in group.spans.values()]
        if not any(map(_AGENT_ATTRIBUTE.search, spans)):
            with self.intake.lock:
                self.intake.groups.discount(group)
            return None
        document = b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b",".join(spans) + b"]}]}]}"
        if len(group.traces) > 1:
            document = renamed(document, group.id)
        self.number += 1
        path = self.folder / f"{self.number}.otlp.json"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(document)
        return Row(str(path), as_text(group.id), as_text(group.root_id))
