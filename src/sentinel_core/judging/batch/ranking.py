"""The runs of a batch that are worth looking at first: the highest triage scores, independent of how the batch was split.

If more than half of a batch has the same finding of ``ending``, the recorder causes it and not the run, so it is left out of the
ranking; one report alone cannot show that. Runs are therefore kept in classes with the same findings of ``ending`` and the same
measured signals: leaving a finding out does not change the order within a class, so the best of each class are enough.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.evaluate.policy import TRIAGE_WEIGHTS
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact

__all__ = ["Ranking"]

_SHOWN = 20
_FEWEST = 10
_ENDING = "ending"
_SAME_END = {"ending.came_to_nothing": "ending.unread_result"}  # both are seen where the last word is missing
_PLACES = 9


@attrs.define
class Ranking:
    """``classes`` has the best runs by class, ``ends`` the number of runs with each rule of ``ending``, ``parts`` its score."""

    measured: int = 0
    classes: dict[str, list[dict[str, Any]]] = attrs.field(factory=dict)
    ends: dict[str, int] = attrs.field(factory=dict)
    parts: dict[str, float] = attrs.field(factory=dict)

    def add(self, report: ReliabilityReport, file: str, record: int) -> None:
        """Add a run: record number ``record``, from 1, of a ``file``."""
        if report.triage_score is None:
            return
        self.measured += 1
        scores = {score.signal_name: score.score for score in report.signal_scores if score.score is not None}
        rules = [finding.rule for finding in report.findings if finding.rule.startswith(f"{_ENDING}.")]
        for rule in sorted({_SAME_END.get(rule, rule) for rule in rules}):
            self.ends[rule] = self.ends.get(rule, 0) + 1
        if rules:  # the worst comes first and determines the score
            self.parts[rules[0]] = scores[_ENDING]
        weights = [weight for name, weight in TRIAGE_WEIGHTS.items() if name in scores and name != _ENDING]
        row = {
            "trace_id": report.trace_id,
            "file": redact(file),
            "record": record,
            "verdict": report.verdict,
            "triage_score": report.triage_score,
            "rest": report.triage_score * self._weight(scores) - TRIAGE_WEIGHTS[_ENDING] * scores.get(_ENDING, 0.0),
            "weight": sum(weights),
            "rules": rules,
        }
        key = f"{'ended' if _ENDING in scores else ''} {sum(weights):.3f} {' '.join(rules)}"
        _keep(self.classes.setdefault(key, []), [row])

    def _weight(self, scores: dict[str, float]) -> float:
        return sum(weight for name, weight in TRIAGE_WEIGHTS.items() if name in scores)

    def merge(self, later: "Ranking") -> None:
        """Add the ranking of the next part of the input."""
        self.measured += later.measured
        self.parts |= later.parts
        for rule, count in later.ends.items():
            self.ends[rule] = self.ends.get(rule, 0) + count
        for key, rows in later.classes.items():
            _keep(self.classes.setdefault(key, []), rows)

    @property
    def left_out(self) -> list[str]:
        """The rules of ``ending`` that more than half of the runs have; none if there are only a few runs."""
        if self.measured < _FEWEST:
            return []
        return sorted(rule for rule, count in self.ends.items() if 2 * count > self.measured)

    def best(self) -> list[dict[str, Any]]:
        """The runs most worth a look, in that order; ties in the order of file and record."""
        left_out = self.left_out
        gone = {*left_out, *(rule for rule, same in _SAME_END.items() if same in left_out)}
        rows = [
            {**row, "triage_score": self._score(row, key, gone)} for key, rows in self.classes.items() for row in rows
        ]
        rows.sort(key=lambda row: (-row["triage_score"], row["file"], row["record"]))
        return [
            {name: row[name] for name in ("trace_id", "file", "record", "verdict", "triage_score")}
            for row in rows[:_SHOWN]
        ]

    def _score(self, row: dict[str, Any], key: str, gone: set[str]) -> float:
        if not key.startswith("ended") or not gone.intersection(row["rules"]):
            return float(row["triage_score"])
        ending = max((self.parts.get(rule, 0.0) for rule in row["rules"] if rule not in gone), default=0.0)
        whole = row["weight"] + TRIAGE_WEIGHTS[_ENDING]
        return float(round((row["rest"] + TRIAGE_WEIGHTS[_ENDING] * ending) / whole, _PLACES))

    def document(self) -> dict[str, Any]:
        """The ranking's part of ``summary.json``."""
        return {
            "worth_a_look": self.best(),
            "left_out": [{"rule": rule, "runs": self.ends[rule]} for rule in self.left_out],
        }

    def lines(self) -> Iterator[str]:
        """Lines for people."""
        for row in self.document()["left_out"]:
            yield f"  {row['runs']:,} of {self.measured:,} runs end with {row['rule']}: probably caused by the recorder, so left out of the ranking"
        if self.measured > 1:
            best = ", ".join(f"{row['trace_id']} {row['triage_score']:.3f}" for row in self.best()[:5])
            yield f"  worth looking at first: {best}"


def _keep(rows: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    rows += more
    rows.sort(key=lambda row: (-row["triage_score"], row["file"], row["record"]))
    del rows[_SHOWN:]
