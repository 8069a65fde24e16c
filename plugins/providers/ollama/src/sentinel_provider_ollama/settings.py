"""What can be set."""

import os

import attrs

from sentinel_core.agent.providers.settings import ProviderSettings

__all__ = ["OllamaSettings", "address"]

_PORT = 11_434


def address(host: str) -> str:
    """A full address from what ``OLLAMA_HOST`` may hold: ``0.0.0.0``, ``box:8080``, ``https://box``.

    Where Ollama listens on every interface, it is asked on this machine.
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
    """``base_url`` is ``OLLAMA_HOST`` of the environment, else this machine.

    ``num_ctx`` is the context window in tokens that Ollama is told to make room for, with every request: its own default is
    small, and what does not fit it drops without a word.
    """

    base_url: str = attrs.field(factory=lambda: address(os.environ.get("OLLAMA_HOST", "")))
    num_ctx: int = attrs.field(default=8192, validator=attrs.validators.ge(256))
