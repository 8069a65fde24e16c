"""A pool of idle connections that survives a fork."""

import os
import queue
from typing import Generic, Protocol, TypeVar

__all__ = ["Idle"]


class _Closing(Protocol):
    def close(self) -> None:
        """End the connection."""


_Connection = TypeVar("_Connection", bound=_Closing)


class Idle(Generic[_Connection]):
    """Idle connections to take and give back. Thread-safe.

    A forked process begins with none. It neither uses nor closes the inherited ones, because parent and child would share
    them.
    """

    def __init__(self) -> None:
        self._process, self._free = os.getpid(), queue.LifoQueue[_Connection]()
        self._inherited: list[_Connection] = []

    def take(self) -> _Connection | None:
        """A free connection, or None."""
        self._reset_after_fork()
        try:
            return self._free.get_nowait()
        except queue.Empty:
            return None

    def give(self, connection: _Connection) -> None:
        """Give a connection back."""
        self._free.put(connection)

    def close(self) -> None:
        """Close all free connections."""
        while (connection := self.take()) is not None:
            connection.close()

    def _reset_after_fork(self) -> None:
        if self._process != os.getpid():
            self._inherited += self._free.queue  # referenced, because garbage collection would close them
            self._process, self._free = os.getpid(), queue.LifoQueue()
