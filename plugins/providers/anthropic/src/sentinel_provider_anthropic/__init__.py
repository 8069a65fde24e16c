"""Sentinel provider: Anthropic Messages API."""

from collections.abc import Iterable

from sentinel_core import Provider, hookimpl
from sentinel_core.model import Model
from sentinel_provider_anthropic.settings import AnthropicSettings
from sentinel_provider_anthropic.wire import format_tools_for_provider

__all__ = ["AnthropicSettings", "connect", "format_tools_for_provider", "sentinel_providers"]

VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


def connect(settings: AnthropicSettings) -> Model:
    """A model of Anthropic's.

    Raises ``AuthenticationError`` where no key is in the environment, before anything is asked; where no model is set, the
    newest that the server lists is taken, and a ``ModelError`` raised where it lists none.
    """
    from sentinel_provider_anthropic.model import open_model

    return open_model(settings, VARIABLES)


@hookimpl
def sentinel_providers() -> Iterable[Provider]:
    """Offer the Messages API as a provider."""
    return [
        Provider(
            name="anthropic",
            summary="Claude models over the Anthropic Messages API",
            connect=connect,
            env=VARIABLES,
            settings=AnthropicSettings,
        )
    ]
