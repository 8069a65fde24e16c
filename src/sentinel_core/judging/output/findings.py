"""Findings of a whole run for CI formats: each with its file, line and a stable fingerprint."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import msgspec

from sentinel_core.judging.output.headline import SEVERITIES, Rank
from sentinel_core.judging.output.record import Record
from sentinel_core.runtime.printable import clipped, printable

__all__ = ["Found", "decoded", "findings_of", "fingerprint_of", "fingerprints", "worst_of"]

_LINE = re.compile(r"line (\d{1,9})")

decoded = msgspec.json.Decoder().decode


@attrs.frozen(kw_only=True)
class Found:
    """One finding. ``line`` is that of its message in ``file``, else of its trace, else 1.

    ``fingerprint`` identifies the same finding on the same trace, whatever surrounds it.
    """

    rule: str
    severity: str
    text: str
    quote: str | None
    trace_id: str
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


def fingerprint_of(trace_id: str, path: Iterable[int], rule: str, words: str) -> str:
    """A hash of trace id, agent, rule and words. Excludes the place, so that added messages do not change it."""
    parts = [trace_id, *map(str, path), rule, " ".join(words.split())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def fingerprints(report: Mapping[str, Any]) -> list[str]:
    """A fingerprint for each finding of a report; equal findings of one trace are numbered."""
    seen = Counter[str]()
    made = []
    for finding in report["findings"]:
        words = finding["quote"] or finding["text"]
        digest = fingerprint_of(report["trace_id"], finding["trace_path"], finding["rule"], words)
        seen[digest] += 1
        made.append(digest if seen[digest] == 1 else f"{digest}-{seen[digest]}")
    return made


def findings_of(record: Record, known: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The findings of a judged record; ``is_known`` if the fingerprint is in ``known``."""
    report = decoded(record.report)
    for finding, fingerprint in zip(report["findings"], fingerprints(report), strict=True):
        at = _LINE.fullmatch(finding["origin"] or "")
        agents = "".join(f"sub-agent {position}, " for position in finding["trace_path"])
        message = "" if finding["message_index"] is None else f"message {finding['message_index']}"
        yield Found(
            rule=finding["rule"],
            severity=finding["severity"],
            text=finding["text"],
            quote=finding["quote"],
            trace_id=report["trace_id"],
            place=agents + message,
            file=record.label,
            line=int(at[1]) if at else record.line or 1,
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
