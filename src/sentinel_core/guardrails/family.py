"""A stored family of loops: facts only. ``LoopTrace``, the public view of a loop, is derived from them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from sentinel_core.guardrails.decide import Quality
from sentinel_core.guardrails.facts import Attempt, Decision, History, Override, Reflection, Ruling
from sentinel_core.trace import canonical

__all__ = [
    "GENESIS",
    "AuditRow",
    "Change",
    "Completion",
    "Family",
    "Loop",
    "LoopTrace",
    "digest_of",
    "loop_trace",
    "merged_facts",
    "next_row",
]

GENESIS = "0" * 64


@attrs.frozen(kw_only=True)
class AuditRow:
    """Row ``number`` (from 1) of a family. ``body`` is JSON text; ``row_id`` counts over all families, 0 until stored."""

    root: str
    number: int
    body: str
    digest: str
    row_id: int = 0


def next_row(
    root: str,
    rows: int,
    head: str,
    *,
    kind: str,
    at: str,
    actor: str | None,
    loops: Sequence[object],
    overrides: Sequence[Override],
) -> AuditRow:
    """The row that follows ``rows`` others, the last of which has the hash ``head``."""
    body = canonical({"kind": kind, "at": at, "actor": actor, "loops": loops, "overrides": overrides}).decode()
    return AuditRow(root=root, number=rows + 1, body=body, digest=digest_of(root, rows + 1, head, body))


def digest_of(root: str, number: int, previous: str, body: str) -> str:
    """The hash of a row, in hexadecimal."""
    return hashlib.sha256(canonical([root, number, previous, body])).hexdigest()


@attrs.frozen(kw_only=True)
class Completion:
    """The decision after a loop, with everything that it rests on. ``at`` is ISO 8601 in UTC."""

    decision: Decision
    rulings: Mapping[str, Ruling]
    quality: Quality
    rerun_count: int
    at: str
    new_loop_id: str | None = None
    orchestrator_persona: str | None = None


@attrs.frozen(kw_only=True)
class Loop:
    """One member of a family: ``number`` 0 is the root, n its n-th rerun.

    ``reflection`` is None until the attempt is submitted, ``completion`` until it is decided upon. ``report`` is a digest of
    the attempt's report, if it was submitted as a trace. ``reasoning`` is what a caller stored with ``log_rerun_reasoning``.
    """

    loop_id: str
    number: int
    at: str
    rerun_of: str | None = None
    reflection: Reflection | None = None
    report: dict[str, Any] | None = None
    completion: Completion | None = None
    reasoning: dict[str, Any] | None = None


@attrs.frozen(kw_only=True)
class Family:
    """All loops of one root, in the order of their numbers, and every override.

    ``version`` goes up by one with each change; ``rows`` and ``head`` are the number of audit rows and the last one's hash.
    """

    root: str
    version: int = 0
    rows: int = 0
    head: str = GENESIS
    loops: tuple[Loop, ...] = ()
    overrides: tuple[Override, ...] = ()

    def loop(self, loop_id: str) -> Loop | None:
        """The member of that id."""
        return next((loop for loop in self.loops if loop.loop_id == loop_id), None)

    def history(self, upto: Loop, tags_elsewhere: Mapping[str, int] | None = None) -> History:
        """The finished attempts up to a loop."""
        done = (loop for loop in self.loops if loop.number <= upto.number)
        attempts = tuple(_attempt(loop, loop.reflection) for loop in done if loop.reflection is not None)
        return History(attempts=attempts, tags_elsewhere=tags_elsewhere or {})

    def tags(self) -> tuple[str, ...]:
        """Every bias tag of the family, sorted."""
        return tuple(sorted({tag for loop in self.loops if loop.reflection for tag in loop.reflection.bias_tags}))

    def changed(
        self, kind: str, *, at: str, actor: str | None, loops: Sequence[Loop] = (), overrides: Sequence[Override] = ()
    ) -> "Change":
        """The change that adds these loops and overrides, or replaces those with the same ids."""
        row = next_row(self.root, self.rows, self.head, kind=kind, at=at, actor=actor, loops=loops, overrides=overrides)
        by_id = {loop.loop_id: loop for loop in (*self.loops, *loops)}
        by_override = {override.override_id: override for override in (*self.overrides, *overrides)}
        after = attrs.evolve(
            self,
            version=self.version + 1,
            rows=row.number,
            head=row.digest,
            loops=tuple(sorted(by_id.values(), key=lambda loop: loop.number)),
            overrides=tuple(by_override.values()),
        )
        return Change(before=self.version, family=after, loops=tuple(loops), overrides=tuple(overrides), row=row)


@attrs.frozen(kw_only=True)
class Change:
    """One transaction's writes. They apply only if the stored version still is ``before`` (0: the family is new)."""

    before: int
    family: Family
    loops: tuple[Loop, ...]
    overrides: tuple[Override, ...]
    row: AuditRow


