"""Sentinel provider: documented rules instead of a language model."""

from collections.abc import Callable, Iterable, Sequence

import attrs

from sentinel_core import Capabilities, Message, Provider, Reply, Request, hookimpl
from sentinel_core.model import estimate_tokens
from sentinel_provider_offline.steps import OfflineSettings

__all__ = ["OfflineModel", "OfflineSettings", "sentinel_providers"]


@attrs.frozen
class OfflineModel:
    """Investigates by rules: no network, no key, no language model, the same reply to the same request."""

    settings: OfflineSettings = attrs.field(factory=OfflineSettings)

    def complete(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:  # noqa: ARG002 - nothing is streamed
        """The next step, decided from the conversation alone. Raises nothing."""
        from sentinel_provider_offline.steps import next_reply

        return next_reply(request, self.settings)

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """The host's own estimate."""
        return estimate_tokens(messages)

    def get_capabilities(self) -> Capabilities:
        """Tools only: rules have no sampling and no context window."""
        return Capabilities(sampling=False)

    def close(self) -> None:
        """Nothing to close."""


@hookimpl
def sentinel_providers() -> Iterable[Provider]:
    """The provider of this package."""
    return [
        Provider(
            name="offline",
            summary="documented rules, no language model, no network, no key",
            connect=OfflineModel,
            settings=OfflineSettings,
            deterministic=True,
        )
    ]
