"""Settings of these providers."""

import os

import attrs

from sentinel_core.providers.settings import ProviderSettings

__all__ = ["OPENAI", "OPENROUTER", "OpenAISettings", "OpenRouterSettings"]

OPENAI = "https://api.openai.com/v1"
OPENROUTER = "https://openrouter.ai/api/v1"


@attrs.frozen(kw_only=True)
class OpenAISettings(ProviderSettings):
    """``base_url`` must not include ``/chat/completions``; it defaults to ``OPENAI_BASE_URL`` from the environment, otherwise to OpenAI's address."""

    base_url: str = attrs.field(factory=lambda: os.environ.get("OPENAI_BASE_URL") or OPENAI)


@attrs.frozen(kw_only=True)
class OpenRouterSettings(ProviderSettings):
    """``referer`` and ``title`` name the application in OpenRouter's statistics; an empty value is not sent."""

    base_url: str = OPENROUTER
    referer: str = ""
    """The application's address in OpenRouter's statistics; an empty address is not sent."""
    title: str = "Sentinel"
    """The application's title in OpenRouter's statistics; an empty title is not sent."""
