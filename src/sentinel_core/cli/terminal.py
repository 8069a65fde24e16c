"""What a terminal is told, and what it can show."""

import os
import sys

from sentinel_core.cli import say

__all__ = ["terminal_width", "use_color", "warn"]

_NARROWEST = 40


def warn(message: str) -> None:
    """One line of warning on standard error, with no secret and nothing in it that a terminal would act on."""
    from sentinel_core.runtime.printable import printable
    from sentinel_core.runtime.redact import redact

    say(f"sentinel: warning: {printable(redact(message))}")


def use_color() -> bool:
    """Colour for a terminal that can show it, unless ``NO_COLOR`` is set; ``FORCE_COLOR`` asks for it anyway."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def terminal_width() -> int:
    """The columns of the terminal that standard output is; 0 for files and pipes."""
    if not sys.stdout.isatty():
        return 0
    import shutil

    return max(_NARROWEST, shutil.get_terminal_size().columns)
