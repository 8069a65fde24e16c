"""The attempts at one task: judged, reflected upon and decided one after the other, until a decision ends the family.

Everything that is decided is in the record before it is acted on. What the record has already is taken from there and nobody
is asked again, so a run that was killed anywhere comes to the same decisions. What goes wrong here ends the family and never
starts another attempt.
"""

from collections.abc import Callable
from typing import Any, Protocol

import attrs

from sentinel_core.agent.detective import Attempt, Investigation, RunResult
from sentinel_core.agent.events import (
    AttemptJudged,
    AttemptReflected,
    Event,
    GuardrailChecked,
    LoopDecided,
    Outcome,
)
from sentinel_core.agent.lessons import lesson
from sentinel_core.agent.limits import SPENT
from sentinel_core.agent.record import Record
from sentinel_core.agent.resuming import RESUMABLE
from sentinel_core.agent.to_trace import to_trace
from sentinel_core.errors import SentinelError, WorkerError
from sentinel_core.reflection.facts import Reflection, Ruling
from sentinel_core.reflection.reflect import Reflector
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace, Message

__all__ = ["Checked", "Family", "Guard", "Settled", "Watching"]

_FAILED = "guardrail_failed"
_SAME_AGAIN = "The provider works by fixed rules: another attempt would be the same."
_AFTERWARDS = (AttemptJudged, AttemptReflected, GuardrailChecked, LoopDecided)


@attrs.frozen(kw_only=True)
class Checked:
    """A guardrail's ruling on an attempt that is at work."""

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

    def settle(self, loop_id: str, reflection: Reflection, live: Checked | None) -> Settled:
        """Keep what the attempt was worth and decide, once however often it is asked."""


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
        return None if checked is None else _as_event(checked.guardrail, checked.ruling, live=True)


@attrs.define(eq=False, kw_only=True)
class Family:
    """Attempts of one investigation, guarded; without a guard there is one attempt, or those that the record has.

    ``keep`` is given each finished attempt's trace, ``complain`` what went wrong, ``tell`` each decision as it is made.
    After an attempt that ended in one of ``final`` there is no other. Where the model is ``deterministic``, there is no
    second attempt at all, and the guard keeps that as the reason.
    """

    investigation: Investigation
    guard: Guard | None
    reflector: Reflector
    keep: Callable[[ExecutionTrace], Any]
    complain: Callable[[str], None]
    tell: Callable[[LoopDecided], None] = lambda _decided: None
    final: frozenset[Outcome] = frozenset()
    deterministic: bool = False

    def run(self) -> RunResult:
        """Try until it is decided to stop, then deliver what the last attempt staged, and nothing of the others."""
        attempt = self._attempt(None, None)
        while (decided := self._decided(attempt)) is not None and decided.decision == "rerun":
            attempt = self._attempt(decided, attempt)
        return self.investigation.result(attempt, self.investigation.deliver(attempt))

    def _attempt(self, granted: LoopDecided | None, before: Attempt | None) -> Attempt:
        record = self.investigation.record
        if self.guard is not None:
            self.investigation.check = Watching(record=record, guard=self.guard, complain=self.complain)
        if granted is None or before is None:
            attempt = self.investigation.attempt()
        else:
            attempt = self.investigation.attempt(granted.note, rerun_of=before.run_id, run_id=granted.new_loop_id)
        self.keep(attempt.trace)
        return attempt

    def _decided(self, attempt: Attempt) -> LoopDecided | None:
        """The decision after an attempt; None where nobody decides: without a guard, or where the attempt can go on."""
        record = self.investigation.record
        recorded = _played(record)
        if recorded and isinstance(recorded[-1], LoopDecided):
            return recorded[-1]
        if self.guard is None or attempt.outcome in RESUMABLE | SPENT | self.final:
            return None
        decided = record.emit(self._decide(self.guard, attempt, recorded))
        self.tell(decided)
        return decided

    def _decide(self, guard: Guard, attempt: Attempt, recorded: list[Event]) -> LoopDecided:
        record, loop_id = self.investigation.record, attempt.run_id
        try:
            report = guard.judge(attempt.trace)
            _once(record, recorded, _judged(loop_id, report))
            reflected = _of(AttemptReflected, recorded) or record.emit(
                _reflected(loop_id, self.reflector(attempt.trace, report))
            )
            settled = guard.settle(loop_id, _reflection(reflected), self._stopped())
        except SentinelError as error:
            self.complain(f"no rerun, because the attempt could not be decided upon: {error}")
            return _ended(loop_id, str(error))
        for name, ruling in sorted(settled.rulings.items()):
            _once(record, recorded, _as_event(name, ruling, live=False))
        return _as_decided(loop_id, settled, report)

    def _stopped(self) -> Checked | None:
        """What stands in the way of another attempt, whatever this one was worth."""
        live = _live(self.investigation.record)
        if not self.deterministic or (live is not None and live.ruling.action == "finalize"):
            return live
        return Checked(
            guardrail="host", ruling=Ruling(action="finalize", reason="deterministic_provider", detail=_SAME_AGAIN)
        )


