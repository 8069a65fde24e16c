"""``sentinel hook`` judges a coding agent's last words before it stops; ``sentinel receipt`` shows what a whole session claims.

What is offered is imported when it is asked for: the hook itself has to start fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentinel_command_hook.offered import sentinel_commands

__all__ = ["sentinel_commands"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sentinel_command_hook import offered

    return getattr(offered, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
