"""Which model to ask, where the user named none."""

from collections.abc import Sequence

from sentinel_core.errors import ConfigError

__all__ = ["choose_model"]

_SHOWN = 8


def choose_model(who: str, listed: Sequence[str], *, first_is_best: bool = False) -> str:
    """The only model that the server lists, or with ``first_is_best`` the first.

    Raises ``ConfigError`` that says to give one, with some ids, where there is nothing to choose from or too much.
    """
    if listed and (first_is_best or len(listed) == 1):
        return listed[0]
    if not listed:
        raise ConfigError(f"{who} lists no model: say which one with --model")
    more = f", … ({len(listed)} in all)" if len(listed) > _SHOWN else ""
    raise ConfigError(
        f"{who} has several models: say which one with --model, such as {', '.join(listed[:_SHOWN])}{more}"
    )
