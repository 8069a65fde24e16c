"""The attempts of a run and what was decided after each: a pure fold over its events."""

import functools
from collections.abc import Iterable, Sequence
from typing import Literal

import attrs

from sentinel_core.agent.conversation import message_of
from sentinel_core.agent.events import (
    AttemptJudged,
    AttemptReflected,
    Event,
    GuardrailChecked,
    LoopDecided,
    Outcome,
    RunEnded,
    RunStarted,
)
from sentinel_core.agent.risk.rules import Risk
from sentinel_core.agent.staging import staged_report

__all__ = ["AttemptFacts", "attempts_of"]


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
