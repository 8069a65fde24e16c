"""The parent's counts of verdicts, and which plugin a dead child process is blamed on."""

from collections.abc import Mapping
from typing import Final, Protocol

from sentinel_core.errors import ERROR, WorkerDied, WorkerError, WorkerTimeout
from sentinel_core.evaluate.foreign import describe
from sentinel_core.judging.records import Death, Readable, Unreadable
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.isolate import SIGKILL
from sentinel_core.runtime.watch import AtWork

__all__ = ["NO_VERDICT", "Spared", "Tally", "crash_error", "dead_at", "death_of", "fault_of", "with_error"]

NO_VERDICT: Final = "no verdict"


class Tally:
    """How many reports of each verdict, how many records could not be read, whether anything else went wrong, and the tasks met.

    ``latest`` is the file that ``--latest`` found.
    """

    def __init__(self, *, broken: bool = False) -> None:
        self.counts = dict.fromkeys(("PASS", "WARN", "FAIL", NO_VERDICT, "unreadable"), 0)
        self.broken = broken
        self.latest = ""
        self.tasks = set[str]()

    @property
    def total(self) -> int:
        """The number of records so far."""
        return sum(self.counts.values())

    def exit_code(self, fail_on: str) -> int:
        """3 if anything could not be judged, else the worst verdict's code, if ``fail_on`` makes that verdict count."""
        if self.broken or not self.total or self.counts["unreadable"] or self.counts[NO_VERDICT]:
            return ERROR
        if self.counts["FAIL"] and fail_on != "never":
            return 2
        return 1 if self.counts["WARN"] and fail_on == "warn" else 0


class Spared:
    """Blames no plugin for the first SIGKILL at a place: it may have come from outside."""

    def __init__(self) -> None:
        self._at: AtWork | None = None

    def __call__(self, error: WorkerError) -> bool:
        """Whether this death is blamed on no plugin."""
        at_work = AtWork.parse(error.mark)
        if not isinstance(error, WorkerDied) or error.signal != SIGKILL or at_work == self._at:
            return False
        self._at = at_work
        return True


def death_of(error: WorkerError) -> Death | None:
    """The plugin that was at work; None if there was none."""
    at_work = AtWork.parse(error.mark)
    return None if at_work is None else Death(at_work=at_work, error=str(error))


def fault_of(error: WorkerError, where: str = "") -> str:
    """The message if no plugin was at work; ``where`` it stopped follows the verb."""
    hint = " (--timeout sets the time limit for one record)" if isinstance(error, WorkerTimeout) else ""
    last = AtWork.parse(error.last)
    who = f' (the last was "{last.label}")' if last is not None and last.label else ""
    return f"the judging process stopped{where} while no plugin was running{who}: {error}{hint}"


_OUT_OF_MEMORY = describe(MemoryError())  # running out of memory, if Python can still raise it


class _Deaths(Protocol):
    @property
    def deaths(self) -> tuple[Death, ...]:
        """How earlier children ended."""


def dead_at(plan: _Deaths, item: int, crashes: Mapping[tuple[int, str], str] | None = None) -> dict[str, str]:
    """The signals that ended an earlier child, or now their own process, at this record: name to error."""
    own = {name: error for (place, name), error in crashes.items() if place == item} if crashes else {}
    return own | {
        death.at_work.label.partition(":")[2]: death.error
        for death in plan.deaths
        if death.at_work.stage == "detect" and death.at_work.item == item
    }


def crash_error(report: ReliabilityReport, outcome: Readable, dead: Mapping[str, str]) -> Unreadable | None:
    """The crashes of weighted signals at this record, ``dead_at`` it, as an error with its place; None if there were none.

    A crash of an advisory signal is not an error.
    """
    weighted = [failure for failure in report.failures if not failure.advisory]
    if not weighted:
        return None
    crashes = [
        f'plugin "signals:{failure.signal_name}" {failure.error}'
        for failure in weighted
        if failure.signal_name in dead or failure.error.startswith(_OUT_OF_MEMORY)
    ]
    if not crashes:
        return None
    return Unreadable(message="; ".join(crashes), source=outcome.source, label=outcome.label, line=outcome.line)


def with_error(data: bytes, error: Unreadable | None) -> bytes:
    """A JSON object with ``error`` as its last field."""
    return data if error is None else data[:-1] + b"," + error.rendered()[1:]
