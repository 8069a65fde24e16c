"""What can be set for every provider that asks a server."""

import attrs

__all__ = ["ProviderSettings"]


@attrs.frozen(kw_only=True)
class ProviderSettings:
    """``model`` is the server's id of a model, None to choose among those that it lists; ``base_url`` its address.

    ``call_timeout`` is in seconds, for one whole call: connecting, asking, and the last byte of the reply.
    """

    model: str | None = None
    base_url: str = ""
    call_timeout: float = attrs.field(default=120.0, validator=[attrs.validators.gt(0), attrs.validators.le(86_400)])
