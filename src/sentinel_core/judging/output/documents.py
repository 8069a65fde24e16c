"""Several outputs of one run: each record goes to all of them, and documents are written after the last record."""

import importlib
from collections.abc import Callable, Mapping
from typing import IO, Literal, Protocol

import msgspec

from sentinel_core.judging.output.formats import Format
from sentinel_core.judging.output.record import Extra, Record, parse
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.sink import Sink

__all__ = ["Document", "Documents", "document"]


class Document(Protocol):
    """One output. ``extras`` are the parts of a record that it needs besides the report."""

    extras: frozenset[Extra]

    def add(self, record: Record) -> None:
        """Add a record, in the order of the input."""

    def finish(self) -> None:
        """Write what had to wait for the last record."""


class _Reports:
    """Reports in sequence, as ``sentinel evaluate`` prints them."""

    def __init__(self, stream: IO[bytes], form: Literal["text", "json", "jsonl"], settings: OutputSettings) -> None:
        self.extras: frozenset[Extra] = frozenset({"text"} if form == "text" else ())
        self._sink = Sink(stream, form)
        self._form = form
        self._settings = settings

    def add(self, record: Record) -> None:
        """Write at once."""
        if self._form == "text":
            if record.is_judged:
                self._sink.put(record.text.encode("utf-8", "replace"))
            return
        data = self._marked(record) if record.is_judged else msgspec.json.encode({"error": record.error})
        self._sink.put(msgspec.json.format(data, indent=2) if self._settings.pretty else data)

    def _marked(self, record: Record) -> bytes:
        """The report; with a baseline each finding has the field ``known``."""
        if not self._settings.has_baseline:
            return bytes(record.report)
        from sentinel_core.judging.output.findings import decoded, fingerprints, identity_of
        from sentinel_core.runtime.printable import printable_json

        report = decoded(record.report)
        identity = identity_of(report["trace_id"], record.label, record.source)
        for finding, fingerprint in zip(report["findings"], fingerprints(report, identity), strict=True):
            finding["known"] = fingerprint in self._settings.known
        return printable_json(msgspec.json.encode(report))

    def finish(self) -> None:
        """Close the JSON list, if there is one."""
        self._sink.finish()


def document(form: Format, stream: IO[bytes], settings: OutputSettings) -> Document:
    """The output in a format. Imports only that format's module."""
    if form == "text" or form == "json" or form == "jsonl":  # noqa: PLR1714 - the type checker follows it so
        return _Reports(stream, form, settings)
    module, name = _DOCUMENTS[form]
    made: Callable[[IO[bytes], OutputSettings], Document]
    made = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return made(stream, settings)


_DOCUMENTS: Mapping[Format, tuple[str, str]] = {
    "html": ("page.page", "Page"),
    "sarif": ("sarif", "Sarif"),
    "junit": ("junit", "JUnit"),
    "markdown": ("summary_markdown", "Markdown"),
    "github": ("runners", "GitHub"),
    "gitlab": ("runners", "GitLab"),
}


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
