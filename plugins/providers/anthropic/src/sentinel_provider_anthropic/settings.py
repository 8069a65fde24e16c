"""What can be set."""

import os

import attrs

from sentinel_core.agent.providers.settings import ProviderSettings

__all__ = ["ADDRESS", "AnthropicSettings"]

ADDRESS = "https://api.anthropic.com"


@attrs.frozen(kw_only=True)
class AnthropicSettings(ProviderSettings):
    """``base_url`` is ``ANTHROPIC_BASE_URL`` of the environment, else Anthropic's own.

    ``max_tokens`` is the most that one reply may have where the agent asks for no other limit: this API wants one always.
    """

    base_url: str = attrs.field(factory=lambda: os.environ.get("ANTHROPIC_BASE_URL") or ADDRESS)
    max_tokens: int = attrs.field(default=4096, validator=attrs.validators.ge(1))
