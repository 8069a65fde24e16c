"""Finds the lines of records and findings in their file, for formats that point at lines."""

import re
from collections.abc import Iterator, Mapping

from sentinel_core.judging.records import Readable
from sentinel_core.report import Finding, ReliabilityReport
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.readers.element_lines import element_lines
from sentinel_core.traces.readers.layout import is_json_lines
from sentinel_core.traces.readers.lines import MEGABYTE, numbered_lines
from sentinel_core.traces.sources import FileSource

__all__ = ["DocumentLines", "Lines"]

_LARGEST = 16 * MEGABYTE
_PATH = re.compile(r"(?:.* )?(\$\S*)")  # an archive's reader may name the member before the path
_LINE = re.compile(r"line (\d{1,9})\b")
_LAST_STEP = re.compile(r"\[\d+\]$|\.[^.\[\]]+$")
_LIST_OF_RECORD = re.compile(r"(?:\.[^.\[\]]+)?\[\d+\]$")


class Lines:
    """Looks up the line of each record. Records come in order, so a file is read only once."""

    def __init__(self) -> None:
        self._file: FileSource | None = None
        self._lines: Iterator[int] = iter(())
        self._number = 0

    def of(self, outcome: Readable) -> int | None:
        """The line, from 1; None if records are not lines, or the file cannot be read again."""
        if outcome.grain != "line":
            return None
        try:
            if self._file is not outcome.file:
                self._file, self._number = outcome.file, outcome.file.records_before
                self._lines = self._numbers(outcome.file)
            while self._number < outcome.number:
                self._number += 1
                line = next(self._lines, None)
        except (OSError, EOFError):
            return None
        return line

    @staticmethod
    def _numbers(file: FileSource) -> Iterator[int]:
        if not (file.lines_before or is_json_lines(file)):
            return
        with file.open() as stream:
            yield from (line for line, _ in numbered_lines(stream, file.max_record, file.lines_before))


class DocumentLines:
    """Looks up the lines of findings, in JSON documents of at most 16 MB; each file is read once, and only if it has findings."""

    def __init__(self) -> None:
        self._file: FileSource | None = None
        self._known: Mapping[str, int] = {}

    def of(self, outcome: Readable, report: ReliabilityReport) -> tuple[int, ...]:
        """The line of each finding: of its message, else of its record.

        In a file of lines, the line on which a trace of several lines begins; nothing if that is the record's own, or unknown.
        """
        if not report.findings:
            return ()
        if self._file is not outcome.file:
            self._file, self._known = outcome.file, _lines_in(outcome.file)
        if not self._known:
            first = None if outcome.grain == "line" else _first_line(outcome.trace)
            return () if first is None else (first,) * len(report.findings)
        record = self._record(outcome)
        return tuple(
            self._line(_path(finding.origin) or _native_path(record, outcome, finding)) for finding in report.findings
        )

    def _record(self, outcome: Readable) -> str:
        """The path of the record: around the list of its first message, else by its position in the document."""
        details = outcome.trace.messages[0].details if outcome.trace.messages else None
        path = None if details is None else _path(details.origin)
        if path is not None:
            return _LIST_OF_RECORD.sub("", path)
        element = f"$[{outcome.number - 1}]"
        return element if element in self._known else "$"

    def _line(self, path: str) -> int:
        """The line of the path, or of the nearest element around it."""
        while path not in self._known and path != (shorter := _LAST_STEP.sub("", path)):
            path = shorter
        return self._known.get(path, 1)


def _first_line(trace: ExecutionTrace) -> int | None:
    """The line that the first message with a place came from."""
    origins = (message.details.origin for message in trace.messages if message.details is not None)
    return next((int(found[1]) for origin in origins if (found := _LINE.match(origin or "")) is not None), None)


def _lines_in(file: FileSource) -> Mapping[str, int]:
    if file.length is not None or file.bytes_on_disk > _LARGEST:
        return {}
    try:
        if is_json_lines(file):
            return {}
        with file.open() as stream:
            data = stream.read(_LARGEST + 1)
    except (OSError, EOFError):
        return {}
    return element_lines(data) if len(data) <= _LARGEST else {}


def _path(origin: str | None) -> str | None:
    found = _PATH.fullmatch(origin or "")
    return found and found[1]


def _native_path(record: str, outcome: Readable, finding: Finding) -> str:
    """The path of a message that has no origin: a reader whose records are lines holds a message for each in the record."""
    is_own = finding.message_index is not None and not finding.trace_path and outcome.grain == "line"
    return f"{record}.messages[{finding.message_index}]" if is_own else record
