"""One request at the server, as a fault sees it."""

from typing import Protocol

from sentinel_faults.dialects import Dialect
from sentinel_faults.turns import Turn

__all__ = ["CIRCLE", "MOVED", "Exchange"]

MOVED = "/moved"  # where the real reply is, after a redirect
CIRCLE = "/circle"  # redirects to itself


class Exchange(Protocol):
    """One request that waits for its answer, and the means to answer badly."""

    dialect: Dialect
    turn: Turn
    number: int
    stream: bool
    origin: str

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""

    def answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, *, kind: str = "application/json"
    ) -> None:
        """Send one whole HTTP reply."""

    def reply(self, turn: Turn | None = None) -> None:
        """Send a turn, the one that is due by default, well-formed, as it was asked for."""

    def whole(self) -> tuple[bytes, bytes]:
        """Head and body of what ``reply`` would send."""

    def close(self) -> None:
        """End the connection politely."""

    def reset(self) -> None:
        """End the connection with a reset."""

    def wait(self, seconds: float = 30.0) -> bool:
        """Do nothing for so long; True where the server is told to stop waiting."""
