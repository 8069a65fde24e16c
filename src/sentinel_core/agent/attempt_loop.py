"""The attempts at one task: judged, reflected upon and decided one after the other, until a decision ends the family.

Everything that is decided is in the record before it is acted on. What the record has already is taken from there and nobody
is asked again, so a run that was killed anywhere comes to the same decisions. What goes wrong here ends the family and never
starts another attempt.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import attrs

from sentinel_core.agent.conversation import message_of
from sentinel_core.agent.detective import Attempt, Investigation, RunResult
from sentinel_core.agent.events import (
    AttemptJudged,
    AttemptReflected,
    Event,
    GuardrailChecked,
    LoopDecided,
    Outcome,
    ReflectorAsked,
    RunEnded,
    RunStarted,
)
from sentinel_core.agent.feedback import feedback_text
from sentinel_core.agent.limits import Limit, judged_ends, used_up
from sentinel_core.agent.recorder import Record
from sentinel_core.agent.reflection.by_rules import Reflector, reflect_by_rules
from sentinel_core.agent.risk.rules import Risk
from sentinel_core.agent.run_guard import Checked, Guard, Settled, Watching, checked_event
from sentinel_core.agent.staging import staged_report
from sentinel_core.errors import SentinelError
from sentinel_core.guardrails.facts import FAILED, Reflection, Ruling
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace

__all__ = ["AttemptFacts", "Family", "attempts_of"]

_NOTHING_STAGED = "The attempt ended without a staged report."
_SAME_AGAIN = "The provider works by fixed rules: another attempt would be the same."
_AFTERWARDS = (AttemptJudged, ReflectorAsked, AttemptReflected, GuardrailChecked, LoopDecided)


@attrs.define(eq=False, kw_only=True)
class Family:
    """Attempts of one investigation, guarded; without a guard there is one attempt, or those that the record has.

    ``keep`` is given each finished attempt's trace, ``complain`` what went wrong, ``tell`` each decision as it is made.
    After an attempt that ended in one of ``final`` there is no other. Nor is there where the model is ``deterministic``, or
    the run's tokens or money are used up; the guard then keeps that as the reason.
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
        if self.guard is None or attempt.outcome not in judged_ends(self.final):
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
                _reflected(loop_id, self._weighed(attempt, self._reflect(attempt.trace, report)))
            )
            settled = guard.settle(loop_id, _reflection(reflected), self._stopped())
        except SentinelError as error:
            self.complain(f"no rerun, because the attempt could not be decided upon: {error}")
            return _ended(loop_id, str(error))
        for name, ruling in sorted(settled.rulings.items()):
            _once(record, recorded, checked_event(name, ruling, live=False))
        return _as_decided(loop_id, settled, report, staged=attempt.staged is not None)

    def _weighed(self, attempt: Attempt, reflection: Reflection) -> Reflection:
        """Work that came to its end and staged nothing is not good enough, where another attempt may do otherwise."""
        if self.deterministic or attempt.staged is not None or attempt.outcome != "completed":
            return reflection
        note = f"{reflection.note} {_NOTHING_STAGED}".lstrip()
        return attrs.evolve(reflection, summary_valid=False, note=note)

    def _reflect(self, trace: ExecutionTrace, report: ReliabilityReport) -> Reflection:
        """What the attempt was worth; by the rules, which cost nothing, where nothing is left to ask a model with."""
        spent = self._spent()
        if spent is None or self.reflector is reflect_by_rules:
            return self.reflector(trace, report)
        return attrs.evolve(reflect_by_rules(trace, report), note=f"No model reflected, the rules did: {spent.detail}.")

    def _stopped(self) -> Checked | None:
        """What stands in the way of another attempt, whatever this one was worth."""
        live, spent = _live(self.investigation.record), self._spent()
        if live is not None and live.ruling.action == "finalize":
            return live
        if self.deterministic:
            return _ended_by_host("deterministic_provider", _SAME_AGAIN)
        return live if spent is None else _ended_by_host(spent.outcome, f"{spent.detail}.")

    def _spent(self) -> Limit | None:
        return used_up(self.investigation.record.events, self.investigation.settings)


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


def _as_decided(loop_id: str, settled: Settled, report: ReliabilityReport, *, staged: bool) -> LoopDecided:
    if settled.decision != "rerun" or settled.new_loop_id is None:
        return LoopDecided(loop_id=loop_id, decision="finalize", reason=settled.reason, detail=settled.detail)
    return LoopDecided(
        loop_id=loop_id,
        decision="rerun",
        reason=settled.reason,
        detail=settled.detail,
        new_loop_id=settled.new_loop_id,
        note=feedback_text(report, settled.reason, settled.detail, staged=staged),
    )


def _ended_by_host(reason: str, detail: str) -> Checked:
    return Checked(guardrail="host", ruling=Ruling(action="finalize", reason=reason, detail=detail))


def _ended(loop_id: str, why: str) -> LoopDecided:
    return LoopDecided(loop_id=loop_id, decision="finalize", reason=FAILED, detail=why)


@attrs.frozen(kw_only=True)
class AttemptFacts:
    """One attempt. What is None is not known: nothing was staged, judged, reflected upon, or decided.

    ``loop_id`` is the attempt's name in the store and in its trace's file. ``stopped_by`` is the guardrail that ended it
    while it was at work. ``staged`` is the severity of the report that it handed in.
    """

    loop_id: str
    rerun_of: str | None = None
    outcome: Outcome | None = None
    stopped_by: str | None = None
    staged: Risk | None = None
    verdict: Literal["PASS", "WARN", "FAIL"] | None = None
    overall_score: float | None = None
    alignment_score: float | None = None
    drift_score: float | None = None
    summary_valid: bool | None = None
    bias_tags: tuple[str, ...] = ()
    reflection_persona: str | None = None
    reflection_note: str = ""
    decision: Literal["rerun", "finalize"] | None = None
    reason: str | None = None
    detail: str = ""


def attempts_of(events: Iterable[Event]) -> tuple[AttemptFacts, ...]:
    """Every attempt in the record, in order."""
    attempts: list[tuple[RunStarted, list[Event]]] = []
    for event in events:
        if isinstance(event, RunStarted):
            attempts.append((event, []))
        elif attempts:
            attempts[-1][1].append(event)
    return tuple(_facts(started, then) for started, then in attempts)


def _facts(started: RunStarted, then: Sequence[Event]) -> AttemptFacts:
    known = functools.reduce(_with, then, AttemptFacts(loop_id=started.run_id, rerun_of=started.rerun_of))
    messages = [message for event in then if (message := message_of(event)) is not None]
    staged = staged_report(messages, str(started.metadata.get("release_id")))
    return known if staged is None else attrs.evolve(known, staged=staged.severity)


def _with(known: AttemptFacts, event: Event) -> AttemptFacts:
    match event:
        case RunEnded(outcome=outcome):
            return attrs.evolve(known, outcome=outcome)
        case GuardrailChecked(live=True, action="stop_attempt" | "finalize"):
            return attrs.evolve(known, stopped_by=event.guardrail)
        case AttemptJudged():
            return attrs.evolve(known, verdict=event.verdict, overall_score=event.overall_score)
        case AttemptReflected():
            return attrs.evolve(
                known,
                alignment_score=event.alignment_score,
                drift_score=event.drift_score,
                summary_valid=event.summary_valid,
                bias_tags=event.bias_tags,
                reflection_persona=event.persona or None,
                reflection_note=event.note,
            )
        case LoopDecided():
            return attrs.evolve(known, decision=event.decision, reason=event.reason, detail=event.detail)
        case _:
            return known
