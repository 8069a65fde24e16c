"""``sentinel`` and ``python -m sentinel_core``: holds Ctrl-C from the first import on, which takes the longest."""

import gc
import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command; the process ends with its exit code."""
    try:
        from sentinel_core.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()  # all memory goes at once; to look for cycles on the way out takes a tenth of a short command


if __name__ == "__main__":
    main()
