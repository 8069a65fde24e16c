"""A baseline: the findings that are known, so that only new ones fail a job. A ratchet, as linters have it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import attrs
import msgspec

from sentinel_core.errors import InputError
from sentinel_core.judging.output.findings import Found, decoded, findings_of, fingerprint_of, identity_of
from sentinel_core.judging.output.record import Extra, Record
from sentinel_core.judging.output.sink import open_output
from sentinel_core.runtime.printable import counted, printable_json

__all__ = ["Baseline", "Entry", "counted_findings", "read_baseline"]

_VERSION = 1


class Entry(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A known finding. Whoever looks after the file may say the ``reason``; an update keeps it.

    A ``trace_id`` that is made of a file's name stands after the file's folder.
    """

    fingerprint: str
    trace_id: str = ""
    rule: str = ""
    text: str = ""
    reason: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    findings: list[Entry]


def read_baseline(path: Path, *, may_be_missing: bool = False) -> tuple[Entry, ...]:
    """The entries of the file. Raises ``InputError`` where it cannot be read or is no baseline."""
    try:
        held = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        if may_be_missing:
            return ()
        raise InputError(f'baseline "{path}" does not exist: --update-baseline creates it') from None
    except OSError as error:
        raise InputError(f'baseline "{path}" cannot be read: {error.strerror}') from None
    except msgspec.DecodeError as error:
        raise InputError(f'baseline "{path}" is not valid: {error}') from None
    if held.version != _VERSION:
        raise InputError(f'baseline "{path}" has version {held.version}; this Sentinel reads only version {_VERSION}')
    return tuple(held.findings)


@attrs.define
class Baseline:
    """Holds what a run finds against what is known.

    A trace counts for the exit code where it has a finding that is no note and is not known. A verdict that no finding
    explains is an entry of its own.
    """

    path: Path
    entries: tuple[Entry, ...]
    new: Counter[str] = attrs.field(factory=Counter)
    new_findings: int = 0
    extras: frozenset[Extra] = frozenset()
    _seen: dict[str, Found] = attrs.field(factory=dict)

    @classmethod
    def read(cls, path: Path, *, to_update: bool) -> Self:
        """From the file. Raises ``InputError``."""
        return cls(path, read_baseline(path, may_be_missing=to_update))

    @property
    def known(self) -> frozenset[str]:
        """The fingerprints of all entries."""
        return frozenset(entry.fingerprint for entry in self.entries)

    def add(self, record: Record) -> None:
        """One more record."""
        if not record.is_judged:
            return
        found = counted_findings(record, self.known)
        self._seen |= {one.fingerprint: one for one in found}
        new = sum(not one.is_known for one in found)
        self.new_findings += new
        if new and (verdict := found[0].verdict):
            self.new[verdict] += 1

    def finish(self) -> None:
        """Nothing waits."""

    def exit_code(self, code: int, fail_on: str) -> int:
        """What becomes of the exit code of all findings: 0 where those that made it are known."""
        if code not in (1, 2):
            return code
        if self.new["FAIL"] and fail_on != "never":
            return 2
        return 1 if self.new["WARN"] and fail_on == "warn" else 0

    def told(self, *, is_whole: bool) -> Iterator[str]:
        """For people: how many are new and known, and which are gone, if everything could be judged (``is_whole``)."""
        if not is_whole:
            known = len(self.known & self._seen.keys())
            yield f"baseline: {counted(self.new_findings, 'new finding')}, {known:,} known; not everything could be judged"
            return
        gone = [entry for entry in self.entries if entry.fingerprint not in self._seen]
        known = len(self.entries) - len(gone)
        yield f"baseline: {counted(self.new_findings, 'new finding')}, {known:,} known, {len(gone):,} gone"
        for entry in gone[:5]:
            yield f"  gone: {entry.rule} in {entry.trace_id}"
        if gone:
            yield "  --update-baseline removes those that are gone"

    def update(self) -> int:
        """Write what this run found, with the reasons of the entries that stay; returns their number. Raises ``InputError``."""
        reasons = {entry.fingerprint: entry.reason for entry in self.entries}
        entries = [
            Entry(
                fingerprint=one.fingerprint,
                trace_id=one.identity,
                rule=one.rule,
                text=one.message,
                reason=reasons.get(one.fingerprint, ""),
            )
            for one in sorted(self._seen.values(), key=lambda one: (one.identity, one.rule, one.fingerprint))
        ]
        data = msgspec.json.format(msgspec.json.encode(_File(_VERSION, entries)), indent=1)
        with open_output(self.path) as stream:
            stream.write(printable_json(data) + b"\n")
        return len(entries)


def counted_findings(record: Record, known: frozenset[str]) -> list[Found]:
    """The findings of a judged record that count: all that are no notes, or a verdict that none explains."""
    found = [one for one in findings_of(record, known) if one.severity != "note"]
    report = decoded(record.report)
    if not found and report["verdict"] in ("WARN", "FAIL"):
        return [_of_verdict(report, record, known)]
    return found


def _of_verdict(report: dict[str, Any], record: Record, known: frozenset[str]) -> Found:
    identity = identity_of(report["trace_id"], record.label, record.source)
    fingerprint = fingerprint_of(identity, (), "verdict", report["verdict"])
    return Found(
        rule=f"verdict.{report['verdict']}",
        severity="error" if report["verdict"] == "FAIL" else "warning",
        text=report["reasoning"],
        quote=None,
        trace_id=report["trace_id"],
        identity=identity,
        place="",
        file=record.label,
        line=record.line or 1,
        verdict=report["verdict"],
        rank=record.rank,
        fingerprint=fingerprint,
        is_known=fingerprint in known,
    )
