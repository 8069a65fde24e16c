"""Builds a panel: which signals judge, with which settings, under which profile."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from sentinel_core._fast import collected, declared, field
from sentinel_core.errors import ConfigError, PluginError
from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.host.conversion import Setting, printed, settable
from sentinel_core.host.plugins import Installed, LoadFailure, Plugin, Watch
from sentinel_core.host.selection import did_you_mean
from sentinel_core.host.settings import Layers
from sentinel_core.offers import Explanation, Rule, Signal
from sentinel_core.profile import PROFILES, RS1, STANDARD, CriticalRule, Profile
from sentinel_core.report import Finding, SignalFailure
from sentinel_core.trace import ExecutionTrace

if TYPE_CHECKING:
    from sentinel_core.host.rule_levels import Level

__all__ = [
    "RemoteSignal",
    "bind",
    "bind_settings",
    "make_panel",
    "panel_of",
    "read_profile",
    "undeclared_rules",
    "weighted",
    "with_presets",
    "with_weights",
]


@collected
@declared(kw_only=True)
class RemoteSignal:
    """A ``Signal`` that runs in another process, which has bound its settings: ``filled``, as reports show them."""

    name: str
    summary: str
    detect: Callable[..., Any]
    settings: None = None
    rules: Sequence[Rule] = ()
    explain: Callable[[], Mapping[str, Explanation]] | None = None
    ledger: Callable[..., Any] | None = None
    filled: Mapping[str, Any] = field(factory=dict)


def make_panel(
    plugins: Iterable[Plugin],
    failures: Sequence[LoadFailure],
    left_out: Collection[Installed],
    layers: Layers,
    *,
    watch: Watch | None = None,
    attributes_all: bool = False,
    has_ledger: bool = False,
) -> Panel:
    """The panel of all signals among ``plugins``, with the profile and weights set in ``layers``.

    Raises ``ConfigError`` for a setting, weight or profile that cannot be used.
    """
    plugins = tuple(plugins)
    layers = with_presets(layers, read_profile(layers.host().profile), plugins)
    signals = []
    failed = [_failure(failure.source, failure.error) for failure in failures if failure.source.kind == "signals"]
    absent = {failure.signal_name for failure in failed}
    absent |= {source.name for source in left_out if source.kind == "signals"}
    offers = [plugin.offer for plugin in plugins if plugin.source.kind == "signals"]
    levels = _levels(layers, offers, absent)
    for plugin in plugins:
        if plugin.source.kind == "signals":
            try:
                signals.append(bind(plugin, layers, watch, levels))
            except PluginError as error:
                failed.append(_failure(plugin.source, str(error)))
    unselected = frozenset(plugin.name for plugin in left_out if plugin.kind == "signals")
    known = {signal.name for signal in signals} | {failure.signal_name for failure in failed} | unselected
    return Panel(
        signals=tuple(signals),
        profile=weighted(layers, known),
        failures=tuple(failed),
        left_out=unselected,
        lowered=_lowered(levels),
        attributes_all=attributes_all,
        has_ledger=has_ledger,
    )


def with_presets(layers: Layers, profile: Profile, plugins: Iterable[Plugin]) -> Layers:
    """The layers with the settings of ``profile`` beneath them, for those of its signals that have such a setting."""
    presets = {
        f"signals.{plugin.source.name}.{name}": value
        for plugin in plugins
        if plugin.source.kind == "signals" and plugin.offer.settings is not None
        for name, value in profile.settings.get(plugin.source.name, {}).items()
        if name in settable(plugin.offer.settings)
    }
    if not presets:
        return layers
    made = {key: Setting(key=key, value=value, origin=f"profile {profile.name}") for key, value in presets.items()}
    return attrs.evolve(layers, values={**made, **layers.values})


def _failure(source: Installed, error: str) -> SignalFailure:
    return SignalFailure(signal_name=source.name, error=error, distribution=source.distribution, version=source.version)


def bind_settings(function: Callable[..., Any], settings: Any) -> Callable[..., Any]:
    """A function of one argument; its settings, if any, are bound as the second."""
    return function if settings is None else lambda given: function(given, settings)


def _levels(layers: Layers, offers: Iterable[Signal], absent: Collection[str]) -> "Mapping[str, Level]":
    rules = layers.rules()
    if not rules:
        return {}
    from sentinel_core.host.rule_levels import check_rules

    return check_rules(rules, offers, absent)


def _lowered(levels: "Mapping[str, Level]") -> frozenset[str]:
    if not levels:
        return frozenset()
    from sentinel_core.host.rule_levels import lowered_by

    return lowered_by(levels)


def bind(
    plugin: Plugin, layers: Layers, watch: Watch | None = None, levels: "Mapping[str, Level] | None" = None
) -> BoundSignal:
    """The signal with the settings of ``layers``. Raises ``PluginError`` if it needs one that is not set."""
    source, is_remote = plugin.source, isinstance(plugin.offer, RemoteSignal)
    settings = None if is_remote else layers.of_plugin("signals", source.name, plugin.offer.settings)
    detect = bind_settings(plugin.offer.detect, settings)
    if levels:
        from sentinel_core.host.rule_levels import with_levels

        detect = with_levels(detect, source.name, levels)
    return BoundSignal(
        name=source.name,
        detect=detect if watch is None or is_remote else _watched(detect, watch, source.label),
        distribution=source.distribution,
        version=source.version,
        settings=plugin.offer.filled if is_remote else {} if settings is None else printed(settings),
        rules=plugin.offer.rules,
        ledger=plugin.offer.ledger
        if watch is None or is_remote
        else _watched_ledger(plugin.offer.ledger, watch, source.label),
    )


def _watched(detect: Callable[[TraceIndex], object], watch: Watch, label: str) -> Callable[[TraceIndex], object]:
    def run(index: TraceIndex) -> object:
        with watch("detect", label):
            return detect(index)

    return run


def _watched_ledger(ledger: Callable[..., Any] | None, watch: Watch, label: str) -> Callable[..., Any] | None:
    if ledger is None:
        return None

    def run(index: TraceIndex, findings: Sequence[Finding]) -> Any:
        with watch("ledger", label):
            return list(ledger(index, findings))

    return run


def weighted(layers: Layers, known: Collection[str]) -> Profile:
    """The profile set in ``layers``, with their weights over its own.

    Raises ``ConfigError``, naming the flag or file, for a weight or profile that cannot be used.
    """
    profile = read_profile(layers.host().profile)
    names = {*known, *profile.weights}
    for rule in profile.critical:
        if rule.signal_name not in names and rule not in STANDARD.critical:
            near = did_you_mean(rule.signal_name, names)
            where = f'profile "{profile.name}": critical.{rule.signal_name}'
            raise ConfigError(f'{where}: no such signal is installed{near} ("sentinel plugins" lists the plugins)')
    weights = layers.weights()
    for name in weights:
        if name not in names:
            origin = layers.values[f"weights.{name}"].origin
            where = f'--weight "{name}"' if origin == "--weight" else f'"weights.{name}" from {origin}'
            near = did_you_mean(name, names)
            raise ConfigError(f'{where}: no such signal is installed{near} ("sentinel plugins" lists the plugins)')
    return with_weights(profile, weights, names)


def with_weights(profile: Profile, weights: Mapping[str, float], known: Iterable[str]) -> Profile:
    """The profile with ``weights`` over its own; a weight of 0 makes a signal advisory and removes its critical rules.

    Raises ``ConfigError`` (a ``ValueError``) for a weight that cannot be used, and for an unknown signal.
    """
    names = {*known, *profile.weights}
    for name in weights:
        if name not in names:
            raise ConfigError(f"Unknown signal: {name}{did_you_mean(name, names)}")
    try:
        critical = tuple(rule for rule in profile.critical if weights.get(rule.signal_name) != 0)
        return attrs.evolve(profile, weights={**profile.weights, **weights}, critical=critical)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def read_profile(name: str) -> Profile:
    """``rs1``, ``standard``, or a TOML file with ``weights``, ``warn_at``, ``fail_at``, ``critical`` and ``findings_decide``.

    Missing keys keep RS-1's values; ``critical`` is merged signal by signal, and ``false`` removes RS-1's rule. Raises
    ``ConfigError`` that names the file and the key.
    """
    if name in PROFILES:
        return PROFILES[name]
    import tomllib

    path = Path(name)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        known = " nor ".join(f'"{profile}"' for profile in PROFILES)
        raise ConfigError(
            f'"{name}" is not a profile: it is neither {known} nor a readable file ({error.strerror}){did_you_mean(name, PROFILES)}'
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f'profile "{name}" is not TOML: {error}') from None
    unknown = sorted(set(document) - {"name", "weights", "warn_at", "fail_at", "critical", "findings_decide"})
    if unknown:
        raise ConfigError(f'profile "{name}": unknown key "{unknown[0]}"')
    return _profile(document, path)


_TYPES = {
    "name": (str, "text"),
    "weights": (dict, "a table"),
    "critical": (dict, "a table"),
    "findings_decide": (bool, "true or false"),
}


def _profile(document: Mapping[str, Any], path: Path) -> Profile:
    for key, (kind, called) in _TYPES.items():
        if key in document and not isinstance(document[key], kind):
            raise ConfigError(f'profile "{path.name}": {key} must be {called}, but it is {document[key]!r}')
    made = partial(
        Profile,
        name=document.get("name", path.stem),
        weights={
            key: _number(weight, path, f"weights.{key}") for key, weight in document.get("weights", RS1.weights).items()
        },
        warn_at=_share(document.get("warn_at", RS1.warn_at), path, "warn_at"),
        fail_at=_share(document.get("fail_at", RS1.fail_at), path, "fail_at"),
        critical=_all_critical(document.get("critical", {}), document.get("weights", RS1.weights), path),
        findings_decide=document.get("findings_decide", RS1.findings_decide),
        settings=RS1.settings,
    )
    try:
        profile = made()
    except ValueError as error:
        raise ConfigError(f'profile "{path.name}": {error}') from None
    if profile.warn_at > profile.fail_at:
        raise ConfigError(f'profile "{path.name}": warn_at is above fail_at')
    return profile


def _all_critical(given: Mapping[str, Any], weights: Mapping[str, Any], path: Path) -> tuple[CriticalRule, ...]:
    """RS-1's of signals that have a weight here, and those given over them."""
    rules: dict[str, CriticalRule | None] = {
        rule.signal_name: rule for rule in RS1.critical if weights.get(rule.signal_name)
    }
    rules.update(
        (name, _critical(name, rule, path) if rule is not False else None) for name, rule in sorted(given.items())
    )
    return tuple(rule for rule in rules.values() if rule is not None)


