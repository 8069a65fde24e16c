"""Sentinel provider: Ollama."""

from collections.abc import Iterable

from sentinel_core import Provider, hookimpl
from sentinel_core.model import Model
from sentinel_provider_ollama.settings import OllamaSettings
from sentinel_provider_ollama.wire import format_tools_for_provider

__all__ = ["OllamaSettings", "connect", "format_tools_for_provider", "sentinel_providers"]

KEY = "OLLAMA_API_KEY"


def connect(settings: OllamaSettings) -> Model:
    """Open a model that Ollama runs; by default the most recently changed one. A key from the environment is optional.

    Raises ``ConfigError`` if no model is set and Ollama has none.
    """
    from sentinel_provider_ollama.model import open_model

    return open_model(settings, KEY)


@hookimpl
def sentinel_providers() -> Iterable[Provider]:
    """The provider of this package."""
    return [
        Provider(
            name="ollama",
            summary="models that run on your own machine, over Ollama's native API",
            connect=connect,
            env=(KEY,),
            settings=OllamaSettings,
        )
    ]