def _played(record: Record) -> list[Event]:
    """What the record already has of the time after an attempt, up to the decision."""
    played: list[Event] = []
    while isinstance(record.upcoming, _AFTERWARDS) and not (played and isinstance(played[-1], LoopDecided)):
        played.append(record.emit(record.upcoming))
    return played


def _once(record: Record, recorded: list[Event], event: AttemptJudged | GuardrailChecked) -> None:
    """Record it, unless that was done before the run broke off."""
    who = getattr(event, "guardrail", None)
    if not any(type(one) is type(event) and getattr(one, "guardrail", None) == who for one in recorded):
        record.emit(event)


def _of(kind: type[AttemptReflected], recorded: list[Event]) -> AttemptReflected | None:
    return next((event for event in recorded if isinstance(event, kind)), None)


def _live(record: Record) -> Checked | None:
    """What stopped this attempt while it was at work."""
    for event in record.conversation:
        if isinstance(event, GuardrailChecked) and event.live and event.action != "allow":
            ruling = Ruling(action=event.action, reason=event.reason, detail=event.detail)
            return Checked(guardrail=event.guardrail, ruling=ruling)
    return None


def _at_work(trace: ExecutionTrace, new: tuple[Message, ...]) -> ExecutionTrace:
    """The trace as that of an attempt that has not ended, with the new messages only."""
    details = None if trace.details is None else attrs.evolve(trace.details, outcome=None)
    return attrs.evolve(trace, messages=new, details=details)


def _judged(loop_id: str, report: ReliabilityReport) -> AttemptJudged:
    rules = dict.fromkeys(finding.rule for finding in report.findings if finding.severity != "note")
    return AttemptJudged(
        loop_id=loop_id, verdict=report.verdict, overall_score=report.overall_score, rules=tuple(rules)
    )


def _reflected(loop_id: str, reflection: Reflection) -> AttemptReflected:
    return AttemptReflected(
        loop_id=loop_id,
        alignment_score=reflection.alignment_score,
        drift_score=reflection.drift_score,
        summary_valid=reflection.summary_valid,
        bias_tags=reflection.bias_tags,
        persona=reflection.persona or "",
        note=reflection.note,
    )


def _reflection(event: AttemptReflected) -> Reflection:
    return Reflection(
        alignment_score=event.alignment_score,
        drift_score=event.drift_score,
        summary_valid=event.summary_valid,
        bias_tags=event.bias_tags,
        persona=event.persona or None,
        note=event.note,
    )


def _as_event(guardrail: str, ruling: Ruling, *, live: bool) -> GuardrailChecked:
    return GuardrailChecked(
        guardrail=guardrail, action=ruling.action, reason=ruling.reason, detail=ruling.detail, live=live
    )


def _as_decided(loop_id: str, settled: Settled, report: ReliabilityReport) -> LoopDecided:
    if settled.decision != "rerun" or settled.new_loop_id is None:
        return LoopDecided(loop_id=loop_id, decision="finalize", reason=settled.reason, detail=settled.detail)
    return LoopDecided(
        loop_id=loop_id,
        decision="rerun",
        reason=settled.reason,
        detail=settled.detail,
        new_loop_id=settled.new_loop_id,
        note=lesson(report, settled.reason, settled.detail),
    )


def _ended(loop_id: str, why: str) -> LoopDecided:
    return LoopDecided(loop_id=loop_id, decision="finalize", reason=_FAILED, detail=why)
