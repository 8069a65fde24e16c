"""Connections that no transaction is using, of one process each."""

import os
import queue
from typing import Generic, Protocol, TypeVar

__all__ = ["Idle"]


class _Closing(Protocol):
    def close(self) -> None:
        """End the connection."""


_Connection = TypeVar("_Connection", bound=_Closing)


class Idle(Generic[_Connection]):
    """Connections to take and to give back, from many threads.

    A process that is forked from the one that made them begins with none. It leaves those alone that it inherited: what one
    of the two said on them, the other would hear, and to close them would end them for both.
    """

    def __init__(self) -> None:
        self._process, self._free = os.getpid(), queue.LifoQueue[_Connection]()
        self._inherited: list[_Connection] = []

    def take(self) -> _Connection | None:
        """One that is free, or None."""
        self._begin_anew_where_forked()
        try:
            return self._free.get_nowait()
        except queue.Empty:
            return None

    def give(self, connection: _Connection) -> None:
        """Give one back."""
        self._free.put(connection)

    def close(self) -> None:
        """Close all that are free."""
        while (connection := self.take()) is not None:
            connection.close()

    def _begin_anew_where_forked(self) -> None:
        if self._process != os.getpid():
            self._inherited += self._free.queue  # held, because one that is collected is closed
            self._process, self._free = os.getpid(), queue.LifoQueue()
