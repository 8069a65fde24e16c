"""A time limit on foreign code in this process: a hung call is interrupted by a signal, if the system has them.

Python code is interrupted anywhere, also in a sleep or a read. A computation in C that does not return is not; the parent must
end the process.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["shielded", "time_limit"]

_AGAIN = 1.0  # seconds after which the code is interrupted again, if it swallowed the first interrupt
_P = ParamSpec("_P")
_T = TypeVar("_T")


class _TimeOver(BaseException):
    """Not an ``Exception``, so that code that catches all of those to retry is interrupted too."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds. Raises ``TimeoutError``.

    Does nothing without a limit, outside the main thread, without such signals, or if an alarm is set already.
    """
    if seconds is None or not _can_interrupt():
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


def _can_interrupt() -> bool:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0) and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def shielded(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """The function with the time limit's signal blocked, so that writing a frame to a pipe is not cut in half."""
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
