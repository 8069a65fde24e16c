"""Sentinel providers: OpenAI-compatible servers and OpenRouter."""

from collections.abc import Iterable

from sentinel_core import Provider, hookimpl
from sentinel_core.model import Model
from sentinel_provider_openai.settings import OpenAISettings, OpenRouterSettings
from sentinel_provider_openai.wire import format_tools_for_provider

__all__ = [
    "OpenAISettings",
    "OpenRouterSettings",
    "connect_openai",
    "connect_openrouter",
    "format_tools_for_provider",
    "sentinel_providers",
]

OPENAI_KEY = "OPENAI_API_KEY"
OPENROUTER_KEY = "OPENROUTER_API_KEY"


def connect_openai(settings: OpenAISettings) -> Model:
    """Open a model of an OpenAI-compatible server.

    OpenAI itself needs a key in the environment; for other servers it is optional. Raises ``AuthenticationError``, before any
    request, if a needed key is missing, and ``ConfigError`` if no model is set and the server lists several.
    """
    from sentinel_provider_openai.connecting import open_openai

    return open_openai(settings, OPENAI_KEY)


def connect_openrouter(settings: OpenRouterSettings) -> Model:
    """Open a model at OpenRouter. Raises as ``connect_openai`` does; a key is always needed."""
    from sentinel_provider_openai.connecting import open_openrouter

    return open_openrouter(settings, OPENROUTER_KEY)


@hookimpl
def sentinel_providers() -> Iterable[Provider]:
    """Both providers of this package; they share a wire format."""
    return [
        Provider(
            name="openai",
            summary="any OpenAI-compatible server (chat completions)",
            connect=connect_openai,
            env=(OPENAI_KEY,),
            settings=OpenAISettings,
        ),
        Provider(
            name="openrouter",
            summary="any model on OpenRouter, with the costs that it reports",
            connect=connect_openrouter,
            env=(OPENROUTER_KEY,),
            settings=OpenRouterSettings,
        ),
    ]
