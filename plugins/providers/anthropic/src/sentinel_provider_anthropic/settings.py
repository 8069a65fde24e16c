"""Settings of this provider."""

import os

import attrs

from sentinel_core.providers.settings import ProviderSettings

__all__ = ["ADDRESS", "AnthropicSettings"]

ADDRESS = "https://api.anthropic.com"


@attrs.frozen(kw_only=True)
class AnthropicSettings(ProviderSettings):
    """``base_url`` defaults to ``ANTHROPIC_BASE_URL`` from the environment, otherwise to Anthropic's address.

    ``max_tokens`` is the token limit for each reply if the agent sets no limit; this API always requires a limit.
    """

    base_url: str = attrs.field(factory=lambda: os.environ.get("ANTHROPIC_BASE_URL") or ADDRESS)
    max_tokens: int = attrs.field(default=4096, validator=attrs.validators.ge(1))
    """Token limit for one reply, if the agent sets no limit."""