def _critical(name: str, rule: Any, path: Path) -> CriticalRule:
    if not isinstance(rule, dict) or set(rule) != {"threshold", "verdict"} or rule["verdict"] not in ("WARN", "FAIL"):
        raise ConfigError(
            f'profile "{path.name}": critical.{name} must be {{ threshold = 0.8, verdict = "FAIL" or "WARN" }}, or false'
        )
    return CriticalRule(
        signal_name=name,
        threshold=_share(rule["threshold"], path, f"critical.{name}.threshold"),
        verdict=rule["verdict"],
    )


def _number(value: object, path: Path, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigError(f'profile "{path.name}": {key} must be a number, but it is {value!r}')
    return float(value)


def _share(value: object, path: Path, key: str) -> float:
    number = _number(value, path, key)
    if not 0 <= number <= 1:
        raise ConfigError(f'profile "{path.name}": {key} must be from 0 to 1, but it is {number:g}')
    return number


def panel_of(signal: Signal) -> Panel:
    """This signal alone, with its default settings. Raises ``TypeError`` if a setting has no default."""
    settings = None if signal.settings is None else signal.settings()
    bound = BoundSignal(name=signal.name, detect=bind_settings(signal.detect, settings))
    profile = with_weights(RS1, {signal.name: 1.0}, [signal.name])
    return Panel(signals=(bound,), profile=profile, left_out=frozenset(profile.weights) - {signal.name})


def undeclared_rules(signal: Signal, traces: Iterable[ExecutionTrace]) -> list[str]:
    """The ids of rules that the signal's findings on these traces name and its ``rules`` do not, sorted."""
    panel, declared = panel_of(signal), {f"{signal.name}.{rule.id}" for rule in signal.rules}
    found = {finding.rule for trace in traces for finding in evaluate(TraceIndex(trace), panel).findings}
    return sorted(rule.removeprefix(f"{signal.name}.") for rule in found - declared)
