"""A source in memory."""

import io
from typing import IO

import attrs

from sentinel_core.offers import Source

__all__ = ["BytesSource"]


@attrs.frozen(kw_only=True)
class BytesSource:
    """A source that holds bytes and has no siblings."""

    data: bytes
    name: str = "sample"
    strict: bool = False
    max_record: int = 256 << 20
    lines_before: int = 0

    def open(self) -> IO[bytes]:
        """The bytes from the start."""
        return io.BytesIO(self.data)

    def sibling(self, name: str) -> None:
        """None: there are no files beside it."""

    def siblings(self, pattern: str) -> list[Source]:  # noqa: ARG002 - the protocol's signature
        """Empty: there are no files beside it."""
        return []
