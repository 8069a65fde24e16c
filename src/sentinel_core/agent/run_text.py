"""The result of a run as text: the release's risk, the findings, the files."""

from typing import TYPE_CHECKING, Any

from sentinel_core.runtime.printable import clipped, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sentinel_core.agent.attempt_loop import AttemptFacts
    from sentinel_core.agent.run_summary import RunSummary

__all__ = ["heading", "lifted", "render_run"]

_COLORS = {"high": "31", "medium": "33", "low": "32", None: "35"}
_FINDING = 400
_TAGS = 120
_GOOD = "thresholds_met"
_UNREAD = "the release summary that the agent fetched cannot be read"
_UNDELIVERED = {
    "failed": "the report was staged but not delivered",
    "unknown": "the report was staged; whether it was delivered is unknown",
}


def render_run(run: "RunSummary", *, color: bool = False) -> str:
    """Lines of text, each ending with a line's end."""
    risk = f"{run.severity} risk" if run.severity else "no report filed"
    head = f"\x1b[{_COLORS[run.severity]}m{risk}\x1b[0m" if color else risk
    lines = [f"Release {printable(clipped(run.release_id, 80))}: {head}"]
    if run.below_evidence:
        lines.append(f"  ! WARN: {_below_evidence(run)}")
    elif run.severity is not None and run.evidence_severity is None:
        lines.append(f"  ! {_UNREAD}, so the report could not be checked against data")
    if run.severity is not None and run.outcome != "completed":
        lines.append(f"  ! {_cut_short(run)}")
    lines.extend(f"  - {printable(clipped(finding, _FINDING))}" for finding in run.findings)
    if run.severity is None and run.delivery is not None:
        problem = _UNDELIVERED[run.delivery]
        lines.append(f"  ! {problem}: {printable(clipped(run.delivery_text, _FINDING))}")
    if run.severity is None and run.answer:
        lines.extend(f"  {printable(clipped(line, _FINDING))}" for line in run.answer.splitlines())
    lines.append("")
    if run.report_id:
        place = f"  {printable(run.report_path)}" if run.report_path else ""
        lines.append(f"  report {printable(run.report_id)}{place}")
    lines.append(f"  trace  {printable(run.trace_path)}")
    lines.extend(_family(run.attempts))
    return "\n".join(lines) + "\n"


def heading(run: "RunSummary") -> str:
    """The heading above the verdict on the agent, which is based on its trace alone."""
    if run.severity is None:
        return (
            "The verdict on the agent, from its trace alone; without a report the run has failed, whatever the verdict:"
        )
    if run.below_evidence:
        return f"The verdict on the agent is at least WARN, because {_below_evidence(run)}. From its trace alone:"
    return "The verdict on the agent:"


def _family(attempts: "tuple[AttemptFacts, ...]") -> "Iterator[str]":
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


def _facts(attempt: "AttemptFacts") -> "Iterator[str]":
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


def lifted(agent: Any, run: "RunSummary") -> Any:
    """The agent's report as JSON, raised to WARN if the filed severity is below the evidence."""
    if not run.below_evidence or not isinstance(agent, dict) or agent.get("verdict") != "PASS":
        return agent
    reasoning = f"{agent.get('reasoning', '')} WARN: {_below_evidence(run)}.".strip()
    return {**agent, "verdict": "WARN", "reasoning": reasoning}


def _cut_short(run: "RunSummary") -> str:
    """The warning for a report that was delivered before the agent was done."""
    why = "the model's last reply was cut off" if run.outcome == "truncated" else run.cause
    end = f"the run was ended by {run.outcome}" + (f": {printable(clipped(why, _FINDING))}" if why else "")
    return f"{end}; the investigation behind the report is unfinished"


def _below_evidence(run: "RunSummary") -> str:
    if run.summary_fetched is False:
        return "the agent fetched no summary of the release, so its risk cannot be low (below_evidence)"
    if run.evidence_severity is None:
        return f"the report says low risk, but {_UNREAD}; an unknown risk counts as medium (below_evidence)"
    return f"the report says {run.severity} risk, but the data that the agent fetched show {run.evidence_severity} (below_evidence)"
