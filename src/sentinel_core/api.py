"""The library call. It works in this process: plugins run as part of the program that calls it."""

import functools
from typing import TYPE_CHECKING

from sentinel_core._typed import check_trace
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.panel import make_panel, with_weights
from sentinel_core.profile import RS1, Profile
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sentinel_core.offers import Signal

__all__ = ["evaluate_trace"]


def evaluate_trace(
    trace: ExecutionTrace, *, signals: "Sequence[Signal] | None" = None, profile: Profile | None = None
) -> ReliabilityReport:
    """Judge one trace with the installed signals, or with exactly those given, by ``profile`` (default: RS-1).

    Plugins run in this process with their default settings; no configuration file or variable is read. Raises
    ``ValueError`` where the trace has no id, and where a role is none of the four; ``TypeError`` where something is of
    another type than it is declared to be: both name the message, the field, the value, and what is expected. A signal that
    fails is in the report's ``failures``.
    """
    if not isinstance(trace, ExecutionTrace):
        raise TypeError(f"trace is a {type(trace).__name__}; expected an ExecutionTrace")
    if not trace.trace_id:
        raise ValueError("Cannot evaluate: trace_id is required")
    panel = _installed_panel() if signals is None and profile is None else _panel(signals, profile)
    try:
        index = TraceIndex(trace)
        if index.is_odd:
            check_trace(trace)
        report = evaluate(index, panel)
    except (AttributeError, TypeError):
        check_trace(trace)
        raise
    if report.failures:
        check_trace(trace)
    return report


def _panel(signals: "Sequence[Signal] | None", profile: Profile | None) -> Panel:
    from sentinel_core.offers import Signal

    wanted = RS1 if profile is None else profile
    if not isinstance(wanted, Profile):
        raise TypeError(f"profile is {wanted!r}; expected a Profile, such as sentinel_core.RS1")
    for signal in signals or ():
        if not isinstance(signal, Signal):
            raise TypeError(f"signals holds {signal!r}; expected Signal offers")
    if signals is None:
        installed = _installed_panel()
        return Panel(signals=installed.signals, profile=wanted, failures=installed.failures)
    names = frozenset(signal.name for signal in signals)
    bound = tuple(_bind(signal) for signal in signals)
    return Panel(
        signals=bound,
        profile=with_weights(wanted, {}, names),
        left_out=frozenset(wanted.weights) - names,
    )


def _bind(signal: "Signal") -> BoundSignal:
    import attrs

    from sentinel_core.panel import bind_settings

    settings = None if signal.settings is None else signal.settings()
    return BoundSignal(
        name=signal.name,
        detect=bind_settings(signal.detect, settings),
        settings={} if settings is None else attrs.asdict(settings),
    )


@functools.cache
def _installed_panel() -> Panel:
    """The installed signals, looked up once a process."""
    from sentinel_core.host import load, select
    from sentinel_core.selection import Selection
    from sentinel_core.settings import Layers

    chosen, left_out = select(Selection(), ("signals",))
    plugins, failures = load(chosen)
    return make_panel(plugins, failures, left_out, Layers())
