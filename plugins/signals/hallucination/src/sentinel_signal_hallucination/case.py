"""What an exemption looks at."""

from typing import NamedTuple

from sentinel_core.evaluate.index import Text
from sentinel_signal_hallucination.backing import Backing
from sentinel_signal_hallucination.record import Record
from sentinel_signal_hallucination.statements import Statement

__all__ = ["Case"]


class Case(NamedTuple):
    """All that an exemption looks at."""

    statement: Statement
    text: Text
    low: str
    backing: Backing
    record: Record
