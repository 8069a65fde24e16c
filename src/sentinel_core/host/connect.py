"""From a loaded provider and its settings to a model; flags that are for whichever plugin has such a setting."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from sentinel_core.errors import ConfigError, PluginError, SentinelError, error_text
from sentinel_core.host.plugins import Plugin
from sentinel_core.host.settings import Layers, Setting
from sentinel_core.model import Model

__all__ = ["close_model", "fields_of", "key_elsewhere", "model_of", "with_flags"]

_PORTS = {"http": ":80", "https": ":443"}
_OF_A_MODEL = ("complete", "estimate_tokens", "get_capabilities", "close")


def model_of(plugin: Plugin, settings: Any) -> Model:
    """What the provider's ``connect`` gives; ``settings`` is None where it has none.

    Raises ``SentinelError`` as it does, and ``PluginError`` for anything else that it raises, or where it gives no ``Model``.
    """
    try:
        model: Model = plugin.offer.connect() if settings is None else plugin.offer.connect(settings)
    except SentinelError:
        raise
    except Exception as error:  # a provider is a plugin: whatever it raises is its failure
        raise PluginError(
            f'provider "{plugin.source.name}" raised {type(error).__name__}: {error_text(error)}'
        ) from error
    if lacking := [name for name in _OF_A_MODEL if not callable(getattr(model, name, None))]:
        given = "None" if model is None else f"a {type(model).__name__}"
        told = f"its connect returned {given}, which has no {', no '.join(lacking)}; expected a Model"
        raise PluginError(f'provider "{plugin.source.name}": {told}')
    return model


def key_elsewhere(plugin: Plugin, settings: Any, layers: Layers) -> str | None:
    """In words, that a key of the environment goes to an address that a file names; None where it does not.

    It does not where the server is this machine, or the provider's own. ``settings`` were made from ``layers``.
    """
    key = f"providers.{plugin.source.name}.base_url"
    told = layers.values.get(key)
    variable = next((name for name in plugin.offer.env if os.environ.get(name, "").strip()), None)
    if told is None or variable is None or told.origin.startswith(("--", "SENTINEL_")):
        return None
    place = _place_of(str(settings.base_url))
    if place is None or place == _own_place(plugin, layers, key):
        return None
    return f'the key of {variable} goes to {place[1]}, as "{key}" from {Path(told.folder, told.origin)} says'


def _place_of(address: str) -> tuple[str, str] | None:
    """The scheme, and host and port without one that the scheme has anyway; None for this machine's."""
    import ipaddress
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:  # the provider refuses it
        return "", address
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    place = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, ""))
    return None if is_here else (parts.scheme, place or address)


def _own_place(plugin: Plugin, layers: Layers, key: str) -> tuple[str, str] | None:
    """Where the provider would be, had nobody set it; None where it has no default."""
    others = Layers(values={name: setting for name, setting in layers.values.items() if name != key})
    try:
        own = others.of_plugin(plugin.source.kind, plugin.source.name, plugin.offer.settings)
    except SentinelError:
        return None
    return _place_of(str(own.base_url))


def with_flags(plugin: Plugin, layers: Layers, flags: Mapping[str, Any], *, must: bool) -> Layers:
    """The layers with the flags, by field, that the plugin has such settings for.

    Raises ``ConfigError`` where it ``must`` have them all, and has not.
    """
    given = {}
    for field, value in flags.items():
        flag, key = f"--{field.replace('_', '-')}", f"{plugin.source.kind}.{plugin.source.name}.{field}"
        if field in fields_of(plugin):
            given[key] = Setting(key=key, value=value, origin=flag)
        elif must:
            raise ConfigError(f'{flag}: the provider "{plugin.source.name}" has no such setting')
    return attrs.evolve(layers, values={**layers.values, **given})


def fields_of(plugin: Plugin) -> frozenset[str]:
    """The names of its settings."""
    wanted = plugin.offer.settings
    return frozenset() if wanted is None else frozenset(field.name for field in attrs.fields(wanted))


def close_model(model: Model, provider: str, tell: Callable[[str], None]) -> None:
    """Close it; where that fails, ``tell`` is given a sentence, and what came of the model stands all the same."""
    try:
        model.close()
    except Exception as error:  # noqa: BLE001 - a provider is a plugin, and may raise anything
        tell(f'plugin "providers:{provider}" raised {type(error).__name__}: {error_text(error)} when it was closed')
