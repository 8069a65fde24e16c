"""Findings in the formats of GitHub's and GitLab's runners, which show them at the lines of a change."""

import json
import os
from pathlib import Path
from typing import IO, Any

from sentinel_core.judging.output.findings import Found, findings_of, worst_of
from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.settings import OutputSettings
from sentinel_core.judging.output.summary_markdown import Markdown, summary_of
from sentinel_core.runtime.printable import clipped, counted, printable, printable_json

__all__ = ["MOST_ANNOTATIONS", "GitHub", "GitLab", "annotated_error"]

MOST_ANNOTATIONS = 10
"""GitHub shows ten annotations of each level per step."""

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


class GitHub:
    """Annotations, ten of each level, worst first; the summary goes to the file in ``GITHUB_STEP_SUMMARY``."""

    extras: frozenset[Extra] = Markdown.extras

    def __init__(self, stream: IO[bytes], settings: OutputSettings) -> None:
        self._stream = stream
        self._settings = settings
        self._summary = Markdown(stream, settings)
        self._found: list[Found] = []

    def add(self, record: Record) -> None:
        """Add a record."""
        self._summary.add(record)
        if record.is_judged:
            self._found += filter(self._is_shown, findings_of(record, self._settings.known))

    def _is_shown(self, finding: Found) -> bool:
        """Hides known findings; and with a baseline all notes, because a baseline holds none."""
        return not finding.is_known and (finding.severity != "note" or not self._settings.has_baseline)

    def finish(self) -> None:
        """Write annotations to the log, and the summary to its file."""
        lines, left_out = list[str](), 0
        for severity, level in _LEVELS.items():
            found = worst_of([finding for finding in self._found if finding.severity == severity])
            gaps = self._gaps() if severity == "warning" else []
            most = MOST_ANNOTATIONS - len(gaps)
            lines += [*gaps, *(_annotation(level, finding) for finding in found[:most])]
            left_out += len(found[most:])
        problems = self._summary.problems
        lines += map(annotated_error, problems[:MOST_ANNOTATIONS])
        if not self._summary.gate.verdicts:
            lines.append(annotated_error("nothing was judged; the log says why"))
        if left_out:
            lines.append(f"and {left_out:,} more findings")
        self._stream.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        if place := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(place).open("a", encoding="utf-8", errors="replace") as stream:
                stream.write(summary_of(self._summary))

    def _gaps(self) -> list[str]:
        """One warning for all that was not read; its place is first, because the findings may fill what GitHub shows."""
        gaps = self._summary.gaps
        if not gaps:
            return []
        more = f" and {counted(len(gaps) - 1, 'more trace')}" if len(gaps) > 1 else ""
        return [f"::warning title=Sentinel not read::{_escaped(clipped(gaps[0], 400))}{more}"]


def annotated_error(text: str) -> str:
    """The annotation of an error that belongs to no file."""
    return f"::error title=Sentinel::{_escaped(text)}"


def _annotation(level: str, finding: Found) -> str:
    title = f"Sentinel {finding.rule}"
    text = f"{finding.message} ({f'{finding.trace_id} {finding.place}'.rstrip()})"
    return f"::{level} file={_property(finding.file)},line={finding.line},title={_property(title)}::{_escaped(text)}"


def _escaped(text: str) -> str:
    """Text of any origin as that of an annotation; its lines stay lines."""
    text = "\n".join(map(printable, text.split("\n")))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


class GitLab:
    """A code quality report, worst finding first."""

    extras: frozenset[Extra] = frozenset({"line"})

    def __init__(self, stream: IO[bytes], settings: OutputSettings) -> None:
        self._stream = stream
        self._settings = settings
        self._found: list[Found] = []
        self._problems: list[dict[str, Any]] = []

    def add(self, record: Record) -> None:
        """Add a record."""
        if record.is_judged:
            self._found += (found for found in findings_of(record, self._settings.known) if not found.is_known)
        else:
            assert record.error is not None
            self._problems.append(
                {
                    "description": record.error.message,
                    "check_name": "sentinel.unreadable",
                    "fingerprint": f"unreadable {record.error.source} {record.error.line}",
                    "severity": "critical",
                    "location": {"path": record.error.source, "lines": {"begin": record.error.line or 1}},
                }
            )

    def finish(self) -> None:
        """Write the list."""
        entries = [*self._problems, *map(_entry, worst_of(self._found))]
        data = json.dumps(entries, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        self._stream.write(printable_json(data) + b"\n")


def _entry(finding: Found) -> dict[str, Any]:
    return {
        "description": finding.message,
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": finding.file, "lines": {"begin": finding.line}},
    }
