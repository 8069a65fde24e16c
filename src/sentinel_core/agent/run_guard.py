"""What guards a run: the interface of whoever judges and decides, and the live check that shows it an attempt at work."""

from collections.abc import Callable
from typing import Protocol

import attrs

from sentinel_core.agent.conversation import to_trace
from sentinel_core.agent.events import GuardrailChecked
from sentinel_core.agent.recorder import Record
from sentinel_core.errors import WorkerError
from sentinel_core.guardrails.facts import Reflection, Ruling
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace, Message

__all__ = ["Checked", "Guard", "Settled", "Watching", "checked_event"]


@attrs.frozen(kw_only=True)
class Checked:
    """Who rules on an attempt, at work or just ended, and what: a guardrail, or the host itself as ``host``."""

    guardrail: str
    ruling: Ruling


@attrs.frozen(kw_only=True)
class Settled:
    """What was decided after an attempt, and what each guardrail said."""

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
        """Keep what the attempt was worth and decide, once however often it is asked.

        ``stopped`` is what stands in the way of another attempt, whatever this one was worth.
        """


@attrs.define(eq=False, kw_only=True)
class Watching:
    """The live check of one attempt: shows the guard each message as it happens."""

    record: Record
    guard: Guard
    complain: Callable[[str], None]
    _seen: int = attrs.field(default=0, init=False)
    _is_blind: bool = attrs.field(default=False, init=False)

    def __call__(self, _messages: object) -> GuardrailChecked | None:
        """What stops the attempt, if anything does. A guard that fails is told once, and the attempt goes on unwatched."""
        if self._is_blind:
            return None
        trace = to_trace(self.record.conversation)
        new, self._seen = trace.messages[self._seen :], len(trace.messages)
        try:
            checked = self.guard.watch(_at_work(trace, new))
        except WorkerError as error:
            self._is_blind = True
            self.complain(f"the attempt is no longer watched: {error}")
            return None
        return None if checked is None else checked_event(checked.guardrail, checked.ruling, live=True)


def checked_event(guardrail: str, ruling: Ruling, *, live: bool) -> GuardrailChecked:
    """What goes on the record."""
    return GuardrailChecked(
        guardrail=guardrail, action=ruling.action, reason=ruling.reason, detail=ruling.detail, live=live
    )


def _at_work(trace: ExecutionTrace, new: tuple[Message, ...]) -> ExecutionTrace:
    """The trace as that of an attempt that has not ended, with the new messages only."""
    details = None if trace.details is None else attrs.evolve(trace.details, outcome=None)
    return attrs.evolve(trace, messages=new, details=details)
