"""The library call. It works in this process: plugins run as part of the program that calls it."""

import functools
from collections.abc import Iterable

import sentinel_core  # noqa: TC001 - for who asks for type hints; its names are looked up on first use
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.panel import make_panel, with_weights
from sentinel_core.profile import RS1, Profile
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces._typed import check_trace, problem_of

__all__ = ["evaluate_trace"]


def evaluate_trace(
    trace: ExecutionTrace, *, signals: Iterable["sentinel_core.Signal"] | None = None, profile: Profile | None = None
) -> ReliabilityReport:
    """Judge one trace with the installed signals, or with exactly those given, by ``profile`` (default: RS-1).

    Plugins run in this process with their default settings; no configuration file or variable is read. Raises
    ``ValueError`` where the trace has no id, where a role is none of the four, where arguments or metadata hold half of a
    surrogate pair, and where two signals have one name; ``TypeError`` where something is of another type than it is declared
    to be: what is wrong with a trace is told with the message, the field, the value, and what is expected. A signal that
    fails is in the report's ``failures``.
    """
    if not isinstance(trace, ExecutionTrace):
        raise TypeError(f"trace is a {type(trace).__name__}; expected an ExecutionTrace")
    if not trace.trace_id:
        raise ValueError("Cannot evaluate: trace_id is required")
    panel = _installed_panel() if signals is None and profile is None else _panel(signals, profile)
    try:
        index = TraceIndex(trace)
        report = evaluate(index, panel)
    except (AttributeError, TypeError, UnicodeEncodeError):
        if (problem := problem_of(trace)) is not None:
            raise problem from None
        raise
    if index.is_odd or report.failures:
        check_trace(trace)
    return report


def _panel(signals: Iterable["sentinel_core.Signal"] | None, profile: Profile | None) -> Panel:
    wanted = RS1 if profile is None else profile
    if not isinstance(wanted, Profile):
        raise TypeError(f"profile is {wanted!r}; expected a Profile, such as sentinel_core.RS1")
    if signals is None:
        installed = _installed_panel()
        return Panel(signals=installed.signals, profile=wanted, failures=installed.failures)
    given = tuple(signals)  # it may be a generator, which gives them once
    names = _names(given)
    return Panel(
        signals=tuple(_bind(signal) for signal in given),
        profile=with_weights(wanted, {}, names),
        left_out=frozenset(wanted.weights) - names,
    )


def _names(signals: "tuple[sentinel_core.Signal, ...]") -> frozenset[str]:
    from sentinel_core.offers import Signal

    names = set[str]()
    for signal in signals:
        if not isinstance(signal, Signal):
            raise TypeError(f"signals holds {signal!r}; expected Signal offers")
        if signal.name in names:
            raise ValueError(f'signals holds two that are named "{signal.name}"; each name may stand once')
        names.add(signal.name)
    return frozenset(names)


def _bind(signal: "sentinel_core.Signal") -> BoundSignal:
    from sentinel_core.host.conversion import printed
    from sentinel_core.host.panel import bind_settings

    settings = None if signal.settings is None else signal.settings()
    return BoundSignal(
        name=signal.name,
        detect=bind_settings(signal.detect, settings),
        settings={} if settings is None else printed(settings),
        rules=signal.rules,
    )


@functools.cache
def _installed_panel() -> Panel:
    """The installed signals, looked up once a process."""
    from sentinel_core.host.plugins import load, select
    from sentinel_core.host.selection import Selection
    from sentinel_core.host.settings import Layers

    chosen, left_out = select(Selection(), ("signals",))
    plugins, failures = load(chosen)
    return make_panel(plugins, failures, left_out, Layers())
