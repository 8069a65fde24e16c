"""Reports one after the other: text, JSON and JSON Lines."""

import functools
from typing import IO

import msgspec

from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.sink import Sink

__all__ = ["Json", "JsonLines", "Reports", "Texts"]


class Reports:
    """Reports in sequence, as ``sentinel evaluate`` prints them."""

    def __init__(self, stream: IO[bytes], settings: OutputSettings, *, form: str) -> None:
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
        data = self._marked(record) if record.is_judged else _printed({"error": record.error})
        self._sink.put(msgspec.json.format(data, indent=2) if self._settings.pretty else data)

    def _marked(self, record: Record) -> bytes:
        """The report; with a baseline each finding has the field ``known``."""
        if not self._settings.has_baseline:
            return bytes(record.report)
        from sentinel_core.judging.output.findings import decoded, fingerprints, identity_of

        report = decoded(record.report)
        identity = identity_of(report["trace_id"], record.label, record.source)
        for finding, fingerprint in zip(report["findings"], fingerprints(report, identity), strict=True):
            finding["known"] = fingerprint in self._settings.known
        return _printed(report)

    def finish(self) -> None:
        """Close the JSON list, if there is one."""
        self._sink.finish()


def _printed(value: object) -> bytes:
    from sentinel_core.runtime.printable import printable_json

    return printable_json(msgspec.json.encode(value))


Texts = functools.partial(Reports, form="text")
Json = functools.partial(Reports, form="json")
JsonLines = functools.partial(Reports, form="jsonl")
