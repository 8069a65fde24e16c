"""What the offline detective says. It claims nothing that a tool's result has not confirmed."""

from collections.abc import Sequence

from sentinel_core.agent.risk.rules import Assessment
from sentinel_core.trace import to_json

__all__ = ["cut", "filed", "missing_tools", "no_summary", "no_task", "not_filed", "staged", "unknown", "unreadable"]

_NO_MODEL = "No language model was used: fixed rules gave this answer."


def no_task() -> str:
    """For a message that is not the detective's task."""
    return f"{_NO_MODEL} They can only investigate a release, and this message does not name one."


def missing_tools(names: Sequence[str]) -> str:
    """Where a tool that the task needs is not on offer."""
    return f"Without the tool {' and '.join(names)} the release cannot be investigated. {_NO_MODEL}"


def no_summary(release_id: str, problem: str) -> str:
    """Where the summary could not be had."""
    return (
        f"The summary of release {_quoted(release_id)} could not be fetched, so its risk is unknown and there is no "
        f"report. The tool said: {problem}\n{_NO_MODEL}"
    )


def unreadable(release_id: str, problem: str) -> str:
    """Where the summary came, and is nothing to judge by."""
    return (
        f"The summary of release {_quoted(release_id)} cannot be read, so its risk is unknown and there is no report: "
        f"{problem}.\n{_NO_MODEL}"
    )


def cut(risk: str) -> str:
    """The finding on a summary of which only a part was kept."""
    return f"the summary is longer than max_result_chars and was cut; the whole of it shows {risk} risk"


def staged(release_id: str, assessment: Assessment) -> str:
    """Where the report waits for the end of the run."""
    return (
        f"{_risk(release_id, assessment)} The risk report is staged; it is delivered when this run is over.\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def filed(release_id: str, assessment: Assessment, report_id: str | None) -> str:
    """Where the report was taken."""
    where = f"under the id {report_id}" if report_id else "but the tool gave no report id"
    return f"{_risk(release_id, assessment)} The risk report was filed {where}.\n{_reasons(assessment)}\n{_NO_MODEL}"


def not_filed(release_id: str, assessment: Assessment, problem: str) -> str:
    """Where the report was refused, twice."""
    return (
        f"{_risk(release_id, assessment)} The risk report could not be filed. The tool said: {problem}\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def unknown(release_id: str, assessment: Assessment, problem: str) -> str:
    """Where filing was cut off: it may have been taken, so it is not tried again."""
    return (
        f"{_risk(release_id, assessment)} Whether the risk report was filed is unknown. The tool said: {problem}\n"
        f"{_reasons(assessment)}\n{_NO_MODEL}"
    )


def _risk(release_id: str, assessment: Assessment) -> str:
    return f"The risk of release {_quoted(release_id)} is {assessment.severity}."


def _reasons(assessment: Assessment) -> str:
    return "\n".join(["What decided it:", *(f"- {fact.text}" for fact in assessment.deciding)])


def _quoted(release_id: str) -> str:
    return to_json(release_id).decode()
