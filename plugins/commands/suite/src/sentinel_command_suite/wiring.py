"""Loads what a trial needs, by name: the provider's model, the installed tools, the panel of signals."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import attrs

from sentinel_core import Model, Tool
from sentinel_core.errors import PluginError
from sentinel_core.evaluate.evaluator import Panel
from sentinel_core.host.connect import key_sent_elsewhere, model_of, with_flags
from sentinel_core.host.panel import make_panel
from sentinel_core.host.plugins import HOST, Plugin, load, select
from sentinel_core.host.selection import Selection, no_provider
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.host.tools import bind_tool

__all__ = ["Kit", "load_kit"]

_KINDS = ("providers", "signals", "tools")
Watch = Callable[[str, str], AbstractContextManager[object]]


@attrs.frozen(kw_only=True)
class Kit:
    """Loaded plugins: how to connect to the provider and the judge, the tools, the signals, and all versions.

    ``warnings`` are for the user, before a model is asked.
    """

    connect: Callable[[], Model] | None
    tools: Mapping[str, Plugin]
    panel: Panel
    layers: Layers
    versions: Mapping[str, str]
    connect_judge: Callable[[], Model] | None = None
    warnings: Sequence[str] = ()

    def bound_tools(self, overrides: Mapping[str, Mapping[str, Any]]) -> list[Tool]:
        """The installed tools with their settings.

        ``overrides`` are settings by tool, over the configured ones, as far as the tool has them. Raises ``ConfigError``
        for settings that cannot be used.
        """
        made = []
        for name, plugin in self.tools.items():
            fields = attrs.fields_dict(plugin.offer.settings) if plugin.offer.settings is not None else {}
            given = {
                f"tools.{name}.{key}": Setting(key=key, value=value, origin="the suite")
                for key, value in overrides.get(name, {}).items()
                if key in fields
            }
            layers = attrs.evolve(self.layers, values={**self.layers.values, **given})
            made.append(bind_tool(plugin.offer, layers.of_plugin("tools", name, plugin.offer.settings)))
        return made


def load_kit(
    provider: str | None,
    layers: Layers,
    selection: Selection,
    *,
    of_provider: Mapping[str, Any] | None = None,
    judge: tuple[str, Mapping[str, Any]] | None = None,
    watch: Watch = lambda _stage, _label: nullcontext(),
) -> Kit:
    """Load everything, once per process. ``provider`` is None if another model replaces it.

    ``of_provider`` are flags for the evaluated provider, not the judge's; they override its settings. Raises
    ``PluginError`` if the provider or the judge's is not installed, ``ConfigError`` for unusable settings.
    """
    chosen, left_out = select(selection, _KINDS)
    wanted = {provider, *((judge[0],) if judge else ())}
    needed = [source for source in chosen if source.kind != "providers" or source.name in wanted]
    plugins, failures = load(needed, selection.targets, kinds=_KINDS, watch=watch)
    for failure in failures:
        if failure.source.kind == "providers":
            raise PluginError(f'provider "{failure.source.name}" ({failure.source.origin}) {failure.error}')
    known = {source.name for source in chosen if source.kind == "providers"}
    warnings: list[str] = []
    connect = None
    if provider is not None:
        plugin = _provider(plugins, provider, known)
        connect = _connector(plugin, with_flags(plugin, layers, of_provider or {}, required=True), warnings.append)
    return Kit(
        connect=connect,
        connect_judge=_judge(plugins, judge, layers, known, warnings.append),
        warnings=warnings,
        tools={plugin.source.name: plugin for plugin in plugins if plugin.source.kind == "tools"},
        panel=make_panel(plugins, failures, left_out, layers),
        layers=layers,
        versions=_versions(plugins, provider),
    )


def _provider(plugins: Sequence[Plugin], name: str, known: set[str]) -> Plugin:
    for plugin in plugins:
        if plugin.source.kind == "providers" and plugin.source.name == name:
            return plugin
    raise no_provider(name, known)


def _judge(
    plugins: Sequence[Plugin],
    judge: tuple[str, Mapping[str, Any]] | None,
    layers: Layers,
    known: set[str],
    warn: Callable[[str], None],
) -> Callable[[], Model] | None:
    if judge is None:
        return None
    name, settings = judge
    given = {
        f"providers.{name}.{key}": Setting(key=f"providers.{name}.{key}", value=value, origin="the suite's judge")
        for key, value in settings.items()
    }
    pinned = attrs.evolve(layers, values={**layers.values, **given})
    return _connector(_provider(plugins, name, known), pinned, warn)


def _connector(plugin: Plugin, layers: Layers, warn: Callable[[str], None]) -> Callable[[], Model]:
    settings = layers.of_plugin("providers", plugin.source.name, plugin.offer.settings)
    if warning := key_sent_elsewhere(plugin, settings, layers):
        warn(warning)
    return partial(model_of, plugin, settings)


def _versions(plugins: Sequence[Plugin], provider: str | None) -> dict[str, str]:
    from sentinel_core import __version__

    versions = {HOST: __version__}
    for plugin in plugins:
        source = plugin.source
        if source.kind == "signals" or (source.kind == "providers" and source.name == provider):
            versions[source.label] = source.origin
    return dict(sorted(versions.items()))
