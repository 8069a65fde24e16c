"""Which half of the labelled runs may be read and tuned on, by task: runs of one task are never in both halves."""

import hashlib
from typing import Literal

__all__ = ["HALVES", "Half", "split_by_task"]

Half = Literal["read", "unread"]
HALVES: tuple[Half, Half] = ("read", "unread")


def split_by_task(group: str) -> Half:
    """The half of a task: ``read`` where the first byte of the SHA-256 of its name in UTF-8 is even, else ``unread``."""
    return HALVES[hashlib.sha256(group.encode()).digest()[0] % 2]
