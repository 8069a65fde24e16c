"""How a tool's handler is run: in a child process (``isolate.call``), or in the caller's own."""

from collections.abc import Callable
from typing import Protocol

from sentinel_core.errors import WorkerError

__all__ = ["Runner", "in_process"]


class Runner(Protocol):
    """Runs a handler's job and gives back its bytes, or raises a ``WorkerError``."""

    def __call__(self, job: Callable[[], bytes], *, timeout: float) -> bytes:
        """Run ``job`` for at most ``timeout`` seconds."""


def in_process(job: Callable[[], bytes], *, timeout: float) -> bytes:  # noqa: ARG001 - a Runner's signature
    """A runner without a child process: no time limit, and the handler may change what the caller sees. For tests."""
    try:
        return job()
    except Exception as error:  # a handler may raise anything, and the model is told what
        raise WorkerError(f"{type(error).__name__}: {error}") from error
