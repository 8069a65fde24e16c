"""Findings of a whole run as formats for CI take them: each with its file, line and a fingerprint that stays."""

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
    """One finding. ``line`` is that of its message in ``file``, or of its trace, 1 where neither is known.

    ``fingerprint`` is the same for the same finding on the same trace, whatever stands around it.
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
        """One line: what, and the words that it is about."""
        quote = f" “{clipped(self.quote, 200)}”" if self.quote else ""
        return printable(clipped(self.text, 400) + quote)


def fingerprint_of(trace_id: str, path: Iterable[int], rule: str, words: str) -> str:
    """Of the trace's id, the agent, the rule and the words, not of the place: it stays where messages are added."""
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
    """The findings of a judged record; those whose fingerprint is ``known`` say so."""
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
    """New ones before known ones, then by severity; the first of each trace before the second of any, the worst trace first."""
    seen = Counter[tuple[str, str, str]]()
    placed: list[tuple[Any, ...]] = []
    for one in found:
        trace = (one.file, one.trace_id, one.severity)
        seen[trace] += 1
        placed.append((one.is_known, SEVERITIES.index(one.severity), seen[trace], one.rank, len(placed), one))
    return [one for *_, one in sorted(placed, key=_order)]


def _order(placed: tuple[Any, ...]) -> tuple[Any, ...]:
    return placed[:-1]
