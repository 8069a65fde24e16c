"""Keys: from the environment only, and never in what is told."""

import os
from collections.abc import Sequence

from sentinel_core.errors import AuthenticationError, ModelError

__all__ = ["hide", "read_key"]

MASK = "[redacted]"
_SHORTEST = 4  # a shorter "key" stands in every other word, and hides nothing


def read_key(provider: str, variables: Sequence[str]) -> tuple[str, str]:
    """The first of these environment variables that holds a key: its name, and the key without white space around it.

    Raises ``AuthenticationError`` that names the first variable where none does, and where a key has characters that no
    header can carry. Nothing is asked over the network.
    """
    for variable in variables:
        key = os.environ.get(variable, "").strip()
        if key and not (key.isascii() and key.isprintable()):
            raise AuthenticationError(f'provider "{provider}": the key in {variable} has characters that no key has')
        if key:
            return variable, key
    raise AuthenticationError(f'provider "{provider}" needs a key: set {variables[0]} in the environment')


def hide(error: ModelError, key: str) -> ModelError:
    """The same error, its text without the key."""
    if len(key) >= _SHORTEST:
        error.args = tuple(part.replace(key, MASK) if isinstance(part, str) else part for part in error.args)
    return error
