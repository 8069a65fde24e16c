"""Several outputs of one run: each record goes to all of them, and documents are written after the last record."""

from typing import IO, Protocol

from sentinel_core.judging.output.record import Extra, Record, parse

__all__ = ["Document", "Documents"]


class Document(Protocol):
    """One output. ``extras`` are the parts of a record that it needs besides the report."""

    extras: frozenset[Extra]

    def add(self, record: Record) -> None:
        """Add a record, in the order of the input."""

    def finish(self) -> None:
        """Write what had to wait for the last record."""


class Documents:
    """Takes records like a ``Sink`` of lines, and passes each to all outputs."""

    def __init__(self, outputs: list[Document]) -> None:
        self._outputs = outputs

    @property
    def extras(self) -> frozenset[Extra]:
        """The parts of a record that any output needs besides the report."""
        return frozenset().union(*(output.extras for output in self._outputs))

    def put(self, item: bytes) -> None:
        """Add a record."""
        record = parse(item)
        for output in self._outputs:
            output.add(record)

    def put_many(self, items: IO[bytes], count: int) -> None:  # noqa: ARG002 - each line is a record
        """Add ``count`` records, one per line."""
        for line in items:
            self.put(line)

    def flush(self) -> None:
        """Nothing to do: only incomplete documents hold records back."""

    def finish(self) -> None:
        """Write what had to wait for the last record."""
        for output in self._outputs:
            output.finish()
