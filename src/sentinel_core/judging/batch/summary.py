"""The summary of a batch. Merging summaries in the order of the input gives the same result for every split."""

import json
import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Self

import attrs

from sentinel_core.judging.batch.ranking import Ranking
from sentinel_core.judging.batch.tasks import Tasks
from sentinel_core.judging.records import Readable, Unreadable
from sentinel_core.judging.tally import Tally
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.printable import counted, thousandths
from sentinel_core.runtime.redact import redact
from sentinel_core.traces.sources.file_source import as_text

__all__ = ["QUANTILES", "Summary"]

QUANTILES = (0.5, 0.9, 0.95, 0.99)
_MOST_ROWS = 1000
_MOST_OTHERS = 1000
_STEPS = 1000
_TOP = 20


@attrs.define
class Summary:
    """Counts over reports.

    ``scores`` counts overall scores by thousandths, so that quantiles are the same for every split. ``rules`` counts findings;
    ``failures`` has, for each signal that failed, the number of failures, the first error, and the first thousand records
    whose row is an error because of it. ``unreadable`` holds the first thousand unreadable records, ``ranking`` the runs most
    worth a look, ``tasks`` the runs by task, if asked for. ``latest`` is the session that ``--latest`` found. ``met`` are the
    tasks with expectations that have a run, ``others`` the first by name of those without.
    """

    counts: dict[str, int] = attrs.field(factory=dict)
    incomplete: int = 0
    scores: dict[int, int] = attrs.field(factory=dict)
    rules: dict[str, int] = attrs.field(factory=dict)
    failures: dict[str, list[Any]] = attrs.field(factory=dict)
    unreadable: list[dict[str, Any]] = attrs.field(factory=list)
    ranking: Ranking = attrs.field(factory=Ranking)
    tasks: Tasks = attrs.field(factory=Tasks)
    latest: str = ""
    met: list[str] = attrs.field(factory=list)
    others: list[str] = attrs.field(factory=list)

    def add_report(
        self, report: ReliabilityReport, error: Unreadable | None = None, read: Readable | None = None
    ) -> None:
        """Add a report, and its ``error`` if a weighted signal crashed on the record.

        A report is ranked only if ``read``, its record, is given.
        """
        if read is not None:
            self.ranking.add(report, read.source, read.number)
        _count(self.counts, report.verdict or "no verdict")
        self.incomplete += not report.is_complete
        if report.overall_score is not None:
            _count(self.scores, thousandths(report.overall_score))
        for finding in report.findings:
            _count(self.rules, finding.rule)
        for failure in report.failures:
            known = self.failures.setdefault(failure.signal_name, [0, failure.error, []])
            known[0] += 1
            if error is not None and not failure.advisory:
                _keep(known[2], [_row(error, failure.error)])

    def add_unreadable(self, row: Unreadable) -> None:
        """Add an unreadable record."""
        _count(self.counts, "unreadable")
        _keep(self.unreadable, [_row(row, row.message)])

    def add_task(self, task: str, expected: Collection[str]) -> None:
        """Note that a run is of this task; ``expected`` are the tasks with expectations."""
        if task in expected:
            self.met = _first(self.met, [task], len(expected))
        else:
            self.others = _first(self.others, [task], _MOST_OTHERS)

    def merge(self, later: "Summary") -> None:
        """Add the summary of the next part of the input."""
        self.incomplete += later.incomplete
        for own, other in ((self.counts, later.counts), (self.rules, later.rules)):
            for name, count in other.items():
                _count(own, name, count)
        for score, count in later.scores.items():
            _count(self.scores, score, count)
        for name, (count, error, rows) in later.failures.items():
            known = self.failures.setdefault(name, [0, error, []])
            known[0] += count
            _keep(known[2], rows)
        _keep(self.unreadable, later.unreadable)
        self.ranking.merge(later.ranking)
        self.tasks.merge(later.tasks)
        self.latest = later.latest or self.latest
        self.met = _first(self.met, later.met, len(self.met) + len(later.met))
        self.others = _first(self.others, later.others, _MOST_OTHERS)

    def error_rows(self) -> Iterator[dict[str, Any]]:
        """File, line and message of each kept error row, and the file as it was ``named``."""
        yield from self.unreadable
        for name, (_, _, rows) in sorted(self.failures.items()):
            for row in rows:
                yield {**row, "message": f'plugin "signals:{name}" {row["message"]}'}

    @property
    def total(self) -> int:
        """The number of records."""
        return sum(self.counts.values())

    @property
    def tally(self) -> Tally:
        """The counts that decide the exit code."""
        tally = Tally(broken=bool(self.incomplete))
        tally.counts.update(self.counts)
        tally.latest = self.latest
        tally.tasks.update(self.met, self.others)
        return tally

    @property
    def worst(self) -> str | None:
        """The worst verdict; None without any."""
        return next((verdict for verdict in ("FAIL", "WARN", "PASS") if self.counts.get(verdict)), None)

    def quantile(self, share: float) -> float | None:
        """The quantile of the scores, to a thousandth; None without scores."""
        wanted, seen = math.ceil(share * sum(self.scores.values())), 0
        for score in sorted(self.scores):
            seen += self.scores[score]
            if seen >= wanted:
                return score / _STEPS
        return None

    def state(self) -> bytes:
        """All of it as JSON, for ``restored``."""
        return json.dumps(attrs.asdict(self)).encode()

    @classmethod
    def restored(cls, state: bytes | Mapping[str, Any]) -> Self:
        """From ``state``."""
        held = dict(json.loads(state) if isinstance(state, bytes) else state)
        held["ranking"], held["tasks"] = Ranking(**held["ranking"]), Tasks(**held["tasks"])
        held["scores"] = {int(score): count for score, count in held["scores"].items()}
        return cls(**held)

    def document(self) -> dict[str, Any]:
        """The content of ``summary.json``."""
        return {
            "schema": 1,
            "records": self.total,
            "verdicts": dict(self.tally.counts),
            "worst_verdict": self.worst,
            "incomplete": self.incomplete,
            "risk": {
                **{f"p{share * 100:g}": self.quantile(share) for share in QUANTILES},
                "max": self.quantile(1),
                "histogram": {f"{score / _STEPS:.3f}": self.scores[score] for score in sorted(self.scores)},
            },
            "triage": self.ranking.document(),
            "agreement": self.tasks.document(),
            "top_rules": [{"rule": rule, "findings": count} for rule, count in self.top_rules(_TOP)],
            "failures": [
                {"signal": name, "records": count, "first_error": error, "error_rows": _shown(rows)}
                for name, (count, error, rows) in sorted(self.failures.items())
            ],
            "unreadable": _shown(self.unreadable),
        }

    def top_rules(self, most: int) -> list[tuple[str, int]]:
        """The rules with the most findings; ties by name."""
        return sorted(self.rules.items(), key=lambda entry: (-entry[1], entry[0]))[:most]

    def lines(self) -> Iterator[str]:
        """Lines for people, below the one that counts the verdicts."""
        if self.scores:
            parts = ", ".join(f"p{share * 100:g} {self.quantile(share):.3f}" for share in QUANTILES)
            yield f"  risk: {parts}, max {self.quantile(1):.3f}"
        if self.rules:
            yield "  most findings: " + ", ".join(f"{rule} {count:,}" for rule, count in self.top_rules(5))
        yield from self.ranking.lines()
        yield from self.tasks.lines()
        for name, (count, error, _) in sorted(self.failures.items()):
            yield f'  signal "{name}" failed on {counted(count, "record")}; the first error: {error}'


def _row(place: Unreadable, message: str) -> dict[str, Any]:
    """An error row; ``named`` is the file as the user named it, for the manifest."""
    file = redact(place.source)
    return {"file": file, "line": place.line, "message": redact(as_text(message)), "named": place.label}


def _shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without ``named``, which depends on the working directory."""
    return [{name: value for name, value in row.items() if name != "named"} for row in rows]


def _first(own: list[str], more: list[str], most: int) -> list[str]:
    """The first by name of both lists, each once: the same in whatever order they are merged."""
    return sorted({*own, *more})[:most] if more else own


def _keep(rows: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    """Append rows up to the limit."""
    if more:
        rows += more[: _MOST_ROWS - len(rows)]


def _count(counts: dict[Any, int], name: Any, more: int = 1) -> None:
    counts[name] = counts.get(name, 0) + more
