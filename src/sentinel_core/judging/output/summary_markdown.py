"""A summary in Markdown, for a job summary or a comment: the counts, and the findings most worth a look."""

from collections import Counter
from collections.abc import Iterator
from typing import IO

from sentinel_core.judging.output.findings import Found, decoded, findings_of, worst_of
from sentinel_core.judging.output.gate import Gate
from sentinel_core.judging.output.markup import cut_markdown, markdown_text
from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.runtime.printable import clipped

__all__ = ["Markdown", "summary_of"]

_MOST_SHOWN = 30
_MOST_LISTED = 20
_VERDICTS = ("FAIL", "WARN", "PASS", "NO VERDICT", "UNREADABLE")


class Markdown:
    """Collects all records, then writes the summary."""

    extras: frozenset[Extra] = frozenset({"line"})

    def __init__(self, stream: IO[bytes], settings: OutputSettings) -> None:
        self._stream = stream
        self._settings = settings
        self.counts: Counter[str] = Counter()
        self.found: list[Found] = []
        self.problems: list[str] = []
        self.gaps: list[str] = []
        self.gate = Gate(settings)

    def add(self, record: Record) -> None:
        """Add a record."""
        self.gate.add(record)
        if record.is_judged:
            report = decoded(record.report)
            self.counts[report["verdict"] or "NO VERDICT"] += 1
            if report.get("unread"):
                self.gaps.append(f"{record.label} ({report['trace_id']}): {'; '.join(report['unread'])}")
            self.found += (found for found in findings_of(record, self._settings.known) if found.severity != "note")
        else:
            assert record.error is not None
            self.counts["UNREADABLE"] += 1
            self.problems.append(f"{record.error.source}: {record.error.message}")

    def finish(self) -> None:
        """Write the summary."""
        self._stream.write(summary_of(self).encode("utf-8", "replace"))


def summary_of(summary: Markdown) -> str:
    """The summary as Markdown."""
    return cut_markdown("".join(f"{line}\n" for line in _lines(summary)))


def _lines(summary: Markdown) -> Iterator[str]:
    sign, state = ("❌", "failed") if summary.gate.failures else ("✅", "passed")
    yield f"## {sign} Sentinel {state}: {_heading(summary.counts)}"
    yield from ("", summary.gate.sentence())
    new = [found for found in worst_of(summary.found) if not found.is_known]
    known = len(summary.found) - len(new)
    if new:
        yield from ("", "| | what is wrong | where |", "|---|---|---|")
        yield from map(_row, new[:_MOST_SHOWN])
    if len(new) > _MOST_SHOWN:
        yield from ("", f"And {len(new) - _MOST_SHOWN:,} more.")
    if known:
        yield from ("", f"{known:,} known from the baseline.")
    yield from _listed("Not judged:", summary.problems)
    yield from _listed("Some input was not read, so findings may be missing:", summary.gaps)


def _listed(heading: str, entries: list[str]) -> Iterator[str]:
    if entries:
        yield from ("", heading, "")
        yield from (f"- {markdown_text(clipped(entry, 300))}" for entry in entries[:_MOST_LISTED])
    if len(entries) > _MOST_LISTED:
        yield f"- and {len(entries) - _MOST_LISTED:,} more"


def _heading(counts: Counter[str]) -> str:
    total = counts.total()
    parts = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in _VERDICTS if counts[verdict])
    return f"{total:,} {'trace' if total == 1 else 'traces'}: {parts or 'none'}"


def _row(found: Found) -> str:
    quote = f"“{markdown_text(clipped(found.quote, 200))}”<br>" if found.quote else ""
    place = f"{found.file}:{found.line} {found.place}" if found.line > 1 else f"{found.file} {found.place}"
    what = f"{quote}{markdown_text(clipped(found.text, 300))} ({markdown_text(found.rule)})"
    return f"| {found.severity} | {what} | {markdown_text(found.trace_id)}<br>{markdown_text(place)} |"
