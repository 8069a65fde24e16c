"""The result of a run as values that can be printed, written and sent through a pipe; and its trace as a file."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sentinel_core.agent.attempt_loop import AttemptFacts, attempts_of
from sentinel_core.agent.detective import Gate, RunResult
from sentinel_core.agent.events import Outcome, RunEnded
from sentinel_core.agent.prompts import FILE_REPORT
from sentinel_core.agent.run_progress import is_resumable
from sentinel_core.agent.severity_floor import summaries_in, why_unreadable
from sentinel_core.runtime.redact import redact_json
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_trace

__all__ = ["RunSummary", "save_run"]


@attrs.frozen(kw_only=True)
class RunSummary:
    """The result of a run. ``severity`` is None if no report was filed.

    ``delivery`` is the status of the staged report's delivery, None if none was staged; ``delivery_text`` is the tool's error
    if it was not delivered. ``below_evidence``: the report's severity is below what the fetched data show, which is
    ``evidence_severity``, None if no report was filed or the data are unreadable. ``summary_fetched``: data were fetched;
    None if no report was filed. ``resumable``: the run can be resumed. ``cause`` is the limit that ended the run, the tool
    that failed to the end, an unreadable summary, or that no call filed a report; else empty. ``answered`` is False if the
    model gave no reply. ``attempts`` are all attempts; trace, outcome and answer are the last one's. ``gate`` is the
    release's risk as the host itself found it; None if not asked for.
    """

    run_id: str
    release_id: str
    provider: str
    outcome: str
    answer: str
    severity: str | None
    findings: tuple[str, ...]
    report_id: str | None
    report_path: str | None
    trace_path: str
    error: str | None
    delivery: str | None = None
    delivery_text: str = ""
    below_evidence: bool = False
    evidence_severity: str | None = None
    summary_fetched: bool | None = None
    resumable: bool = False
    attempts: tuple[AttemptFacts, ...] = ()
    cause: str = ""
    answered: bool = True
    gate: Gate | None = None

    @classmethod
    def of(
        cls, result: RunResult, provider: str, path: Path, *, judged: Collection[Outcome], gate: Gate | None = None
    ) -> "RunSummary":
        """From the agent's result. ``judged`` are the outcomes that a guard decides upon, empty without a guard."""
        return cls(
            run_id=result.run_id,
            release_id=result.release_id,
            provider=provider,
            outcome=result.outcome,
            answer=result.answer,
            severity=result.severity,
            findings=result.findings,
            report_id=result.report_id,
            report_path=result.report.path if result.report else None,
            trace_path=str(path),
            error=result.error,
            delivery=result.delivery.status if result.delivery else None,
            delivery_text=result.delivery.content if result.delivery and not result.report else "",
            below_evidence=result.report.below_evidence if result.report else False,
            evidence_severity=result.report.evidence if result.report else None,
            summary_fetched=result.report.fetched if result.report else None,
            resumable=is_resumable(result.events, judged=judged),
            attempts=attempts_of(result.events),
            cause=_cause(result),
            gate=gate,
            answered=any(message.role == "assistant" for message in result.trace.messages),
        )

    def to_json(self) -> bytes:
        """As JSON for the pipe, without secrets."""
        return redact_json(msgspec.json.encode(self))

    @classmethod
    def from_json(cls, data: bytes) -> "RunSummary":
        """From the pipe."""
        return msgspec.json.decode(data, type=cls)

    def as_dict(self) -> dict[str, Any]:
        """For the JSON output."""
        return attrs.asdict(self)


def _cause(result: RunResult) -> str:
    """The last attempt's limit; else the last failure of a tool that did not succeed later, and other reasons."""
    end = next((event for event in reversed(result.events) if isinstance(event, RunEnded)), None)
    if end is not None and end.detail:
        return end.detail
    names: dict[str, str] = {}
    failed: dict[str | None, str] = {}
    for message in result.trace.messages:
        names.update({call.id: call.name for call in message.tool_calls})
        for answer in message.tool_results:
            failed.pop(names.get(answer.tool_call_id), None)
            if not answer.success:
                failed[names.get(answer.tool_call_id)] = answer.content
    causes = [*failed.values()][-1:]
    causes.extend(filter(None, map(why_unreadable, [*summaries_in(result.trace.messages, result.release_id)][-1:])))
    if result.outcome == "completed" and FILE_REPORT not in names.values():
        causes.append(f"the agent never called {FILE_REPORT}")
    return "; ".join(causes)


_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def save_run(trace: ExecutionTrace, directory: Path) -> Path:
    """Write a run's trace to ``<directory>/runs/<run id>.trace.json`` and return the path.

    Secrets are removed. The write is atomic and replaces an older file of the same run. New folders have mode 0700, the file
    0600. Raises ``ValueError`` for a run id that is not a plain name, and ``OSError``.
    """
    if not _RUN_ID.fullmatch(trace.trace_id):
        raise ValueError(f'run id "{trace.trace_id}" cannot be a file name')
    path = directory / "runs" / f"{trace.trace_id}.trace.json"
    write_whole(path, redact_json(encode_trace(trace)))
    return path
