"""The child's side of the channel: frames to the parent, orders from it, and the mark that says what is at work."""

import mmap
import os
import struct
from collections.abc import Iterator
from typing import Any

import msgspec

from sentinel_core.errors import error_text

__all__ = ["Frame", "Outbox", "Refusal", "Warned", "as_text"]

# The kind of each message in the stream, before its length.
FRAME = b"F"
READY = b"D"  # all orders are done
END = b"E"
RAISED = b"R"
ALIVE = b"A"  # still busy: it may be silent for as long again
HEAD = struct.Struct("!cQ")
LENGTH = struct.Struct("!Q")
MARK_SIZE = 8192
LAST = MARK_SIZE // 2  # where the mark of the last plugin starts
_FORKED = 71  # the exit code of a copy of the child, which foreign code made
_encode_into = msgspec.msgpack.Encoder().encode_into


class Frame(msgspec.Struct, tag=True, array_like=True, gc=False):
    """A message of a child, to be subclassed; encoded as a list of the class's name and the values."""


class Warned(Frame):
    """A warning for the user, in one line; the work goes on."""

    text: str


class Refusal(Frame):
    """Why no work can be done, for the user."""

    text: str


class Outbox:
    """The child's side: frames to the parent, orders from it, and the mark that says what is at work."""

    def __init__(self, descriptor: int, mark: mmap.mmap, orders: int) -> None:
        self._descriptor = descriptor
        self._mark = mark
        self._orders = orders
        self._idle = bytes(2)
        self._pipe = _identity(descriptor)
        self._owner = os.getpid()

    @property
    def is_open(self) -> bool:
        """Whether the pipe to the parent is still there: foreign code in this process may close what it likes."""
        return self._pipe is not None and _identity(self._descriptor) == self._pipe

    def end_copy(self) -> None:
        """End this process if it is a copy that foreign code made of the child: what it told would be told twice."""
        if os.getpid() != self._owner:
            os._exit(_FORKED)

    @property
    def descriptors(self) -> tuple[int, int]:
        """The ends of the pipes: frames to the parent, orders from it."""
        return self._descriptor, self._orders

    def abandon(self) -> None:
        """Give up all ends: for a process that is forked from the child, and is not the child."""
        for descriptor in {self._descriptor, self._orders}:
            os.close(descriptor)
        self._mark.close()

    def orders(self) -> Iterator[Any]:
        """The parent's orders, until there are no more. Taking the next one reports the last as done."""
        while True:
            self.mark("")
            self._write(READY, bytearray(HEAD.size))
            order = self.order()
            if order is None:
                return
            yield order

    def order(self) -> Any:
        """The parent's next order; blocks until there is one. None if there are no more."""
        import pickle

        head = _read_exactly(self._orders, LENGTH.size)
        body = None if head is None else _read_exactly(self._orders, LENGTH.unpack(head)[0])
        return None if body is None else pickle.loads(body)  # noqa: S301 - from the parent, through a pipe of its own

    def send(self, frame: object) -> None:
        """Send one frame to the parent; blocks while the pipe is full."""
        buffer = bytearray(HEAD.size)
        _encode_into(frame, buffer, HEAD.size)
        self._write(FRAME, buffer)

    def warn(self, text: str) -> None:
        """Send a warning."""
        self.send(Warned(as_text(text)))

    def refuse(self, error: Exception | str) -> None:
        """Send why no work can be done."""
        self.send(Refusal(as_text(str(error))))

    def alive(self) -> None:
        """Tell the parent that the child is still busy, so that it waits as long again."""
        self._write(ALIVE, bytearray(HEAD.size))

    def mark(self, text: str) -> None:
        """Note what is at work from now on; an empty text means no plugin, and the last one stays known."""
        if not text:
            self._mark[: len(self._idle)] = self._idle
            return
        data = _as_mark(text)
        self._mark[: len(data)] = data
        self._mark[LAST : LAST + len(data)] = data

    def idle(self, text: str) -> None:
        """Set the mark for the times when no plugin is at work."""
        self._idle = _as_mark(text)
        self.mark("")

    def _write(self, kind: bytes, buffer: bytearray) -> None:
        """Fill in the head at the start of the buffer, and send it all."""
        self.end_copy()
        HEAD.pack_into(buffer, 0, kind, len(buffer) - HEAD.size)
        view = memoryview(buffer)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self, error: BaseException | None) -> None:
        """Report that the job is over, and what it raised."""
        buffer = bytearray(HEAD.size)
        if error is not None:
            said = error_text(error)
            buffer += f"{type(error).__name__}: {said}".removesuffix(": ").encode("utf-8", "replace")
        self._write(END if error is None else RAISED, buffer)


def as_text(text: str) -> str:
    """The text with ``?`` for what UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _as_mark(text: str) -> bytes:
    data = text.encode("utf-8", "replace")[: LAST - 2]
    return len(data).to_bytes(2, "big") + data


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    """``size`` bytes; None if the other end is closed."""
    data = bytearray()
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            return None
        data += more
    return bytes(data)


def _identity(descriptor: int) -> tuple[int, int] | None:
    """What is open under a number; None if nothing is."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
