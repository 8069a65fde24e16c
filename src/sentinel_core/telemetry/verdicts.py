"""Verdicts as telemetry: one ``gen_ai.evaluation.result`` for each signal and one for the verdict, on the judged span."""

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from sentinel_core.errors import ConfigError
from sentinel_core.report import ReliabilityReport, SignalScore
from sentinel_core.runtime.state_files import append_lines, check_writable
from sentinel_core.telemetry.data import Attribute, LogData
from sentinel_core.telemetry.encode import is_json_line, log_lines
from sentinel_core.telemetry.names import ROOT_SPAN, root_span_id_of, trace_id_of
from sentinel_core.trace import ExecutionTrace

__all__ = ["Emission", "judged_span", "verdict_logs"]

EVENT = "gen_ai.evaluation.result"
_SEVERITY = {"PASS": 9, "WARN": 13, "FAIL": 17}
_VERDICTS = {"error": "FAIL", "warning": "WARN", "note": "PASS"}
_OPEN_ID = re.compile(r"[0-9a-f]{32}")


def judged_span(trace: ExecutionTrace) -> tuple[str, str]:
    """The trace id and span id of a verdict on this trace; empty for traces that do not come from OpenTelemetry."""
    if trace.details is not None and trace.details.source == "sentinel":
        trace_id = trace_id_of(trace.trace_id)
        return trace_id, root_span_id_of(trace_id)
    if _OPEN_ID.fullmatch(trace.trace_id) is None:
        return "", ""
    span_id = trace.metadata.get(ROOT_SPAN)
    return trace.trace_id, span_id if isinstance(span_id, str) else ""


def verdict_logs(
    report: ReliabilityReport, trace_id: str, span_id: str, at: int, evaluation_id: str | None = None
) -> list[LogData]:
    """The records of one report, its signals first. ``at`` is in nanoseconds since 1970.

    ``evaluation_id`` names the command that judged it.
    """
    own: dict[str, Attribute] = {} if evaluation_id is None else {"sentinel.evaluation.id": evaluation_id}
    rows = [*_signal_rows(report), _verdict_row(report)]
    return [
        LogData(
            time=at,
            severity=_SEVERITY.get(str(row.get("gen_ai.evaluation.score.label")), 13),  # type: ignore[arg-type]
            body=EVENT,
            attributes={name: value for name, value in row.items() if value is not None} | own,
            trace_id=trace_id,
            span_id=span_id,
            event_name=EVENT,
        )
        for row in rows
    ]


def _signal_rows(report: ReliabilityReport) -> Iterator[dict[str, Attribute | None]]:
    for score in report.signal_scores:
        yield {
            "gen_ai.evaluation.name": f"sentinel.{score.signal_name}",
            "gen_ai.evaluation.score.value": score.score,
            "gen_ai.evaluation.score.label": _label(score, report),
            "gen_ai.evaluation.explanation": score.details,
        }
    for failure in report.failures:
        yield {
            "gen_ai.evaluation.name": f"sentinel.{failure.signal_name}",
            "gen_ai.evaluation.explanation": failure.error,
            "error.type": "signal_failed",
        }


def _label(score: SignalScore, report: ReliabilityReport) -> str | None:
    """The verdict that this signal alone gives, by its findings and the critical thresholds; None if it was not measured."""
    if score.score is None:
        return None
    profile, name = report.profile, score.signal_name
    fired = {
        rule["verdict"]
        for rule in profile.get("critical", ())
        if rule["signal_name"] == name and score.score >= rule["threshold"]
    }
    if profile.get("findings_decide"):
        found = {finding.severity for finding in report.findings if finding.rule.startswith(f"{name}.")}
        fired = set() if found == {"note"} else fired
        fired |= {_VERDICTS[severity] for severity in found if score.weight}
    return next((verdict for verdict in ("FAIL", "WARN") if verdict in fired), "PASS")


def _verdict_row(report: ReliabilityReport) -> dict[str, Attribute | None]:
    findings = tuple(finding.rule for finding in report.findings)
    return {
        "gen_ai.evaluation.name": "sentinel.verdict",
        "gen_ai.evaluation.score.label": report.verdict,
        "gen_ai.evaluation.explanation": report.reasoning,
        "sentinel.risk": report.overall_score,
        "sentinel.trace_id": report.trace_id,
        "sentinel.rules": findings or None,
    }


def _new_id() -> str:
    return os.urandom(8).hex()


@attrs.frozen
class Emission:
    """Where verdicts go: appended to a file, one per line, and to a collector if ``endpoint`` names one.

    The parent calls ``prepared`` and ``finish``; the judging process calls ``lines`` and ``write``. Other commands may
    append to the same file, so each line has its command's ``evaluation_id``. ``start`` is the file's size before;
    ``problems`` are the write errors of this process.
    """

    path: Path
    endpoint: str | None = None
    start: int = 0
    evaluation_id: str = attrs.field(factory=_new_id)
    problems: list[str] = attrs.field(factory=list, init=False, eq=False)

    @classmethod
    def of(cls, directory: Path, name: str = "verdicts", endpoint: str | None = None) -> "Emission":
        """Verdicts in ``<directory>/logs/<name>.otlp.jsonl``."""
        return cls(directory / "logs" / f"{name}.otlp.jsonl", endpoint)

    def prepared(self) -> "Emission":
        """A copy that starts at the file's current end. Raises ``ConfigError`` if it cannot write or send."""
        if self.endpoint is not None:
            from sentinel_core.telemetry.send import check_endpoint

            check_endpoint(self.endpoint)
        try:
            return attrs.evolve(self, start=check_writable(self.path))
        except OSError as error:
            raise ConfigError(f'"{self.path}": {error.strerror}; verdicts cannot be written there') from None

    def lines(self, report: ReliabilityReport, trace_id: str, span_id: str) -> bytes:
        """One report's verdicts as lines of OTLP JSON."""
        return b"".join(log_lines(verdict_logs(report, trace_id, span_id, time.time_ns(), self.evaluation_id)))

    def write(self, lines: bytes) -> str | None:
        """Append lines of verdicts; return why that failed, each reason once.

        A full disk loses the verdict's event, not the verdict.
        """
        try:
            append_lines(self.path, [lines])
        except OSError as error:
            problem = f"verdicts were not written: {error.strerror}"
            if problem not in self.problems:
                self.problems.append(problem)
                return problem
        return None

    def finish(self) -> None:
        """Send the whole lines that were written since ``prepared``. Raises ``OSError`` and ``Unsent``."""
        if self.endpoint is None or not self.path.exists():
            return
        from sentinel_core.telemetry.send import send

        own = self.evaluation_id.encode()
        with self.path.open("rb") as file:
            file.seek(self.start)
            send(self.endpoint, "logs", (line for line in file if own in line and is_json_line(line)))
