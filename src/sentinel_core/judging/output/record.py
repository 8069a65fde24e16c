"""One judged record for the documents of a whole run: its place, its report, and the page's view of its trace."""

from bisect import insort
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from sentinel_core.judging.output.headline import UNREADABLE, Rank, rank
from sentinel_core.judging.records import Readable
from sentinel_core.offers import Rule
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact
from sentinel_core.traces.readers.layout import is_json_lines
from sentinel_core.traces.readers.lines import numbered_lines
from sentinel_core.traces.sources import FileSource

__all__ = ["MOST_IN_FULL", "Extra", "Lines", "Record", "Recorder", "RuleText", "Unread", "parse"]

Extra = Literal["text", "page", "line", "rules"]
"""What an output needs of a record besides its report: the text, the page's view of the trace, the line, the rules that fired."""


MOST_IN_FULL = 200
"""The number of traces that a page shows in full."""

_NOTHING: Final = msgspec.Raw()


class Unread(msgspec.Struct):
    """Why a record is unreadable, or how a weighted signal crashed."""

    message: str
    source: str = ""
    line: int | None = None


class RuleText(msgspec.Struct):
    """A rule's severity and texts."""

    severity: str
    title: str
    help: str


class Record(msgspec.Struct, omit_defaults=True):
    """A record of the input, without secrets. ``source`` is the same from every folder, ``label`` as the user named it.

    ``report`` and ``page`` are JSON, decoded only when needed; an unreadable record has no report but an ``error``.
    """

    source: str = ""
    label: str = ""
    record: int = 0
    rank: Rank = UNREADABLE
    line: int | None = None
    report: msgspec.Raw = _NOTHING
    page: msgspec.Raw = _NOTHING
    text: str = ""
    rules: dict[str, RuleText] = {}
    error: Unread | None = None

    @property
    def is_judged(self) -> bool:
        """Whether there is a report."""
        return bool(bytes(self.report))


_decode = msgspec.json.Decoder(Record).decode
_encode = msgspec.json.Encoder().encode


def parse(line: bytes) -> Record:
    """A record from its line."""
    return _decode(line)


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


class Recorder:
    """Encodes each judged record as a line of JSON, with what ``extras`` name.

    A page shows only the worst traces in full, so only a record that is among the worst so far carries its trace: this
    includes all that are the worst in the end.
    """

    def __init__(self, extras: frozenset[Extra], rules: Mapping[str, Rule] = MappingProxyType({})) -> None:
        self._extras = extras
        self._rules = {name: RuleText(rule.severity, rule.title, rule.help) for name, rule in rules.items()}
        self._lines = Lines()
        self._worst: list[Rank] = []

    def record(self, report: ReliabilityReport, data: bytes, outcome: Readable, text: str) -> bytes:
        """The line for a report, rendered as ``data`` (JSON) and ``text``."""
        found = Record(
            source=redact(outcome.source),
            label=redact(outcome.label),
            record=outcome.number,
            rank=rank(report),
            line=self._lines.of(outcome) if "line" in self._extras else None,
            report=msgspec.Raw(data),
            text=text,
        )
        if "rules" in self._extras:
            found.rules = {
                name: self._rules[name] for finding in report.findings if (name := finding.rule) in self._rules
            }
        if "page" in self._extras and self._is_of_the_worst(found.rank):
            from sentinel_core.judging.output.page.view import view

            found.page = msgspec.Raw(_encode(view(outcome.trace, report)))
        return _encode(found)

    def _is_of_the_worst(self, ranked: Rank) -> bool:
        if len(self._worst) == MOST_IN_FULL:
            if ranked >= self._worst[-1]:
                return False
            self._worst.pop()
        insort(self._worst, ranked)
        return True
