"""How a tool's handler is run: in a child process, alone or beside others, or in the caller's own."""

import functools
import time
from collections.abc import Callable
from typing import Protocol

from sentinel_core.errors import WorkerError
from sentinel_core.runtime.isolate import Child

__all__ = ["Runner", "Started", "in_process", "start_in_child"]

_TO_READ = 1.0  # seconds that an answer may take to be read though its time is over: it may wait in the pipe

Started = Callable[[], bytes]


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


def start_in_child(job: Callable[[], bytes], timeout: float) -> Started:
    """Start ``job`` in a child now; what is given back waits for its answer, or raises, as ``isolate.call`` does.

    The children of several calls run side by side without a thread, which a fork would not survive well.
    """
    try:
        child = Child(lambda outbox: outbox.send(job()))
    except WorkerError as error:
        return functools.partial(_raise, error)
    due = time.monotonic() + timeout

    def wait() -> bytes:
        with child:
            (answer,) = child.frames(max(_TO_READ, due - time.monotonic()))
        return answer

    return wait


def _raise(error: WorkerError) -> bytes:
    raise error
