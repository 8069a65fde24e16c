"""API keys: read from the environment only, and kept out of every message."""

import os
from collections.abc import Sequence

from sentinel_core.errors import AuthenticationError, ModelError

__all__ = ["hide", "read_key"]

MASK = "[redacted]"
_SHORTEST = 4  # a shorter "key" occurs in ordinary words, so masking it would only garble the message


def read_key(provider: str, variables: Sequence[str]) -> tuple[str, str]:
    """The first of these environment variables that holds a key: its name, and the key without white space around it.

    Raises ``AuthenticationError`` if none does (it names the first variable), or if the key has characters that an HTTP header
    cannot carry. No network access.
    """
    for variable in variables:
        key = os.environ.get(variable, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise AuthenticationError(
                f'provider "{provider}": the key in {variable} contains characters that no key can contain'
            )
        if key:
            return variable, key
    raise AuthenticationError(f'provider "{provider}" needs a key: set {variables[0]} in the environment')


def hide(error: ModelError, key: str) -> ModelError:
    """The same error, its text without the key."""
    if len(key) >= _SHORTEST:
        error.args = tuple(part.replace(key, MASK) if isinstance(part, str) else part for part in error.args)
    return error
