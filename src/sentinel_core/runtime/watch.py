"""Foreign code under watch: notes which plugin is at work, rejects side effects, and limits time.

``Watch`` is used in a child process only. A signal, reader or import that prints, or that changes the working directory or the locale,
would change the results of others; it is refused by name, and its changes are undone.

``time_limit`` interrupts a hung call by a signal, if the system has them. Python code is interrupted anywhere, also in a sleep or
a read. A computation in C that does not return is not; the parent must end the process.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from io import TextIOBase
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, Self, TypeVar

from sentinel_core.errors import PluginError

if TYPE_CHECKING:
    from sentinel_core.runtime.outbox import Outbox

__all__ = ["AtWork", "SideEffectError", "Watch", "at_fault", "file_of", "shielded", "time_limit"]

_forks = [0]  # how often this process has been copied
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=lambda: _forks.append(_forks.pop() + 1))
_AGAIN = 1.0  # seconds after which the code is interrupted again, if it swallowed the first interrupt
_P = ParamSpec("_P")
_T = TypeVar("_T")

_CUT_OFF = 70  # the exit code of a child that cannot tell anything any more


class AtWork(NamedTuple):
    """What was at work when a child ended: the stage, the plugin's label, and the numbers of the record and of its file."""

    stage: str
    label: str
    item: int
    file: int = 0

    def __str__(self) -> str:
        return _mark(self.stage, self.label, self.item, self.file)

    @classmethod
    def parse(cls, mark: str) -> "AtWork | None":
        """From a child's mark; None if it names no plugin."""
        stage, _, rest = mark.partition("\n")
        label, _, numbers = rest.rpartition("\n")
        item, _, file = numbers.partition(" ")
        return cls(stage, label, int(item), int(file or 0)) if label else None


def at_fault(mark: str, otherwise: str) -> str:
    """The name of what failed: ``plugin "signals:loop"`` if a child's mark names one, else ``otherwise``."""
    at_work = AtWork.parse(mark)
    return otherwise if at_work is None else f'plugin "{at_work.label}"'


def file_of(mark: str) -> str:
    """The file that was being read, if a child's mark names no plugin; empty if there is none."""
    return mark.removeprefix("\n") if mark.startswith("\n") else ""


def _mark(stage: str, label: str, item: int, file: int) -> str:
    return f"{stage}\n{label}\n{item} {file}"


class SideEffectError(PluginError):
    """A plugin had side effects."""


class _Diverted(TextIOBase):
    """Standard output of the child: everything goes to standard error, counted."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, text: str) -> int:
        self.written += len(text)
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class Watch:
    """Context manager around each piece of foreign code: ``with watch(stage, label): ...``.

    ``item`` is the number of the record at work, ``file`` that of its file, both from 0; they go into the mark with stage and
    label.
    """

    def __init__(self, outbox: "Outbox") -> None:
        import locale

        self.item = self.file = 0
        self._outbox = outbox
        self._stdout = _Diverted()
        sys.stdout = self._stdout
        self._written = 0
        self._forks = _forks[0]
        self._folder = os.getcwd()  # noqa: PTH109 - called for each signal and record
        self._locale_now = partial(locale.setlocale, locale.LC_ALL)
        self._locale = self._locale_now()

    def __call__(self, stage: str, label: str) -> Self:
        """Note which plugin is at work."""
        self._forks = _forks[0]
        self._outbox.mark(_mark(stage, label, self.item, self.file))
        return self

    def nothing(self) -> None:
        """Note that no plugin is at work, after code that needs no watching; a process that it started is the host's own."""
        self._forks = _forks[0]
        self._outbox.mark("")

    def begin(self, file: str) -> None:
        """Note which file is read from now on."""
        self._outbox.idle("\n" + file.replace("\n", " "))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._outbox.end_copy()
        if isinstance(error, KeyboardInterrupt):  # it will end this process, and the mark must keep naming the plugin
            return
        if not self._outbox.is_open:  # nothing can be told any more: the mark tells whose doing it was
            os._exit(_CUT_OFF)
        if (
            self._stdout.written == self._written
            and sys.stdout is self._stdout
            and self._forks == _forks[0]
            and os.getcwd() == self._folder  # noqa: PTH109 - as above
            and self._locale_now() == self._locale
        ):
            self._outbox.mark("")
            return
        effects = "; ".join(self._put_back())
        self._outbox.mark("")
        if error is None:
            raise SideEffectError(effects)

    def _put_back(self) -> list[str]:
        effects = ["made a copy of the process (os.fork)"] if self._forks != _forks[0] else []
        self._forks = _forks[0]
        if self._stdout.written != self._written or sys.stdout is not self._stdout:
            effects.append("wrote to standard output, which is for reports only")
            self._written = self._stdout.written
            sys.stdout = self._stdout
        if os.getcwd() != self._folder:  # noqa: PTH109 - as above
            effects.append("changed the working directory")
            os.chdir(self._folder)
        if self._locale_now() != self._locale:
            effects.append("changed the locale")
            self._locale_now(self._locale)
        return effects


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
