"""A limit on the time of foreign code that runs in this process: a hung call is interrupted, where the system can do that.

Python code is interrupted wherever it is, a sleep and a read too; a computation in C that never comes back is not, and whoever
waits for this process must end it.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["shielded", "time_limit"]

_AGAIN = 1.0  # seconds after which it is interrupted again, where the code made nothing of the first time
_P = ParamSpec("_P")
_T = TypeVar("_T")


class _TimeOver(BaseException):
    """No ``Exception``: code that catches all of those, to try again, must not go on."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds. Raises ``TimeoutError``.

    Does nothing without a limit, outside the main thread, without such signals, and where somebody else has set an alarm.
    """
    if seconds is None or not _may_ring():
        yield
        return
    is_over = False

    def ring(_signal: int, _frame: object) -> None:
        if not is_over:
            raise _TimeOver

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), _AGAIN)
    try:
        yield
    except _TimeOver:
        raise TimeoutError(f"did not end within {seconds:g} s") from None
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _may_ring() -> bool:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0) and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def shielded(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """The function as one that a time limit does not interrupt, such as one that writes a frame to a pipe."""
    if not hasattr(signal, "pthread_sigmask"):
        return function

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        try:
            return function(*args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    return call
