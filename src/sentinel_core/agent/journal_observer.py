"""The observer that adds a run to the journal with its first event and writes every further one."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from sentinel_core.agent.events import Event, RunStarted
from sentinel_core.agent.journal import Journal, Run, Writer
from sentinel_core.errors import JournalError

__all__ = ["JournalObserver", "end_with_parent"]

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@attrs.define(eq=False)
class JournalObserver:
    """Writes one run into the journal: a new one after ``prepare``, or one that broke off after ``resume``.

    Raises, and so stops the run, if its parent process is gone.
    """

    journal: Journal
    past: Sequence[Event] = ()
    fingerprint: dict[str, Any] = attrs.field(factory=dict, init=False)
    _parent: int = attrs.field(factory=os.getppid, init=False)
    _writer: Writer | None = attrs.field(default=None, init=False)
    _release_id: str = attrs.field(default="", init=False)
    _flags: dict[str, Any] = attrs.field(factory=dict, init=False)
    _on_begin: Callable[[str], None] | None = attrs.field(default=None, init=False)

    def resume(self, run_id: str) -> Run:
        """Hold a run and load it. Raises ``JournalError``, and ``RunHeldError`` if another process holds it."""
        run, self._writer = self.journal.resume(run_id)
        self.past, self.fingerprint = run.events, run.fingerprint
        return run

    def prepare(
        self, release_id: str, flags: dict[str, Any], fingerprint: dict[str, Any], on_begin: Callable[[str], None]
    ) -> None:
        """Set what is added with a new run's first event; ``on_begin`` then receives its id."""
        self._release_id, self._flags, self.fingerprint, self._on_begin = release_id, flags, fingerprint, on_begin

    def __call__(self, event: Event) -> None:
        """Write one event. Raises ``JournalError``."""
        if os.getppid() != self._parent:
            raise JournalError("the command that started this run has ended; --resume continues the run")
        if self._writer is not None:
            self._writer(event)
        elif isinstance(event, RunStarted):
            self._begin(event)

    def _begin(self, event: RunStarted) -> None:
        run = Run(
            run_id=event.run_id,
            release_id=self._release_id,
            started_at=event.at,
            flags=self._flags,
            fingerprint=self.fingerprint,
            events=(event,),
        )
        self._writer = self.journal.begin(run)
        if self._on_begin is not None:
            self._on_begin(event.run_id)


def end_with_parent() -> None:
    """On Linux, let the system kill this process when its parent ends, because nothing would read its results."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
