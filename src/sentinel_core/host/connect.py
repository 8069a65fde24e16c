"""Connects a provider to get a model; applies the flags for providers and tools; warns when an API key goes to an unexpected server."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import ConfigError, PluginError, SentinelError, error_text
from sentinel_core.host.plugins import Plugin
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.model import Model

__all__ = [
    "PROVIDER",
    "close_model",
    "fields_of",
    "key_sent_elsewhere",
    "model_of",
    "refuse_two_places",
    "with_flags",
    "without_repo",
]

PROVIDER = ("model", "base_url")
"""The settings of a provider that have flags."""

_REPO = "tools.get_release_summary.repo"
_PORTS = {"http": ":80", "https": ":443"}
_MODEL_METHODS = ("complete", "estimate_tokens", "get_capabilities", "close")


def model_of(plugin: Plugin, settings: Any) -> Model:
    """Call the provider's ``connect``; ``settings`` is None if it takes none.

    Passes on the provider's ``SentinelError``. Raises ``PluginError`` for any other exception, and if it returns no ``Model``.
    """
    try:
        model: Model = plugin.offer.connect() if settings is None else plugin.offer.connect(settings)
    except SentinelError:
        raise
    except Exception as error:  # plugin code may raise anything
        raise PluginError(
            f'provider "{plugin.source.name}" raised {type(error).__name__}: {error_text(error)}'
        ) from error
    if missing := [name for name in _MODEL_METHODS if not callable(getattr(model, name, None))]:
        returned = "None" if model is None else f"a {type(model).__name__}"
        problem = f"its connect returned {returned}, which has no {', no '.join(missing)}; expected a Model"
        raise PluginError(f'provider "{plugin.source.name}": {problem}')
    return model


def key_sent_elsewhere(plugin: Plugin, settings: Any, layers: Layers) -> str | None:
    """A warning that a settings file sends an API key from the environment to another server; None if it does not.

    This machine and the provider's default server are fine. ``settings`` were made from ``layers``.
    """
    key = f"providers.{plugin.source.name}.base_url"
    base_url = layers.values.get(key)
    variable = next((name for name in plugin.offer.env if os.environ.get(name, "").strip()), None)
    if base_url is None or variable is None or base_url.origin.startswith(("--", "SENTINEL_")):
        return None
    server = _server_of(str(settings.base_url))
    if server is None or server == _default_server(plugin, layers, key):
        return None
    return f'the API key in {variable} is sent to {server[1]}, which is set by "{key}" in {Path(base_url.folder, base_url.origin)}'


def _server_of(address: str) -> tuple[str, str] | None:
    """Scheme, and host with port unless it is the scheme's default; None for this machine."""
    import ipaddress
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:  # not a URL: the provider itself refuses it
        return "", address
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    server = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, ""))
    return None if is_here else (parts.scheme, server or address)


def _default_server(plugin: Plugin, layers: Layers, key: str) -> tuple[str, str] | None:
    """The provider's server without the setting ``key``; None if it has no default."""
    others = Layers(values={name: setting for name, setting in layers.values.items() if name != key})
    try:
        defaults = others.of_plugin(plugin.source.kind, plugin.source.name, plugin.offer.settings)
    except SentinelError:
        return None
    return _server_of(str(defaults.base_url))


def with_flags(plugin: Plugin, layers: Layers, flags: Mapping[str, Any], *, required: bool) -> Layers:
    """The layers plus those flags, keyed by field name, that the plugin has settings for.

    Raises ``ConfigError`` for a flag without a setting if they are ``required``.
    """
    given = {}
    for field, value in flags.items():
        flag, key = f"--{field.replace('_', '-')}", f"{plugin.source.kind}.{plugin.source.name}.{field}"
        if field in fields_of(plugin):
            given[key] = Setting(key=key, value=value, origin=flag)
        elif required:
            raise ConfigError(f'{flag}: the provider "{plugin.source.name}" has no such setting')
    return attrs.evolve(layers, values={**layers.values, **given})


def fields_of(plugin: Plugin) -> frozenset[str]:
    """The names of the plugin's settings."""
    settings = plugin.offer.settings
    return frozenset() if settings is None else frozenset(field.name for field in attrs.fields(settings))


def close_model(model: Model, provider: str, warn: Callable[[str], None]) -> None:
    """Close the model; a failure is a warning, because its answers stay valid."""
    try:
        model.close()
    except Exception as error:  # noqa: BLE001 - plugin code may raise anything
        warn(f'plugin "providers:{provider}" raised {type(error).__name__}: {error_text(error)} when it was closed')


def refuse_two_places(given: Mapping[str, Any], layers: Layers) -> None:
    """Raises ``ConfigError`` if the command line names both ``--releases`` and a repository."""
    repo = layers.values.get(_REPO)
    is_set = repo is not None and repo.origin == "--set" and repo.value
    if given.get("releases") and (given.get("repo") or is_set):
        flag = "--repo" if given.get("repo") else f"--set {_REPO}"
        reason = "a release is either a summary or a range of commits"
        raise ConfigError(f"--releases cannot be combined with {flag}: {reason}")


def without_repo(layers: Layers, tools: Iterable[str]) -> Layers:
    """The layers without these tools' ``repo``, unless set on the command line, because ``--releases`` replaces it."""
    keys = {f"tools.{name}.repo" for name in tools}
    values = {key: setting for key, setting in layers.values.items() if key not in keys or setting.origin == "--set"}
    return attrs.evolve(layers, values=values)
