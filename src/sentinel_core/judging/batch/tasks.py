"""Runs of one task beside each other: which of them came to something else than the rest. Copies of a conversation count once."""

import hashlib
from collections.abc import Iterator
from typing import Any

import attrs

from sentinel_core.evaluate.agreement import came_to, disagreements, score_beside_others
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact
from sentinel_core.trace import ExecutionTrace, canonical

__all__ = ["REQUEST", "Tasks"]

REQUEST = "request"
"""The key that stands for the user's first message; others are paths such as ``metadata.group``."""

_SHOWN = 20
_LONGEST = 200


@attrs.define
class Tasks:
    """A row a run whose task is known: task, what it came to and which conversation it is (as digests), place, triage score."""

    key: str = ""
    rows: list[dict[str, Any]] = attrs.field(factory=list)

    def add(self, key: str, trace: ExecutionTrace, report: ReliabilityReport, file: str, record: int) -> None:
        """One more run; nothing where it does not tell its task, or has no triage score."""
        self.key = key
        task = _task(trace, key)
        if task is None or report.triage_score is None:
            return
        outcome = came_to(TraceIndex(trace), report)
        said = [
            [
                one.role,
                one.content,
                [[c.name, c.arguments] for c in one.tool_calls],
                [r.content for r in one.tool_results],
            ]
            for one in trace.messages
        ]
        self.rows.append(
            {
                "task": redact(task)[:_LONGEST],
                "came_to": None if outcome is None else _digest(outcome.encode("utf-8", "replace")),
                "conversation": _digest(canonical(said)),
                "trace_id": report.trace_id,
                "file": redact(file),
                "record": record,
                "verdict": report.verdict,
                "triage_score": report.triage_score,
            }
        )

    def merge(self, later: "Tasks") -> None:
        """Add what comes after this one in the input."""
        self.key = self.key or later.key
        self.rows += later.rows

    def _by_task(self) -> dict[str, list[dict[str, Any]]]:
        """The runs of each task that has two or more, each conversation once."""
        tasks: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self.rows:
            tasks.setdefault(row["task"], {}).setdefault(row["conversation"], row)
        return {task: list(rows.values()) for task, rows in sorted(tasks.items()) if len(rows) > 1}

    def document(self) -> dict[str, Any] | None:
        """What ``summary.json`` holds of it; None where no key was asked for."""
        if not self.key:
            return None
        tasks = self._by_task()
        rows = []
        for runs in tasks.values():
            for run, share in zip(runs, disagreements([one["came_to"] for one in runs]), strict=True):
                score = score_beside_others(run["triage_score"], share)
                rows.append({**run, "runs": len(runs), "disagreement": share, "score": score})
        rows.sort(key=lambda row: (-row["score"], row["file"], row["record"]))
        shown = ("task", "trace_id", "file", "record", "verdict", "runs", "disagreement", "score")
        return {
            "task_key": self.key,
            "tasks": len(tasks),
            "runs": len(rows),
            "disagree": [{name: row[name] for name in shown} for row in rows if row["disagreement"]][:_SHOWN],
        }

    def lines(self) -> Iterator[str]:
        """For people."""
        document = self.document()
        if document is None:
            return
        yield f"  agreement by {self.key}: {document['runs']:,} runs of {document['tasks']:,} tasks with two or more"
        for row in document["disagree"][:5]:
            others = row["runs"] - 1
            against = round(row["disagreement"] * others)
            yield f"    {row['trace_id']} came to something else than {against} of {others} other runs of its task"


def _task(trace: ExecutionTrace, key: str) -> str | None:
    if key == REQUEST:
        return next((one.content for one in trace.messages if one.role == "user" and one.content), None)
    value: Any = {"metadata": trace.metadata}
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return str(value) if isinstance(value, (str, int)) else None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
