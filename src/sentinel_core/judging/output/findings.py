"""Findings of a whole run for CI formats: each with its file, line and a stable fingerprint."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import Any

import attrs
import msgspec

from sentinel_core.judging.output.headline import SEVERITIES, Rank
from sentinel_core.judging.output.record import Record
from sentinel_core.runtime.printable import clipped, printable

__all__ = ["Found", "decoded", "findings_of", "fingerprint_of", "fingerprints", "identity_of", "worst_of"]

_LINE = re.compile(r"line (\d{1,9})\b")

_AFTER_NAME = " .:/[$#"  # what readers put between a file's name and a record's place

decoded = msgspec.json.Decoder().decode


@attrs.frozen(kw_only=True)
class Found:
    """One finding. ``line`` is that of its message in ``file``, else of its record, else 1.

    ``fingerprint`` identifies the same finding on the same trace, whatever surrounds it; ``identity`` is what it takes for the
    trace.
    """

    rule: str
    severity: str
    text: str
    quote: str | None
    trace_id: str
    identity: str
    place: str
    file: str
    line: int
    verdict: str | None
    rank: Rank
    fingerprint: str
    is_known: bool = False

    @property
    def message(self) -> str:
        """One line: the text, and the quote."""
        quote = f" “{clipped(self.quote, 200)}”" if self.quote else ""
        return printable(clipped(self.text, 400) + quote)


def identity_of(trace_id: str, label: str, source: str) -> str:
    """The trace id; if it is made of its file's name, after the file's folder, so that namesakes in other folders differ.

    The folder is relative, with ``/``: to the working directory, or for an absolute path outside of it (``label``) to the
    folder above the one that the user named (``source`` is the path below that one).
    """
    stem = PurePath(label).name.partition(".")[0]
    rest = trace_id.removeprefix(stem)
    if not stem or rest == trace_id or (rest and rest[0] not in _AFTER_NAME):
        return trace_id
    return (PurePosixPath(_relative(label, source)).parent / trace_id).as_posix()


def _relative(label: str, source: str) -> str:
    if "://" in label or not Path(label).is_absolute():
        return label if "://" in label else Path(os.path.normpath(label)).as_posix()
    here = Path.cwd()
    if Path(label).is_relative_to(here):
        return Path(label).relative_to(here).as_posix()
    below = PurePath(source).parts
    if len(below) > 1:
        return "/".join(PurePath(label).parts[-len(below) - 1 :])
    return Path(os.path.relpath(label, here)).as_posix()


def fingerprint_of(identity: str, path: Iterable[int], rule: str, words: str) -> str:
    """A hash of trace, agent, rule and words. Excludes the message, so that added messages do not change it."""
    parts = [identity, *map(str, path), rule, " ".join(words.split())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def fingerprints(report: Mapping[str, Any], identity: str) -> list[str]:
    """A fingerprint for each finding of a report; equal findings of one trace are numbered."""
    seen = Counter[str]()
    made = []
    for finding in report["findings"]:
        words = finding["quote"] or finding["text"]
        digest = fingerprint_of(identity, finding["trace_path"], finding["rule"], words)
        seen[digest] += 1
        made.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return made


def findings_of(record: Record, known: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The findings of a judged record; ``is_known`` if the fingerprint is in ``known``."""
    report = decoded(record.report)
    identity = identity_of(report["trace_id"], record.label, record.source)
    lines = record.lines or (record.line or 1,) * len(report["findings"])
    for finding, fingerprint, line in zip(report["findings"], fingerprints(report, identity), lines, strict=True):
        at = _LINE.match(finding["origin"] or "")
        agents = "".join(f"sub-agent {position}, " for position in finding["trace_path"])
        message = "" if finding["message_index"] is None else f"message {finding['message_index']}"
        yield Found(
            rule=finding["rule"],
            severity=finding["severity"],
            text=finding["text"],
            quote=finding["quote"],
            trace_id=report["trace_id"],
            identity=identity,
            place=agents + message,
            file=record.label,
            line=int(at[1]) if at else line,
            verdict=report["verdict"],
            rank=record.rank,
            fingerprint=fingerprint,
            is_known=fingerprint in known,
        )


def worst_of(found: Iterable[Found]) -> list[Found]:
    """New findings first, then by severity; the first of each trace before the second of any, the worst trace first."""
    seen = Counter[tuple[str, str, str]]()
    placed: list[tuple[Any, ...]] = []
    for finding in found:
        trace = (finding.file, finding.trace_id, finding.severity)
        seen[trace] += 1
        order = (finding.is_known, SEVERITIES.index(finding.severity), seen[trace], finding.rank, len(placed))
        placed.append((*order, finding))
    return [finding for *_, finding in sorted(placed, key=_order)]


def _order(placed: tuple[Any, ...]) -> tuple[Any, ...]:
    return placed[:-1]
