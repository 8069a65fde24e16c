"""Sentinel provider: Anthropic Messages API."""

from collections.abc import Iterable

from sentinel_core import Provider, hookimpl
from sentinel_core.model import Model
from sentinel_provider_anthropic.settings import AnthropicSettings
from sentinel_provider_anthropic.wire import format_tools_for_provider

__all__ = ["AnthropicSettings", "connect", "format_tools_for_provider", "sentinel_providers"]

VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


def connect(settings: AnthropicSettings) -> Model:
    """Open an Anthropic model; by default the newest one that the server lists.

    Raises ``AuthenticationError``, before any request, if the environment has no key, and ``ModelError`` if no model is set
    and the server lists none.
    """
    from sentinel_provider_anthropic.model import open_model

    return open_model(settings, VARIABLES)


@hookimpl
def sentinel_providers() -> Iterable[Provider]:
    """The provider of this package."""
    return [
        Provider(
            name="anthropic",
            summary="Claude models over the Anthropic Messages API",
            connect=connect,
            env=VARIABLES,
            settings=AnthropicSettings,
        )
    ]
