"""Several outputs of one run: each record goes to all of them, and documents are written when the last one was judged."""

from collections.abc import Callable, Mapping
from typing import IO, Literal, Protocol

import msgspec

from sentinel_core.judging.output.formats import Format
from sentinel_core.judging.output.record import Extra, Record, parse
from sentinel_core.judging.output.sink import Sink

__all__ = ["Document", "Documents", "document"]


class Document(Protocol):
    """One output. ``extras`` is what it needs of each record besides the report."""

    extras: frozenset[Extra]

    def add(self, record: Record) -> None:
        """One more record, in the order of the input."""

    def finish(self) -> None:
        """All are there."""


class _Reports:
    """Reports one after the other, as ``sentinel evaluate`` prints them."""

    def __init__(self, stream: IO[bytes], form: Literal["text", "json", "jsonl"], *, pretty: bool = False) -> None:
        self.extras: frozenset[Extra] = frozenset({"text"} if form == "text" else ())
        self._sink = Sink(stream, form)
        self._form = form
        self._pretty = pretty

    def add(self, record: Record) -> None:
        """Out at once."""
        if self._form == "text":
            if record.is_judged:
                self._sink.put(record.text.encode("utf-8", "replace"))
            return
        data = bytes(record.report) if record.is_judged else msgspec.json.encode({"error": record.error})
        self._sink.put(msgspec.json.format(data, indent=2) if self._pretty else data)

    def finish(self) -> None:
        """Close the list, where there is one."""
        self._sink.finish()


def _page(stream: IO[bytes]) -> Document:
    from sentinel_core.judging.output.page.page import Page

    return Page(stream)


_DOCUMENTS: Mapping[Format, Callable[[IO[bytes]], Document]] = {"html": _page}


def document(form: Format, stream: IO[bytes], *, pretty: bool = False) -> Document:
    """The output in a format."""
    if form == "text" or form == "json" or form == "jsonl":  # noqa: PLR1714 - the type checker follows it so
        return _Reports(stream, form, pretty=pretty)
    return _DOCUMENTS[form](stream)


class Documents:
    """Takes records as a ``Sink`` of lines does, and hands each to all outputs."""

    def __init__(self, outputs: list[Document]) -> None:
        self._outputs = outputs

    @property
    def extras(self) -> frozenset[Extra]:
        """What all outputs together need of each record."""
        return frozenset().union(*(output.extras for output in self._outputs))

    def put(self, item: bytes) -> None:
        """One more record."""
        record = parse(item)
        for output in self._outputs:
            output.add(record)

    def put_many(self, items: IO[bytes], count: int) -> None:  # noqa: ARG002 - each line is one
        """So many records more."""
        for line in items:
            self.put(line)

    def flush(self) -> None:
        """Nothing waits but in documents that are not whole yet."""

    def finish(self) -> None:
        """Write what had to wait for the last record."""
        for output in self._outputs:
            output.finish()
