"""Captures spans in memory while a test runs."""

import threading
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from sentinel_pytest.assertion import assert_trace

if TYPE_CHECKING:
    from sentinel_core import ExecutionTrace, ReliabilityReport

__all__ = ["CapturedSpans"]


class _Tap(SpanProcessor):
    """Hands each span that ends to the capture of the test that runs; a provider keeps its processors for ever."""

    def __init__(self) -> None:
        self.capture: CapturedSpans | None = None

    def on_end(self, span: ReadableSpan) -> None:
        if (capture := self.capture) is not None:
            capture.add(span)


_TAPS: "WeakKeyDictionary[TracerProvider, _Tap]" = WeakKeyDictionary()


class CapturedSpans:
    """The spans that end while it is open.

    ``provider`` is the program's own, or one that is set where the program has set none. Spans of another provider are captured
    after ``attach``. ``expect`` adds to what is expected of each run.
    """

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.reports: list[ReliabilityReport] = []
        self.expect: list[str] = []
        self._lock = threading.Lock()
        self._taps: list[_Tap] = []
        self.provider = _provider()

    def __enter__(self) -> Self:
        self.attach(self.provider)
        return self

    def __exit__(self, *_: object) -> None:
        for tap in self._taps:
            tap.capture = None

    def attach(self, provider: TracerProvider) -> None:
        """Capture the spans of this provider, too."""
        if (tap := _TAPS.get(provider)) is None:
            tap = _TAPS[provider] = _Tap()
            provider.add_span_processor(tap)
        tap.capture = self
        self._taps.append(tap)

    def add(self, span: ReadableSpan) -> None:
        """Take one span that has ended, in whichever thread."""
        with self._lock:
            self.spans.append(span)

    def traces(self) -> "list[ExecutionTrace]":
        """The runs of agents in the spans so far."""
        from sentinel_core import ExecutionTrace
        from sentinel_core.telemetry.sdk_spans import traces_of

        with self._lock:
            spans = list(self.spans)
        return [one for one in traces_of(spans) if isinstance(one, ExecutionTrace)]

    def problem(self) -> str:
        """Judges each run: why one is not reliable, or that there is none; empty where all are well."""
        traces = self.traces()
        if not traces:
            return (
                f"no agent run in {len(self.spans)} captured spans: is the code instrumented, and does it use the "
                "provider sentinel_spans.provider?"
            )
        problems = []
        for one in traces:
            try:
                self.reports.append(assert_trace(one, expect=self.expect))
            except AssertionError as error:
                problems.append(str(error))
        return "\n".join(problems)


def _provider() -> TracerProvider:
    known: Any = trace.get_tracer_provider()
    if isinstance(known, TracerProvider):
        return known
    made = TracerProvider()
    trace.set_tracer_provider(made)
    return made
