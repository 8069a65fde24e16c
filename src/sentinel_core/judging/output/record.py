"""One judged record for the documents of a whole run: its place, its report, and the page's view of its trace."""

from bisect import insort
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from sentinel_core.judging.output.headline import UNREADABLE, Rank, rank
from sentinel_core.judging.output.lines import DocumentLines, Lines
from sentinel_core.judging.records import Readable
from sentinel_core.offers import Rule
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact

__all__ = ["MOST_IN_FULL", "Extra", "Record", "Recorder", "RuleText", "Unread", "parse"]

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

    ``line`` is the record's in JSON Lines; in a JSON document, ``lines`` has one for each finding of the report. ``report`` and
    ``page`` are JSON, decoded only when needed; an unreadable record has no report but an ``error``.
    """

    source: str = ""
    label: str = ""
    record: int = 0
    rank: Rank = UNREADABLE
    line: int | None = None
    lines: tuple[int, ...] = ()
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


class Recorder:
    """Encodes each judged record as a line of JSON, with what ``extras`` name.

    A page shows only the worst traces in full, so only a record that is among the worst so far carries its trace: this
    includes all that are the worst in the end.
    """

    def __init__(self, extras: frozenset[Extra], rules: Mapping[str, Rule] = MappingProxyType({})) -> None:
        self._extras = extras
        self._rules = {name: RuleText(rule.severity, rule.title, rule.help) for name, rule in rules.items()}
        self._lines, self._in_document = Lines(), DocumentLines()
        self._worst: list[Rank] = []

    def record(self, report: ReliabilityReport, data: bytes, outcome: Readable, text: str) -> bytes:
        """The line for a report, rendered as ``data`` (JSON) and ``text``."""
        found = Record(
            source=redact(outcome.source),
            label=redact(outcome.label),
            record=outcome.number,
            rank=rank(report),
            report=msgspec.Raw(data),
            text=text,
        )
        if "line" in self._extras:
            found.line = self._lines.of(outcome)
            found.lines = () if found.line is not None else self._in_document.of(outcome, report)
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
