"""``sentinel`` and ``python -m sentinel_core``: holds Ctrl-C from the first import on, which takes the longest."""

import gc
import sys

__all__ = ["main"]

_INTERRUPTED = 130
_WORDS = 2  # "hook run"


def main() -> None:
    """Run the command; the process ends with its exit code."""
    try:
        code = _at_once(sys.argv[1:])
        if code is not None:
            sys.exit(code)
        from sentinel_core.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()  # all memory goes at once; to look for cycles on the way out takes a tenth of a short command


def _at_once(arguments: list[str]) -> int | None:
    """The exit code of a command that has a shortcut for these arguments; None where click has to read them."""
    if len(arguments) < _WORDS or not arguments[1].isalpha() or None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    from sentinel_core.host.shortcuts import shortcut

    run = shortcut("commands", *arguments[:_WORDS])
    code: int | None = None if run is None else run(arguments[_WORDS:])
    if code is not None:
        try:
            sys.stdout.flush()
        except OSError:
            from sentinel_core.cli import finish

            finish(code)
    return code


if __name__ == "__main__":
    main()
