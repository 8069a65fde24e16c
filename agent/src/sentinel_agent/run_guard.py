"""The guard of a run: its interface, and the live check that shows it each message of an attempt."""

from collections.abc import Callable
from typing import Protocol

import attrs

from sentinel_agent.conversation import to_trace
from sentinel_agent.events import GuardrailChecked
from sentinel_agent.recorder import Record
from sentinel_core.errors import WorkerError
from sentinel_core.guardrails.facts import Reflection, Ruling
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace, Message

__all__ = ["Checked", "Guard", "Settled", "Watching", "checked_event"]


@attrs.frozen(kw_only=True)
class Checked:
    """A ruling on an attempt and the guardrail that made it; the host itself is ``host``."""

    guardrail: str
    ruling: Ruling


@attrs.frozen(kw_only=True)
class Settled:
    """The decision after an attempt, and each guardrail's ruling."""

    decision: str
    reason: str
    detail: str = ""
    new_loop_id: str | None = None
    rulings: dict[str, Ruling] = attrs.field(factory=dict)


class Guard(Protocol):
    """Judges and decides, here or in another process. Every method may raise ``WorkerError``, which ends the family."""

    def watch(self, trace: ExecutionTrace) -> Checked | None:
        """Look at an attempt under way: ``trace`` has the messages since the last look, and the usage so far."""

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report on a finished attempt."""

    def settle(self, loop_id: str, reflection: Reflection, stopped: Checked | None) -> Settled:
        """Store the reflection and decide; a second call gives the same decision.

        ``stopped`` is a ruling that forbids another attempt, whatever the scores of this one.
        """


@attrs.define(eq=False, kw_only=True)
class Watching:
    """The live check of one attempt: shows the guard each message as it happens."""

    record: Record
    guard: Guard
    warn: Callable[[str], None]
    _seen: int = attrs.field(default=0, init=False)
    _has_failed: bool = attrs.field(default=False, init=False)

    def __call__(self, _messages: object) -> GuardrailChecked | None:
        """The ruling that stops the attempt, if any. A guard that fails is reported once; the attempt goes on unwatched."""
        if self._has_failed:
            return None
        trace = to_trace(self.record.conversation)
        new, self._seen = trace.messages[self._seen :], len(trace.messages)
        try:
            checked = self.guard.watch(_at_work(trace, new))
        except WorkerError as error:
            self._has_failed = True
            self.warn(f"the attempt is no longer monitored: {error}")
            return None
        return None if checked is None else checked_event(checked.guardrail, checked.ruling, live=True)


def checked_event(guardrail: str, ruling: Ruling, *, live: bool) -> GuardrailChecked:
    """The event that records a ruling."""
    return GuardrailChecked(
        guardrail=guardrail, action=ruling.action, reason=ruling.reason, detail=ruling.detail, live=live
    )


def _at_work(trace: ExecutionTrace, new: tuple[Message, ...]) -> ExecutionTrace:
    """The trace with the new messages only, and without an outcome, because the attempt has not ended."""
    details = None if trace.details is None else attrs.evolve(trace.details, outcome=None)
    return attrs.evolve(trace, messages=new, details=details)
