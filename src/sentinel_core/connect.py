"""From a loaded provider and its settings to a model."""

from collections.abc import Callable
from typing import Any

from sentinel_core.errors import PluginError, SentinelError
from sentinel_core.host import Plugin
from sentinel_core.model import Model

__all__ = ["close_model", "model_of"]

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
        raise PluginError(f'provider "{plugin.source.name}" raised {type(error).__name__}: {error}') from error
    if lacking := [name for name in _OF_A_MODEL if not callable(getattr(model, name, None))]:
        given = "None" if model is None else f"a {type(model).__name__}"
        told = f"its connect returned {given}, which has no {', no '.join(lacking)}; expected a Model"
        raise PluginError(f'provider "{plugin.source.name}": {told}')
    return model


def close_model(model: Model, provider: str, tell: Callable[[str], None]) -> None:
    """Close it; where that fails, ``tell`` is given a sentence, and what came of the model stands all the same."""
    try:
        model.close()
    except Exception as error:  # noqa: BLE001 - a provider is a plugin, and may raise anything
        tell(f'plugin "providers:{provider}" raised {type(error).__name__}: {error} when it was closed')