@attrs.frozen(kw_only=True)
class LoopTrace:
    """The public view of a loop; ``status`` is ``granted``, ``handed_in``, ``rerun`` or ``finalized``."""

    loop_id: str
    status: Literal["granted", "handed_in", "rerun", "finalized"]
    timestamp: str
    rerun_of: str | None = None
    rerun_depth: int | None = None
    rerun_count: int = 0
    max_reruns: int | None = 3
    bias_echo: bool = False
    repeated_tags: tuple[str, ...] = ()
    reflection_fatigue: float = 0.0
    fatigue_increased: bool = False
    rerun_reason: str | None = None
    rerun_reason_detail: str | None = None
    rerun_trigger: tuple[str, ...] = ()
    force_finalize: bool = False
    overridden_by: str | None = None
    orchestrator_persona: str | None = None
    reflection_persona: str | None = None
    alignment_score: float | None = None
    drift_score: float | None = None
    summary_valid: bool | None = None


def loop_trace(loop: Loop) -> LoopTrace:
    """The public view, derived from the stored loop."""
    known = LoopTrace(
        loop_id=loop.loop_id,
        status="granted" if loop.reflection is None else "handed_in",
        timestamp=loop.at,
        rerun_of=loop.rerun_of,
        rerun_depth=loop.number,
        rerun_count=loop.number,
        max_reruns=None,
    )
    if loop.reflection is not None:
        known = attrs.evolve(
            known,
            alignment_score=loop.reflection.alignment_score,
            drift_score=loop.reflection.drift_score,
            summary_valid=loop.reflection.summary_valid,
            reflection_persona=loop.reflection.persona,
        )
    known = known if loop.completion is None else _completed(known, loop.completion)
    return known if loop.reasoning is None else _reasoned(known, loop.reasoning)


def _reasoned(known: LoopTrace, told: Mapping[str, Any]) -> LoopTrace:
    """The trace with what a caller told; the decision stays as it is."""
    return attrs.evolve(
        known,
        rerun_trigger=tuple(told["rerun_trigger"]),
        rerun_reason=told["rerun_reason"],
        rerun_reason_detail=told["rerun_reason_detail"],
        overridden_by=told.get("overridden_by") or known.overridden_by,
        reflection_persona=told["reflection_persona"] or known.reflection_persona,
    )


def _completed(known: LoopTrace, completion: Completion) -> LoopTrace:
    decision, facts = completion.decision, merged_facts(completion.rulings)
    return attrs.evolve(
        known,
        status="rerun" if decision.decision == "rerun" else "finalized",
        timestamp=completion.at,
        rerun_count=completion.rerun_count,
        max_reruns=facts.get("max_reruns"),
        bias_echo=facts.get("bias_echo", False),
        repeated_tags=tuple(facts.get("repeated_tags", ())),
        reflection_fatigue=facts.get("reflection_fatigue", 0.0),
        fatigue_increased=facts.get("fatigue_increased", False),
        rerun_reason=decision.rerun_reason,
        rerun_reason_detail=decision.rerun_reason_detail,
        rerun_trigger=decision.rerun_trigger,
        force_finalize=decision.force_finalize,
        overridden_by=decision.overridden_by,
        orchestrator_persona=completion.orchestrator_persona,
    )


def merged_facts(rulings: Mapping[str, Ruling]) -> dict[str, Any]:
    """The facts of all guardrails; if two use the same name, the last guardrail by name wins."""
    return {name: value for _, ruling in sorted(rulings.items()) for name, value in ruling.facts.items()}


def _attempt(loop: Loop, reflection: Reflection) -> Attempt:
    return Attempt(
        loop_id=loop.loop_id,
        rerun_of=loop.rerun_of,
        alignment_score=reflection.alignment_score,
        drift_score=reflection.drift_score,
        summary_valid=reflection.summary_valid,
        bias_tags=reflection.bias_tags,
        reflection_persona=reflection.persona,
    )
