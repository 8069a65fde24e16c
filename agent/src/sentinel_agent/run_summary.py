"""The result of a run as values that can be written and sent through a pipe, and as text; and its trace as a file.

The text has the release's risk, the findings and the files.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sentinel_agent.attempt_loop import AttemptFacts, attempts_of
from sentinel_agent.detective import Gate, RunResult
from sentinel_agent.events import Outcome, RunEnded
from sentinel_agent.prompts import FILE_REPORT
from sentinel_agent.run_progress import is_resumable
from sentinel_agent.severity_floor import summaries_in, why_unreadable
from sentinel_core.runtime.printable import clipped, printable
from sentinel_core.runtime.redact import redact_json
from sentinel_core.runtime.state_files import write_whole
from sentinel_core.trace import ExecutionTrace
from sentinel_core.traces.codec import encode_trace

__all__ = ["RunSummary", "heading", "lifted", "render_run", "save_run"]

_COLORS = {"high": "31", "medium": "33", "low": "32", None: "35"}
_FINDING = 400
_TAGS = 120
_GOOD = "thresholds_met"
_MOST_OBJECTIONS = 3
_UNREAD = "the release summary that the agent fetched cannot be read"
_UNDELIVERED = {
    "failed": "the report was staged but not delivered",
    "unknown": "the report was staged; whether it was delivered is unknown",
}


@attrs.frozen(kw_only=True)
class RunSummary:
    """The result of a run. ``severity`` is None if no report was filed.

    ``delivery`` is the status of the staged report's delivery, None if none was staged; ``delivery_text`` is the tool's error
    if it was not delivered. ``below_evidence``: the report's severity is below what the fetched data show, which is
    ``evidence_severity``, None if no report was filed or the data are unreadable. ``summary_fetched``: data were fetched;
    None if no report was filed. ``resumable``: the run can be resumed. ``cause`` is the limit that ended the run, the tool
    that failed to the end, an unreadable summary, or that no call filed a report; else empty. ``answered`` is False if the
    model gave no reply. ``attempts`` are all attempts; trace, outcome and answer are the last one's. ``gate`` is the
    release's risk as the host itself found it; None if not asked for. ``objections`` are the reasons for which the staged
    report was not delivered.
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
    objections: tuple[str, ...] = ()
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
            objections=result.objections,
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
    if result.objections:
        return f"its report was not delivered: {'; '.join(result.objections[:_MOST_OBJECTIONS])}"
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
        raise ValueError(f'run id "{trace.trace_id}" cannot be used as a file name')
    path = directory / "runs" / f"{trace.trace_id}.trace.json"
    write_whole(path, redact_json(encode_trace(trace)))
    return path


def render_run(run: RunSummary, *, color: bool = False) -> str:
    """Lines of text, each ending with a line's end."""
    risk = f"{run.severity} risk" if run.severity else "no report filed"
    head = f"\x1b[{_COLORS[run.severity]}m{risk}\x1b[0m" if color else risk
    lines = [f"Release {printable(clipped(run.release_id, 80))}: {head}"]
    if run.below_evidence:
        lines.append(f"  ! WARN: {_below_evidence(run)}")
    elif run.severity is not None and run.evidence_severity not in (None, run.severity):
        lines.append(f"  ! by the fixed rules, the data that the agent fetched show only {run.evidence_severity} risk")
    elif run.severity is not None and run.evidence_severity is None:
        lines.append(f"  ! {_UNREAD}, so the report could not be checked against data")
    if run.severity is not None and run.outcome != "completed":
        lines.append(f"  ! {_cut_short(run)}")
    lines.extend(f"  - {printable(clipped(finding, _FINDING))}" for finding in run.findings)
    if run.severity is None and run.delivery is not None:
        problem = _UNDELIVERED[run.delivery]
        lines.append(f"  ! {problem}: {printable(clipped(run.delivery_text, _FINDING))}")
    lines.extend(f"  ! not delivered: {printable(clipped(text, _FINDING))}" for text in run.objections)
    if run.severity is None and run.answer:
        lines.extend(f"  {printable(clipped(line, _FINDING))}" for line in run.answer.splitlines())
    lines.append("")
    if run.report_id:
        place = f"  {printable(run.report_path)}" if run.report_path else ""
        lines.append(f"  report {printable(run.report_id)}{place}")
    lines.append(f"  trace  {printable(run.trace_path)}")
    lines.extend(_family(run.attempts))
    return "\n".join(lines) + "\n"


def heading(run: RunSummary) -> str:
    """The heading above the verdict on the agent, which is based on its trace alone."""
    if run.severity is None:
        return (
            "The verdict on the agent, from its trace alone; without a report the run has failed, whatever the verdict:"
        )
    if run.below_evidence:
        return f"The verdict on the agent is at least WARN, because {_below_evidence(run)}. From its trace alone:"
    return "The verdict on the agent:"


def _family(attempts: tuple[AttemptFacts, ...]) -> Iterator[str]:
    """Every attempt and the decision after it; nothing for a single attempt that met the thresholds without a note."""
    if len(attempts) == 1 and attempts[0].reason in (None, _GOOD) and not attempts[0].reflection_note:
        return
    yield ""
    for number, attempt in enumerate(attempts, 1):
        yield f"  attempt {number}  {printable(attempt.loop_id)}  {', '.join(_facts(attempt))}"
        if attempt.decision is not None:
            yield printable(f"    {attempt.decision}: {attempt.reason}. {clipped(attempt.detail, _FINDING)}".rstrip())
        if attempt.reflection_note:
            yield printable(f"    {clipped(attempt.reflection_note, _FINDING)}")


def _facts(attempt: AttemptFacts) -> Iterator[str]:
    if attempt.outcome not in (None, "completed"):
        yield attempt.outcome + (f" by {printable(attempt.stopped_by)}" if attempt.stopped_by else "")
    yield attempt.verdict or "not judged"
    if attempt.alignment_score is not None:
        yield f"alignment {attempt.alignment_score:.3g}"
        yield f"drift {attempt.drift_score:.3g}"
    if attempt.summary_valid is False:
        yield "no valid summary"
    if attempt.bias_tags:
        yield f"bias {printable(clipped(' '.join(attempt.bias_tags), _TAGS))}"


def lifted(agent: Any, run: RunSummary) -> Any:
    """The agent's report as JSON, raised to WARN if the filed severity is below the evidence."""
    if not run.below_evidence or not isinstance(agent, dict) or agent.get("verdict") not in ("PASS", "WARN"):
        return agent
    reasoning = f"{agent.get('reasoning', '')} WARN: {_below_evidence(run)}.".strip()
    return {**agent, "verdict": "WARN", "reasoning": reasoning}


def _cut_short(run: RunSummary) -> str:
    """The warning for a report that was delivered before the agent was done."""
    why = "the model's last reply was cut off" if run.outcome == "truncated" else run.cause
    end = f"the run was ended by {run.outcome}" + (f": {printable(clipped(why, _FINDING))}" if why else "")
    return f"{end}; the investigation behind the report is unfinished"


def _below_evidence(run: RunSummary) -> str:
    if run.summary_fetched is False:
        return "the agent fetched no summary of the release, so its risk cannot be low (below_evidence)"
    if run.evidence_severity is None:
        return f"the report says low risk, but {_UNREAD}; an unknown risk is treated as medium (below_evidence)"
    return f"the report says {run.severity} risk, but the data that the agent fetched show {run.evidence_severity} (below_evidence)"
