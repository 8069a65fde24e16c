"""Compares runs of the same task: which of them end differently from the others. Runs that say the same count each, copies of one run once."""

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
"""The key for the user's first message; other keys are paths such as ``metadata.group``."""

_SHOWN = 20
_LONGEST = 200


@attrs.define
class Tasks:
    """A row per run with a known task: task, digests of its outcome and of its recorded times, place, triage score."""

    key: str = ""
    rows: list[dict[str, Any]] = attrs.field(factory=list)

    def add(self, key: str, trace: ExecutionTrace, report: ReliabilityReport, file: str, record: int) -> None:
        """Add a run, unless it has no task or no triage score."""
        self.key = key
        task = _task(trace, key)
        if task is None or report.triage_score is None:
            return
        outcome = came_to(TraceIndex(trace), report)
        self.rows.append(
            {
                "task": redact(task)[:_LONGEST],
                "came_to": None if outcome is None else _digest(outcome.encode("utf-8", "replace")),
                "times": _times(trace),
                "trace_id": report.trace_id,
                "file": redact(file),
                "record": record,
                "verdict": report.verdict,
                "triage_score": report.triage_score,
            }
        )

    def merge(self, later: "Tasks") -> None:
        """Add the tasks of the next part of the input."""
        self.key = self.key or later.key
        self.rows += later.rows

    def _by_task(self) -> dict[str, list[dict[str, Any]]]:
        """The runs of each task with at least two. A row with the id or the times of an earlier one is a copy of that run."""
        tasks: dict[str, list[dict[str, Any]]] = {}
        seen: set[tuple[str, str, str]] = set()
        for row in self.rows:
            marks = {(row["task"], mark, row[mark]) for mark in ("trace_id", "times") if row[mark]}
            if seen.isdisjoint(marks):
                tasks.setdefault(row["task"], []).append(row)
            seen |= marks
        return {task: rows for task, rows in sorted(tasks.items()) if len(rows) > 1}

    def document(self) -> dict[str, Any] | None:
        """The agreement part of ``summary.json``; None without a task key."""
        if not self.key:
            return None
        tasks = self._by_task()
        rows = []
        for runs in tasks.values():
            for run, share in zip(runs, disagreements([run["came_to"] for run in runs]), strict=True):
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
        """Lines for people."""
        document = self.document()
        if document is None:
            return
        yield f"  agreement by {self.key}: {document['runs']:,} runs of {document['tasks']:,} tasks that have two or more"
        for row in document["disagree"][:5]:
            others = row["runs"] - 1
            against = round(row["disagreement"] * others)
            yield f"    {row['trace_id']} ends differently from {against} of {others} other runs of its task"


def _task(trace: ExecutionTrace, key: str) -> str | None:
    if key == REQUEST:
        return next((message.content for message in trace.messages if message.role == "user" and message.content), None)
    value: Any = {"metadata": trace.metadata}
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return str(value) if isinstance(value, (str, int)) else None


def _times(trace: ExecutionTrace) -> str:
    """A digest of what was said and done when; empty where the source recorded no times. Two runs seldom have the same."""
    times = [message.timestamp for message in trace.messages]
    if not any(times):
        return ""
    said = [
        [message.role, message.content, [[call.name, call.arguments] for call in message.tool_calls], time]
        for message, time in zip(trace.messages, times, strict=True)
    ]
    return _digest(canonical(said))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
