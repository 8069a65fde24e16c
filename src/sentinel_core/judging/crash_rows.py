"""Records that a signal died of: the row of such a record is its report and an error, as that of an unreadable one is."""

from typing import Protocol

from sentinel_core.evaluate.evaluator import describe
from sentinel_core.judging.records import Death, Readable, Unreadable
from sentinel_core.report import ReliabilityReport

__all__ = ["dead_at", "fatal", "with_error"]

_OUT_OF_MEMORY = describe(MemoryError())  # a death that Python turns into an exception, where it can


class _Deaths(Protocol):
    @property
    def deaths(self) -> tuple[Death, ...]:
        """What ended earlier children."""


def dead_at(plan: _Deaths, item: int) -> dict[str, str]:
    """By name the signals that ended an earlier child at this record, and how."""
    return {
        death.at_work.label.partition(":")[2]: death.error
        for death in plan.deaths
        if death.at_work.stage == "detect" and death.at_work.item == item
    }


def fatal(report: ReliabilityReport, outcome: Readable, plan: _Deaths, item: int) -> Unreadable | None:
    """What a weighted signal died of at this record, with its place; None where none did. Advisory ones may die."""
    weighted = [failure for failure in report.failures if not failure.advisory]
    if not weighted:
        return None
    dead = dead_at(plan, item)
    told = [
        f'plugin "signals:{failure.signal_name}" {failure.error}'
        for failure in weighted
        if failure.signal_name in dead or failure.error.startswith(_OUT_OF_MEMORY)
    ]
    if not told:
        return None
    return Unreadable(message="; ".join(told), source=outcome.source, label=outcome.label, line=outcome.line)


def with_error(data: bytes, error: Unreadable | None) -> bytes:
    """A JSON object with ``error`` as its last field."""
    return data if error is None else data[:-1] + b"," + error.rendered()[1:]
