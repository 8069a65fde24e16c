"""Settings of every provider that asks a server, and the choice of a model if none is set."""

from collections.abc import Sequence

import attrs

from sentinel_core.errors import ConfigError

__all__ = ["ProviderSettings", "choose_model"]

_SHOWN = 8


@attrs.frozen(kw_only=True)
class ProviderSettings:
    """``model`` is the server's id of a model, None to choose one that it lists; ``base_url`` is the server's address.

    ``call_timeout`` is in seconds, for one whole call: connecting, asking, and the last byte of the reply.
    """

    model: str | None = None
    """The server's id for the model; if not set, one of the models that the server lists."""
    base_url: str = ""
    """The server's address."""
    call_timeout: float = attrs.field(default=120.0, validator=[attrs.validators.gt(0), attrs.validators.le(86_400)])
    """Time limit for one call in seconds, from connecting to the last byte of the reply."""


def choose_model(who: str, listed: Sequence[str], *, first_is_best: bool = False) -> str:
    """The only model that the server lists, or with ``first_is_best`` the first.

    Raises ``ConfigError`` that asks for ``--model`` and lists some ids if the choice is not clear.
    """
    if listed and (first_is_best or len(listed) == 1):
        return listed[0]
    if not listed:
        raise ConfigError(f"{who} lists no models: name one with --model")
    more = f", … ({len(listed)} in all)" if len(listed) > _SHOWN else ""
    raise ConfigError(f"{who} has several models: name one with --model, such as {', '.join(listed[:_SHOWN])}{more}")
