"""Settings of this provider."""

import os

import attrs

from sentinel_core.providers.settings import ProviderSettings

__all__ = ["OllamaSettings", "address"]

_PORT = 11_434


def address(host: str) -> str:
    """A full address from ``OLLAMA_HOST``, such as ``0.0.0.0``, ``box:8080`` or ``https://box``.

    An address for all interfaces (``0.0.0.0``) becomes this machine's.
    """
    scheme, _, rest = host.strip().rpartition("://")
    place, slash, path = rest.partition("/")
    name, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        name, port = place, "" if scheme else str(_PORT)
    name = "127.0.0.1" if name in ("", "0.0.0.0", "[::]") else name  # noqa: S104 - compared, not bound to
    return f"{scheme or 'http'}://{name}{':' if port else ''}{port}{slash}{path}".rstrip("/")


@attrs.frozen(kw_only=True)
class OllamaSettings(ProviderSettings):
    """``base_url`` defaults to ``OLLAMA_HOST`` from the environment, otherwise to the address of this machine.

    ``num_ctx`` is the size of the context window in tokens and is sent with every request: Ollama's default is small, and
    Ollama silently drops what does not fit.
    """

    base_url: str = attrs.field(factory=lambda: address(os.environ.get("OLLAMA_HOST", "")))
    num_ctx: int = attrs.field(default=8192, validator=attrs.validators.ge(256))
    """Size of the context window in tokens; the size is sent with every request."""
