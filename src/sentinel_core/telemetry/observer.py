"""Telemetry as an observer of the agent's events: writes files and HTTP spans, and sends to a collector if one is named."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import attrs

from sentinel_core.agent import events as ev
from sentinel_core.agent.otel_ids import trace_id_of
from sentinel_core.agent.staging import DELIVERY
from sentinel_core.errors import error_text
from sentinel_core.telemetry.encode import log_lines, metric_lines, span_lines
from sentinel_core.telemetry.http_spans import Live
from sentinel_core.telemetry.run_files import http_lines, rebuild

__all__ = ["Telemetry", "is_disabled"]

_LEAVES = (ev.RunResumed, ev.AttemptFinished, ev.ToolFinished, ev.DeliveryFinished)
# After these the files are written, because a long wait, or nothing, may follow.
_SAVES = (ev.RunEnded, ev.LoopDecided, ev.DeliveryFinished)


def is_disabled() -> bool:
    """Whether OpenTelemetry's own switch, ``OTEL_SDK_DISABLED``, is on."""
    return os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"


def _log_warning(problem: str) -> None:
    logging.getLogger("sentinel.telemetry").warning("%s", problem)


@attrs.define(eq=False)
class Telemetry:
    """Call it with every event; use it as a context manager, so that everything is written and sent at the end.

        with Telemetry(Path(".sentinel")) as telemetry:
            investigate(release, model, tools, observers=(telemetry,))

    The files under ``directory`` hold message content; ``endpoint`` (the address of a collector) gets it only with
    ``capture``, by default as ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` says. ``live`` watches HTTP
    clients for the whole process: turn it off in a program that uses HTTP clients of its own. Nothing here raises; ``warn``
    gets each problem once. With ``OTEL_SDK_DISABLED=true`` it does nothing at all.
    """

    directory: Path
    endpoint: str | None = None
    capture: bool | None = None
    live: bool = True
    warn: Callable[[str], None] = _log_warning
    _events: list[ev.Event] = attrs.field(factory=list, init=False)
    _trace_id: str = attrs.field(default="", init=False)
    _agent: int = attrs.field(default=0, init=False)  # the event that names the span of the attempt at the task
    _conversation_id: str | None = attrs.field(default=None, init=False)
    _unsaved: bool = attrs.field(default=False, init=False)
    _unsent: list[tuple[ev.Event, ...]] = attrs.field(factory=list, init=False)
    _live: Live = attrs.field(init=False)
    _reported: set[str] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self._live = Live(self.directory)

    def __call__(self, event: ev.Event) -> None:
        """Take one event."""
        if is_disabled():
            return
        with self._quietly("telemetry"):
            self._take(event)
            self._follow(event)
            if isinstance(event, _SAVES):
                self.save()

    def resume(self, events: Iterable[ev.Event]) -> None:
        """Take the events of a journal, before those that a resumed run will add."""
        with self._quietly("telemetry"):
            for event in () if is_disabled() else events:
                self._take(event)

    def save(self) -> None:
        """Write the files of the current conversation."""
        with self._quietly("the run's spans could not be written"):
            rebuild(self._events, self.directory)
            self._unsaved = False

    def close(self) -> None:
        """Write and send what is left, and uninstrument HTTP clients."""
        with self._quietly("telemetry"):
            self._live.close()
        if self._unsaved:
            self.save()
        with self._quietly("telemetry was not sent"):
            self._send()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, event: ev.Event) -> None:
        if isinstance(event, ev.RunStarted) and event.conversation_id != self._conversation_id:
            self._begin(event)
        if isinstance(event, ev.RunStarted):
            self._agent = event.sequence
        self._events.append(event)
        self._unsaved = True

    def _begin(self, event: ev.RunStarted) -> None:
        """Start another conversation; the previous one is over."""
        if self._unsaved:
            self.save()
        if self._events:
            self._unsent.append(tuple(self._events))
        self._events = []
        self._conversation_id = event.conversation_id
        self._trace_id = trace_id_of(event.run_id)

    def _follow(self, event: ev.Event) -> None:
        """Assign the HTTP requests after this event to its span."""
        if not self.live or not self._trace_id:
            return
        match event:
            case ev.RunStarted():
                self._live.follow(self._trace_id, event.sequence)
            case ev.DeliveryStarted():
                self._live.tool_started(DELIVERY, event.sequence)
            case ev.AttemptStarted():
                self._live.follow(self._trace_id, event.sequence, attempt=event.attempt)
            case ev.ToolStarted():
                self._live.tool_started(event.call.id, event.sequence)
            case ev.RunEnded():
                self._live.follow(self._trace_id)
            case _ if isinstance(event, _LEAVES):
                self._live.follow(self._trace_id, self._agent)

    def _send(self) -> None:
        if self.endpoint is None:
            return
        from sentinel_core.telemetry.logs import logs_of
        from sentinel_core.telemetry.metrics import metrics_of
        from sentinel_core.telemetry.send import captures_content, send
        from sentinel_core.telemetry.spans import spans_of, without_content

        capture = captures_content() if self.capture is None else self.capture
        waiting, self._unsent = [*self._unsent, tuple(self._events)], []
        for events in waiting:
            spans = spans_of(events)
            spans = spans if capture else [without_content(span) for span in spans]
            of_http = http_lines(self.directory, spans[0].trace_id) if spans else ()
            send(self.endpoint, "traces", (*span_lines(spans), *of_http))
            send(self.endpoint, "metrics", metric_lines(metrics_of(spans)))
            send(self.endpoint, "logs", log_lines(logs_of(spans)))

    @contextmanager
    def _quietly(self, doing: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - telemetry must not end, or change, the run that it records
            problem = f"{doing}: {error_text(error)}"
            if problem not in self._reported:
                self._reported.add(problem)
                self.warn(problem)
