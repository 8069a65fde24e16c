"""What a child that judges may send."""

from typing import Literal

from sentinel_core.judging.records import Unreadable
from sentinel_core.runtime.outbox import Frame, Refusal, Warned

__all__ = ["BATCH", "JUDGED", "Alive", "Crashed", "Part", "Ready", "Report", "Reports", "Unread"]


class Report(Frame):
    """A record's report, rendered; or, in a conversion, the trace as it was written."""

    verdict: Literal["PASS", "WARN", "FAIL", "no verdict"]
    is_complete: bool
    rendered: bytes


class Unread(Frame):
    """A record that gives no trace."""

    row: bytes

    @property
    def unreadable(self) -> Unreadable:
        """What stands in the record's place."""
        return Unreadable.parse(self.row)


class Crashed(Frame):
    """A weighted plugin died of the record whose report comes next."""

    row: bytes

    @property
    def unreadable(self) -> Unreadable:
        """What stands beside the report."""
        return Unreadable.parse(self.row)


class Ready(Frame):
    """The plugins of a batch's worker are loaded: the names of all signals that a report may speak of."""

    signals: list[str]


class Reports(Frame):
    """Many records: how many, what they add to the summary, how many of them have an item, and these as a ``Sink`` takes them."""

    count: int
    summary: bytes
    written: int
    items: bytes


class Part(Frame):
    """A part of a large file, as ``sources.parts`` cuts it."""

    values: tuple[int, int, int, int]


class Alive(Frame):
    """Still at work."""


JUDGED = Report | Unread | Crashed | Warned | Refusal
BATCH = Ready | Reports | Part | Alive | Warned | Refusal
