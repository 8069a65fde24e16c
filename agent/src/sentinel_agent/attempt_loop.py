"""The attempts at one task: each is judged, reflected on and decided upon, until a decision ends the family.

Every decision is recorded before it is acted on. What is in the record is never asked for again, so a run that was killed and
resumed comes to the same decisions. An error here ends the family and never starts another attempt.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import attrs

from sentinel_agent.conversation import message_of
from sentinel_agent.detective import Attempt, Investigation, RunResult
from sentinel_agent.events import (
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
from sentinel_agent.feedback import feedback_text
from sentinel_agent.limits import Limit, judged_ends, used_up
from sentinel_agent.objections import objections_to
from sentinel_agent.recorder import Record
from sentinel_agent.risk.facts import Risk
from sentinel_agent.run_guard import Checked, Guard, Settled, Watching, checked_event
from sentinel_agent.staging import staged_report
from sentinel_core.errors import SentinelError
from sentinel_core.guardrails.facts import FAILED, Reflection, Ruling
from sentinel_core.guardrails.reflection_rules import Reflector, reflect_by_rules
from sentinel_core.report import ReliabilityReport
from sentinel_core.trace import ExecutionTrace

__all__ = ["AttemptFacts", "Family", "attempts_of"]

_NOTHING_STAGED = "The attempt ended without a staged report."
_CONTRADICTED = "The data that it fetched do not support its report."
_SAME_AGAIN = "The provider uses fixed rules: another attempt would give the same result."
_AFTERWARDS = (AttemptJudged, ReflectorAsked, AttemptReflected, GuardrailChecked, LoopDecided)


@attrs.define(eq=False, kw_only=True)
class Family:
    """Attempts of one investigation under a guard; without a guard one attempt, or those in the record.

    ``keep`` receives each finished attempt's trace, ``warn`` each problem, ``on_decision`` each decision. No attempt follows
    one that ended in one of ``final``, nor if the model is ``deterministic`` or the run's tokens or money are used up; the
    guard then stores that as the reason.
    """

    investigation: Investigation
    guard: Guard | None
    reflector: Reflector
    keep: Callable[[ExecutionTrace], Any]
    warn: Callable[[str], None]
    on_decision: Callable[[LoopDecided], None] = lambda _decided: None
    final: frozenset[Outcome] = frozenset()
    deterministic: bool = False

    def run(self) -> RunResult:
        """Make attempts until a decision ends the family, then deliver the report that the last one staged."""
        attempt = self._attempt(None, None)
        while (decided := self._decided(attempt)) is not None and decided.decision == "rerun":
            attempt = self._attempt(decided, attempt)
        return self.investigation.result(attempt, self.investigation.deliver(attempt))

    def _attempt(self, granted: LoopDecided | None, before: Attempt | None) -> Attempt:
        record = self.investigation.record
        if self.guard is not None:
            self.investigation.check = Watching(record=record, guard=self.guard, warn=self.warn)
        if granted is None or before is None:
            attempt = self.investigation.attempt()
        else:
            attempt = self.investigation.attempt(granted.note, rerun_of=before.run_id, run_id=granted.new_loop_id)
        self.keep(attempt.trace)
        return attempt

    def _decided(self, attempt: Attempt) -> LoopDecided | None:
        """The decision after an attempt; None without a guard, or if the attempt can be resumed."""
        record = self.investigation.record
        recorded = _played(record)
        if recorded and isinstance(recorded[-1], LoopDecided):
            return recorded[-1]
        if self.guard is None or attempt.outcome not in judged_ends(self.final):
            return None
        decided = record.emit(self._decide(self.guard, attempt, recorded))
        self.on_decision(decided)
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
            self.warn(f"no rerun, because no decision about the attempt was possible: {error}")
            return _ended(loop_id, str(error))
        for name, ruling in sorted(settled.rulings.items()):
            _once(record, recorded, checked_event(name, ruling, live=False))
        return _as_decided(loop_id, settled, report, attempt)

    def _weighed(self, attempt: Attempt, reflection: Reflection) -> Reflection:
        """An attempt with a report that may not be delivered has no valid summary, nor has one that completed without a report.

        Where every attempt would be the same, the latter has.
        """
        is_empty = attempt.staged is None and attempt.outcome == "completed" and not self.deterministic
        if not (attempt.objections or is_empty):
            return reflection
        note = f"{reflection.note} {_CONTRADICTED if attempt.objections else _NOTHING_STAGED}".lstrip()
        return attrs.evolve(reflection, summary_valid=False, note=note)

    def _reflect(self, trace: ExecutionTrace, report: ReliabilityReport) -> Reflection:
        """The reflection on an attempt; by the rules, which cost nothing, if tokens or money are used up."""
        spent = self._spent()
        if spent is None or self.reflector is reflect_by_rules:
            return self.reflector(trace, report)
        return attrs.evolve(
            reflect_by_rules(trace, report), note=f"The rules rated the attempt instead of a model: {spent.detail}."
        )

    def _stopped(self) -> Checked | None:
        """What forbids another attempt, whatever the scores of this one."""
        live, spent = _live(self.investigation.record), self._spent()
        if live is not None and live.ruling.action == "finalize":
            return live
        if self.deterministic:
            return _ended_by_host("deterministic_provider", _SAME_AGAIN)
        return live if spent is None else _ended_by_host(spent.outcome, f"{spent.detail}.")

    def _spent(self) -> Limit | None:
        return used_up(self.investigation.record.events, self.investigation.settings)


def _played(record: Record) -> list[Event]:
    """The recorded events after an attempt, up to the decision."""
    played: list[Event] = []
    while isinstance(record.upcoming, _AFTERWARDS) and not (played and isinstance(played[-1], LoopDecided)):
        played.append(record.emit(record.upcoming))
    return played


def _once(record: Record, recorded: list[Event], event: AttemptJudged | GuardrailChecked) -> None:
    """Record the event, unless an earlier process already did."""
    guardrail = getattr(event, "guardrail", None)
    if not any(type(done) is type(event) and getattr(done, "guardrail", None) == guardrail for done in recorded):
        record.emit(event)


def _of(kind: type[AttemptReflected], recorded: list[Event]) -> AttemptReflected | None:
    return next((event for event in recorded if isinstance(event, kind)), None)


def _live(record: Record) -> Checked | None:
    """The live ruling that stopped this attempt."""
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


def _as_decided(loop_id: str, settled: Settled, report: ReliabilityReport, attempt: Attempt) -> LoopDecided:
    if settled.decision != "rerun" or settled.new_loop_id is None:
        return LoopDecided(loop_id=loop_id, decision="finalize", reason=settled.reason, detail=settled.detail)
    return LoopDecided(
        loop_id=loop_id,
        decision="rerun",
        reason=settled.reason,
        detail=settled.detail,
        new_loop_id=settled.new_loop_id,
        note=feedback_text(
            report,
            settled.reason,
            settled.detail,
            staged=attempt.staged is not None,
            objections=attempt.objections,
        ),
    )


def _ended_by_host(reason: str, detail: str) -> Checked:
    return Checked(guardrail="host", ruling=Ruling(action="finalize", reason=reason, detail=detail))


def _ended(loop_id: str, why: str) -> LoopDecided:
    return LoopDecided(loop_id=loop_id, decision="finalize", reason=FAILED, detail=why)


@attrs.frozen(kw_only=True)
class AttemptFacts:
    """One attempt. A field is None if nothing was staged, judged, reflected upon, or decided.

    ``loop_id`` is the attempt's name in the store and in its trace's file. ``stopped_by`` is the guardrail that stopped it.
    ``staged`` is the severity of the report that it staged, ``objections`` are the reasons not to deliver that.
    """

    loop_id: str
    rerun_of: str | None = None
    outcome: Outcome | None = None
    stopped_by: str | None = None
    staged: Risk | None = None
    objections: tuple[str, ...] = ()
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
    release_id = str(started.metadata.get("release_id"))
    staged = staged_report(messages, release_id)
    answer = next((message.content for message in reversed(messages) if message.role == "assistant"), None)
    objections = objections_to(messages, release_id, staged, answer or "")
    return attrs.evolve(known, staged=None if staged is None else staged.severity, objections=objections)


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
