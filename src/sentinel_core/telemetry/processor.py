"""A span processor for programs that already use OpenTelemetry: it judges the finished traces of their agents.

from sentinel_core.telemetry import SentinelSpanProcessor

tracer_provider.add_span_processor(SentinelSpanProcessor())
"""

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

try:
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
except ImportError as error:
    raise ImportError("SentinelSpanProcessor needs OpenTelemetry: pip install 'reliability-sentinel[otel]'") from error

from sentinel_core.errors import error_text
from sentinel_core.telemetry.groups import Group, Groups
from sentinel_core.telemetry.sdk_spans import add_span

if TYPE_CHECKING:
    from sentinel_core.offers import Signal
    from sentinel_core.profile import Profile
    from sentinel_core.report import ReliabilityReport
    from sentinel_core.telemetry.data import LogData

__all__ = ["SentinelSpanProcessor"]

_log = logging.getLogger("sentinel.telemetry")
_IDLE = 3600.0


class SentinelSpanProcessor(SpanProcessor):
    """Judges each trace of an agent once its outermost span has ended and nothing more came for ``quiet`` seconds.

    The verdict goes three ways: as ``gen_ai.evaluation.result`` events to ``logger_provider`` (default: the program's own),
    as one line to the logger ``sentinel.telemetry`` (a warning for WARN and FAIL), and to ``on_report``. A trace whose
    outermost span never ends is judged after ``patience`` seconds; ``force_flush`` and ``shutdown`` judge all spans so far.
    At most ``most_spans`` spans are held; ``counts`` has those received and those dropped.

    Spans are collected as they end, and judged in a thread of their own with the installed signals, or with ``signals``.
    Nothing here raises into the program. A forked process judges only the spans that end in it.
    """

    def __init__(
        self,
        *,
        on_report: "Callable[[ReliabilityReport], None] | None" = None,
        quiet: float = 1.0,
        patience: float = 300.0,
        most_spans: int = 50_000,
        signals: "Sequence[Signal] | None" = None,
        profile: "Profile | None" = None,
        logger_provider: Any = None,
    ) -> None:
        self._on_report = on_report
        self._signals = signals
        self._profile = profile
        self._logger_provider = logger_provider
        self._make: Callable[[], Groups[ReadableSpan]] = partial(
            Groups, quiet=quiet, patience=patience, most_spans=most_spans
        )
        self._over = False
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_beginning(weakref.WeakMethod(self._begin)))

    @property
    def counts(self) -> Mapping[str, int]:
        """Counts by outcome: spans, duplicates, late, dropped, judged, unreadable and more."""
        with self._lock:
            return dict(self._groups.counts)

    def _begin(self) -> None:
        """Start empty.

        A forked child starts empty, too: it has no thread, a lock may be held for ever, and its parent judges earlier spans.
        """
        self._groups = self._make()
        self._lock = threading.Condition()
        self._judging = threading.Lock()
        self._thread: threading.Thread | None = None

    def on_end(self, span: ReadableSpan) -> None:
        """Take one finished span."""
        if span.context is None or self._over:
            return
        with self._lock:
            add_span(self._groups, span, now=time.monotonic())
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sentinel-judge", daemon=True)
                self._thread.start()
            self._lock.notify()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Judge all spans so far. False if that takes longer than the timeout."""
        if not self._judging.acquire(timeout=timeout_millis / 1000):
            return False
        try:
            self._judge(self._due(everything=True))
        finally:
            self._judging.release()
        return True

    def shutdown(self) -> None:
        """Judge everything and take no more."""
        self.force_flush()
        with self._lock:
            self._over = True
            self._lock.notify()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._over:
                    return
                self._lock.wait(timeout=max(0.05, self._groups.quiet / 4) if self._groups.waiting else _IDLE)
            with self._judging:
                self._judge(self._due())

    def _due(self, *, everything: bool = False) -> "list[Group[ReadableSpan]]":
        with self._lock:
            return [group.copy() for group in self._groups.due(time.monotonic(), everything=everything)]

    def _judge(self, groups: "Iterable[Group[ReadableSpan]]") -> None:
        for group in groups:
            try:
                self._judge_one(group)
            except Exception as error:  # noqa: BLE001 - no defect, ours or a plugin's, may end the judging thread
                self._count("failed")
                _log.warning("trace %s could not be judged: %s: %s", group.id, type(error).__name__, error_text(error))

    def _judge_one(self, group: "Group[ReadableSpan]") -> None:
        from sentinel_core.host.in_process import evaluate_trace
        from sentinel_core.runtime.redact import redacted
        from sentinel_core.telemetry.sdk_spans import read_group
        from sentinel_core.trace import ExecutionTrace

        for trace in read_group(group):
            if not isinstance(trace, ExecutionTrace):
                self._count("unreadable")
                _log.debug("trace %s: %s", group.id, trace.message)
                continue
            report = redacted(evaluate_trace(trace, signals=self._signals, profile=self._profile))
            self._report(report, group)

    def _report(self, report: "ReliabilityReport", group: "Group[ReadableSpan]") -> None:
        from sentinel_core.telemetry.verdicts import verdict_logs

        self._count(f"verdict {report.verdict or 'none'}")
        for log in verdict_logs(report, group.id, group.root_id, time.time_ns()):
            self._emit(log)
        level = logging.INFO if report.verdict == "PASS" else logging.WARNING
        _log.log(level, "trace %s: %s", report.trace_id, report.reasoning)
        if self._on_report is not None:
            self._call_on_report(report, self._on_report)

    def _call_on_report(self, report: "ReliabilityReport", on_report: "Callable[[ReliabilityReport], None]") -> None:
        try:
            on_report(report)
        except Exception as error:  # noqa: BLE001 - the program's callback may raise anything; the trace was judged
            self._count("on_report failed")
            _log.warning("trace %s: on_report raised %s: %s", report.trace_id, type(error).__name__, error_text(error))

    def _emit(self, log: "LogData") -> None:
        from opentelemetry import trace
        from opentelemetry._logs import LogRecord, SeverityNumber, get_logger

        span_context = trace.SpanContext(
            int(log.trace_id or "0", 16),
            int(log.span_id or "0", 16),
            is_remote=False,
            trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
        )
        get_logger("sentinel", logger_provider=self._logger_provider).emit(
            LogRecord(
                timestamp=log.time,
                context=trace.set_span_in_context(trace.NonRecordingSpan(span_context)),
                severity_number=SeverityNumber(log.severity),
                body=log.body,
                attributes=dict(log.attributes),
                event_name=log.event_name,
            )
        )

    def _count(self, what: str) -> None:
        with self._lock:
            self._groups.counts[what] += 1


def _beginning(begin: "weakref.WeakMethod[Callable[[], None]]") -> Callable[[], None]:
    """The hook for forks. It holds no reference to the processor, because a hook can never be unregistered."""

    def after_in_child() -> None:
        if (known := begin()) is not None:
            known()

    return after_in_child
