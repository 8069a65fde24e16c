"""A run and its journal: the observer that enters the run with its first event and keeps every further one."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from sentinel_core.agent.events import Event, RunStarted
from sentinel_core.agent.journal import Journal, Run, Writer
from sentinel_core.errors import JournalError

__all__ = ["Keeper", "end_with_parent"]

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@attrs.define(eq=False)
class Keeper:
    """Keeps one run in the journal: a new one after ``prepare``, or one that broke off after ``resume``.

    Stops the run, by raising, where the process that wanted it is gone.
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
        """Hold a run and load what it has. Raises ``JournalError``, ``RunHeldError`` where another process holds it."""
        run, self._writer = self.journal.resume(run_id)
        self.past, self.fingerprint = run.events, run.fingerprint
        return run

    def prepare(
        self, release_id: str, flags: dict[str, Any], fingerprint: dict[str, Any], on_begin: Callable[[str], None]
    ) -> None:
        """What to enter with a new run's first event; ``on_begin`` is then told its id."""
        self._release_id, self._flags, self.fingerprint, self._on_begin = release_id, flags, fingerprint, on_begin

    def __call__(self, event: Event) -> None:
        """Keep one event. Raises ``JournalError``."""
        if os.getppid() != self._parent:
            raise JournalError("the command that started this run is gone; --resume goes on with it")
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
    """Let the system end this process when its parent ends, where it can (Linux): nobody would hear of its work."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
