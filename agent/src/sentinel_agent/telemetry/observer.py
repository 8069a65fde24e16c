"""Telemetry as an observer of the agent's events: writes files and HTTP spans, and sends to a collector if one is named.

HTTP spans are written as they happen: requests as children of the attempt, the tool or the delivery that makes them.
"""

import contextlib
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Self

import attrs

from sentinel_agent import events as ev
from sentinel_agent.staging import DELIVERY
from sentinel_agent.telemetry.run_files import http_lines, live_path, rebuild
from sentinel_core.errors import error_text
from sentinel_core.runtime.http_requests import HttpRequest, unwatch, watch
from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry.data import CLIENT, Attribute, SpanData
from sentinel_core.telemetry.encode import is_disabled, log_lines, metric_lines, span_lines
from sentinel_core.telemetry.names import root_span_id_of, span_id_of, trace_id_of

__all__ = ["Telemetry"]

_HTTP_SCOPE = "sentinel.http"
_FAILED = 400  # the lowest HTTP status that is an error for a client

_LEAVES = (ev.RunResumed, ev.AttemptFinished, ev.ToolFinished, ev.DeliveryFinished)
# After these the files are written, because a long wait, or nothing, may follow.
_SAVES = (ev.RunEnded, ev.LoopDecided, ev.DeliveryFinished)


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
    _live: "_Live" = attrs.field(init=False)
    _reported: set[str] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self._live = _Live(self.directory)

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
        from sentinel_agent.telemetry.logs import logs_of
        from sentinel_agent.telemetry.metrics import metrics_of
        from sentinel_agent.telemetry.spans import spans_of, without_content
        from sentinel_core.telemetry.send import captures_content, send

        capture = captures_content() if self.capture is None else self.capture
        waiting, self._unsent = [*self._unsent, tuple(self._events)], []
        for events in waiting:
            spans = spans_of(events)
            spans = spans if capture else [without_content(span) for span in spans]
            of_http = http_lines(self.directory, spans[0].trace_id) if spans else ()
            send(self.endpoint, "traces", (*span_lines(spans), *of_http))
            send(self.endpoint, "metrics", metric_lines(metrics_of(spans)))
            send(self.endpoint, "logs", log_lines(logs_of(spans)))

    @contextlib.contextmanager
    def _quietly(self, doing: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - telemetry must not end, or change, the run that it records
            problem = f"{doing}: {error_text(error)}"
            if problem not in self._reported:
                self._reported.add(problem)
                self.warn(problem)


@attrs.define(eq=False)
class _Live:
    """Appends a span for each request of this process and of its tools' children to a file beside the trace.

    The journal has no HTTP requests, so this file keeps those of a killed run.
    """

    directory: Path
    _trace_id: str = ""
    _parent: str = ""
    _attempt: int | None = None
    _tools: dict[str, str] = attrs.field(factory=dict)

    def follow(self, trace_id: str, key: object = None, *, attempt: int | None = None) -> None:
        """Assign later requests to the span that ``key`` names, None for the outermost, and to ``attempt``, if given."""
        if not self._trace_id:
            watch(self)
        self._trace_id, self._attempt = trace_id, attempt
        self._parent = root_span_id_of(trace_id) if key is None else span_id_of(trace_id, key)

    def tool_started(self, call_id: str, key: object) -> None:
        """Remember the span of a call: several may run at once, each in a child that knows its own call id."""
        self._tools[call_id] = span_id_of(self._trace_id, key)

    def working_on(self, call_id: str) -> None:
        """Assign this process's requests to a tool call."""
        self._parent, self._attempt = self._tools.get(call_id, self._parent), None

    def requested(self, made: HttpRequest) -> None:
        """Append the span of a request."""
        line = span_lines((self._span(made),), _HTTP_SCOPE)
        with contextlib.suppress(OSError):  # a full disk must not fail the request; writing the trace reports it
            append_lines(live_path(self.directory, self._trace_id), line)

    def close(self) -> None:
        """Stop watching the HTTP clients."""
        unwatch(self)
        self._trace_id = ""

    def _span(self, made: HttpRequest) -> SpanData:
        failed = made.error or (str(made.status) if made.status is not None and made.status >= _FAILED else None)
        attributes: dict[str, Attribute | None] = {
            "http.request.method": made.method,
            "url.full": made.url,
            "http.response.status_code": made.status,
            "error.type": failed,
            "sentinel.attempt.number": self._attempt,
            "http.request.resend_count": self._attempt - 1 if self._attempt is not None and self._attempt > 1 else None,
        }
        return SpanData(
            trace_id=self._trace_id,
            span_id=secrets.token_hex(8),
            parent_id=self._parent,
            name=made.method,
            kind=CLIENT,
            start=made.start,
            end=made.end,
            attributes={name: value for name, value in attributes.items() if value is not None},
            failed=failed is not None,
        )
