"""HTTP spans as they happen: requests as children of the attempt, the tool or the delivery that makes them."""

import contextlib
import secrets
from pathlib import Path

import attrs

from sentinel_core.agent.otel_ids import root_span_id_of, span_id_of
from sentinel_core.runtime.http_requests import HttpRequest, unwatch, watch
from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry.data import CLIENT, Attribute, SpanData
from sentinel_core.telemetry.encode import span_lines
from sentinel_core.telemetry.run_files import live_path

__all__ = ["HTTP_SCOPE", "Live"]

HTTP_SCOPE = "sentinel.http"
_FAILED = 400  # the lowest HTTP status that is an error for a client


@attrs.define(eq=False)
class Live:
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
        line = span_lines((self._span(made),), HTTP_SCOPE)
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
