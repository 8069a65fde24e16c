"""What the parent counts, and whom it blames."""

from sentinel_core.errors import ERROR, WorkerError, WorkerTimeout
from sentinel_core.judging.records import Death
from sentinel_core.runtime.watch import AtWork

__all__ = ["VERDICTS", "Tally", "death_of", "fault_of"]

VERDICTS = {b"P": "PASS", b"W": "WARN", b"F": "FAIL", b"-": "no verdict"}


class Tally:
    """How many reports of each verdict, how many records could not be read, and whether anything else went wrong."""

    def __init__(self, *, broken: bool = False) -> None:
        self.counts = dict.fromkeys((*VERDICTS.values(), "unreadable"), 0)
        self.broken = broken

    @property
    def total(self) -> int:
        """Items told so far."""
        return sum(self.counts.values())

    def exit_code(self, fail_on: str) -> int:
        """3 where anything could not be judged, else that of the worst verdict, as far as ``fail_on`` lets it count."""
        if self.broken or not self.total or self.counts["unreadable"] or self.counts["no verdict"]:
            return ERROR
        if self.counts["FAIL"] and fail_on != "never":
            return 2
        return 1 if self.counts["WARN"] and fail_on == "warn" else 0


def death_of(mark: str, error: WorkerError, timeout: float) -> Death | None:
    """Who was at work, from the child's mark; None where it was no plugin."""
    at_work = AtWork.parse(mark)
    if at_work is None:
        return None
    return Death(at_work=at_work, error=_how(error, timeout))


def fault_of(error: WorkerError, timeout: float, where: str = "") -> str:
    """What is said where no plugin was at work; ``where`` it stopped follows the verb."""
    hint = " (--timeout sets how long a record may take)" if isinstance(error, WorkerTimeout) else ""
    return f"the process that judges stopped{where} and no plugin was at work: {_how(error, timeout)}{hint}"


def _how(error: WorkerError, timeout: float) -> str:
    return f"did not finish within {timeout:g} s" if isinstance(error, WorkerTimeout) else str(error)
