"""Live HTTP spans: requests of ``httpx`` and ``httpx2`` as children of the attempt or tool that makes them."""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core.runtime.state_files import append_lines
from sentinel_core.telemetry.run_files import live_path

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.trace import Span

__all__ = ["Live"]

# The module of a client, and the class that instruments it.
_CLIENTS: Mapping[str, str] = {"httpx": "HTTPXClientInstrumentor", "httpx2": "HTTPX2ClientInstrumentor"}
_URLS = ("url.full", "http.url")


@attrs.define(eq=False)
class Live:
    """Instruments HTTP clients that the program has loaded, and appends each of their spans to a file beside the trace.

    Does nothing unless the ``otel`` extra is installed. A tool's child process writes to the same file.
    """

    directory: Path
    _provider: "TracerProvider | None" = None
    _instrumented: dict[str, Any] = attrs.field(factory=dict)
    _token: "Token[Context] | None" = None

    def enter(self, trace_id: str, span_id: str) -> None:
        """Make this span the parent of all requests from now on."""
        self.leave()
        if not self._instrument():
            return
        from opentelemetry import context, trace

        parent = trace.SpanContext(
            int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED)
        )
        self._token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(parent)))

    def leave(self) -> None:
        """Give requests no parent of ours any more."""
        token, self._token = self._token, None
        if token is not None:
            from opentelemetry import context

            context.detach(token)

    def close(self) -> None:
        """Leave the clients as they were."""
        self.leave()
        for instrumentor in self._instrumented.values():
            instrumentor.uninstrument()
        self._instrumented.clear()

    def _instrument(self) -> bool:
        """Instrument the clients that are loaded; True if any is instrumented."""
        new = [name for name in _CLIENTS if name in sys.modules and name not in self._instrumented]
        if new and find_spec("opentelemetry") and find_spec("opentelemetry.instrumentation.httpx"):
            os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http")  # read once, when it is imported
            from opentelemetry.instrumentation import httpx

            for name in new:
                instrumentor = getattr(httpx, _CLIENTS[name])()
                if not instrumentor.is_instrumented_by_opentelemetry:  # else the program sees to it itself
                    instrumentor.instrument(
                        tracer_provider=self._tracer_provider(),
                        request_hook=_strip_query,
                        async_request_hook=_strip_query_async,
                    )
                    self._instrumented[name] = instrumentor
        return bool(self._instrumented)

    def _tracer_provider(self) -> "TracerProvider":
        if self._provider is None:
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

            class Keep(SpanProcessor):
                def on_end(self, span: "ReadableSpan") -> None:
                    keep(span)

            keep: Callable[[ReadableSpan], None] = self._keep
            resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "sentinel")})
            self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
            self._provider.add_span_processor(Keep())
        return self._provider

    def _keep(self, span: "ReadableSpan") -> None:
        """Also in a tool's child process, which appends to the same file."""
        from opentelemetry.exporter.otlp.json.common.trace_encoder import encode_spans

        line = encode_spans([span]).to_json().encode() + b"\n"
        with contextlib.suppress(OSError):  # a full disk must not fail the request; writing the trace will tell of it
            append_lines(live_path(self.directory, f"{span.context.trace_id:032x}"), [line])


def _strip_query(span: "Span", request: object) -> None:  # noqa: ARG001 - the instrumentation's signature
    """Query strings carry keys and names: what follows the question mark is not recorded."""
    told = getattr(span, "attributes", None) or {}
    for name in _URLS:
        url = told.get(name)
        if isinstance(url, str):
            span.set_attribute(name, url.partition("?")[0])


async def _strip_query_async(span: "Span", request: object) -> None:
    _strip_query(span, request)
