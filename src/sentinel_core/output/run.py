"""What a run came to, for a person: the release's risk, the findings, where the files are."""

from typing import TYPE_CHECKING, Any

from sentinel_core.output.printable import clipped, printable

if TYPE_CHECKING:
    from sentinel_core.agent.summary import RunSummary

__all__ = ["BELOW_EVIDENCE", "lifted", "render_run"]

_COLORS = {"high": "31", "medium": "33", "low": "32", None: "35"}
_FINDING = 400
BELOW_EVIDENCE = "the report says less risk than the data that the agent fetched show (below_evidence)"


def render_run(run: "RunSummary", *, color: bool = False) -> str:
    """Lines of text, each ending with a line's end."""
    risk = f"{run.severity} risk" if run.severity else "no report filed"
    head = f"\x1b[{_COLORS[run.severity]}m{risk}\x1b[0m" if color else risk
    lines = [f"Release {printable(clipped(run.release_id, 80))}: {head}"]
    if run.below_evidence:
        lines.append(f"  ! WARN: {BELOW_EVIDENCE}")
    lines.extend(f"  - {printable(clipped(finding, _FINDING))}" for finding in run.findings)
    if run.severity is None and run.answer:
        lines.extend(f"  {printable(clipped(line, _FINDING))}" for line in run.answer.splitlines())
    lines.append("")
    if run.report_id:
        place = f"  {printable(run.report_path)}" if run.report_path else ""
        lines.append(f"  report {printable(run.report_id)}{place}")
    lines.append(f"  trace  {printable(run.trace_path)}")
    return "\n".join(lines) + "\n"


def lifted(agent: Any, run: "RunSummary") -> Any:
    """The agent's report, in JSON, with at least WARN where what it filed is below the evidence."""
    if not run.below_evidence or not isinstance(agent, dict) or agent.get("verdict") != "PASS":
        return agent
    return {**agent, "verdict": "WARN", "reasoning": f"{agent.get('reasoning', '')} WARN: {BELOW_EVIDENCE}.".strip()}
