"""``evaluate_trace``, the library call. Plugins run in the process of the caller."""

import functools
from collections.abc import Iterable, Sequence

import attrs

import sentinel_core  # noqa: TC001 - get_type_hints needs it; its names are looked up on first use
from sentinel_core.errors import PluginError
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.conversion import printed, settable
from sentinel_core.host.panel import bind_settings, make_panel, with_presets, with_weights
from sentinel_core.host.plugins import Installed, LoadFailure, Plugin, load, select
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.profile import STANDARD, Profile
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.problems import check_trace, problem_of

__all__ = ["evaluate_trace"]


def evaluate_trace(
    trace: ExecutionTrace,
    *,
    signals: Iterable["sentinel_core.Signal"] | None = None,
    profile: Profile | None = None,
    expect: Sequence[str] = (),
    allow: Sequence[str] = (),
    ledger: bool = False,
) -> ReliabilityReport:
    """Evaluate one trace with the installed signals, or with exactly the given ones, using ``profile`` (default: ``STANDARD``).

    ``expect`` lists what is expected of the run, written as for ``--expect``; a broken expectation gives FAIL.
    ``allow`` lists rules to switch off, such as ``loop.cycle``. With ``ledger``, the report lists every claim of the
    agent beside the record.

    Plugins run in this process with their default settings; no configuration file or variable is read. A signal that
    fails is in the report's ``failures``. Raises ``ValueError`` for a trace without an id, an unknown role, a lone
    surrogate in arguments or metadata, and two signals with the same name; raises ``TypeError`` for a value of the
    wrong type. Errors about a trace name the message, the field, the value, and what is expected. Raises
    ``sentinel_core.errors.PluginError`` if no signal is installed and none is given, and ``ConfigError`` for an
    expectation that cannot be understood and for an unknown rule.
    """
    if not isinstance(trace, ExecutionTrace):
        raise TypeError(f"trace is of type {type(trace).__name__}; expected an ExecutionTrace")
    if not trace.trace_id:
        raise ValueError("Cannot evaluate: trace_id is required")
    panel = _installed_panel() if signals is None and profile is None else _panel(signals, profile)
    if allow:
        from sentinel_core.host.rule_levels import without_rules

        panel = without_rules(panel, allow)
    if expect:
        from sentinel_core.host.expectations import expected_of, expecting

        panel = expecting(panel, expected_of(expect))
    if ledger:
        panel = attrs.evolve(panel, has_ledger=True)
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
    wanted = STANDARD if profile is None else profile
    if not isinstance(wanted, Profile):
        raise TypeError(f"profile is {wanted!r}; expected a Profile, such as sentinel_core.RS1")
    if signals is None:
        plugins, failures, left_out = _installed_signals()
        layers = with_presets(Layers(), wanted, plugins)
        panel = make_panel(plugins, failures, left_out, layers) if layers.values else _installed_panel()
        return Panel(signals=panel.signals, profile=wanted, failures=panel.failures)
    given = tuple(signals)  # a generator can be read only once
    names = _names(given)
    return Panel(
        signals=tuple(_bind(signal, wanted) for signal in given),
        profile=with_weights(wanted, {}, names),
        left_out=wanted.deciding - names,
    )


def _names(signals: "tuple[sentinel_core.Signal, ...]") -> frozenset[str]:
    from sentinel_core.offers import Signal

    names = set[str]()
    for signal in signals:
        if not isinstance(signal, Signal):
            raise TypeError(f"signals contains {signal!r}; expected only objects of type Signal")
        if signal.name in names:
            raise ValueError(f'two signals are named "{signal.name}"; each name must be unique')
        names.add(signal.name)
    return frozenset(names)


def _bind(signal: "sentinel_core.Signal", profile: Profile) -> BoundSignal:
    settings = None
    if signal.settings is not None:
        known, presets = settable(signal.settings), profile.settings.get(signal.name, {})
        settings = signal.settings(**{name: value for name, value in presets.items() if name in known})
    return BoundSignal(
        name=signal.name,
        detect=bind_settings(signal.detect, settings),
        settings={} if settings is None else printed(settings),
        rules=signal.rules,
        ledger=signal.ledger,
    )


@functools.cache
def _installed_panel() -> Panel:
    """The installed signals with their own settings, bound once per process."""
    return make_panel(*_installed_signals(), Layers())


@functools.cache
def _installed_signals() -> "tuple[list[Plugin], list[LoadFailure], list[Installed]]":
    """The installed signals, looked up once per process, those that could not be loaded, and those left out."""
    chosen, left_out = select(Selection(), ("signals",))
    if not chosen:
        raise PluginError('no signal is installed: pip install "reliability-sentinel[standard]"')
    return (*load(chosen), left_out)
