"""Completions, statuses and overrides of loops: reads facts from a store, asks the guardrails, writes the decisions."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import attrs

from sentinel_core.errors import LoopConflictError, UnknownLoopError
from sentinel_core.guardrails.answers import completion_answer, family_answer, override_answer, status_answer, timestamp
from sentinel_core.guardrails.bound import BoundGuardrail, ask_all
from sentinel_core.guardrails.decide import Quality, decide
from sentinel_core.guardrails.facts import LIFTS, Attempt, History, Override, Reflection
from sentinel_core.guardrails.family import Change, Completion, Family, Loop
from sentinel_core.guardrails.schemas import check, check_loop_id
from sentinel_core.guardrails.store import Store
from sentinel_core.runtime.redact import redact, redact_value

__all__ = ["Orchestrator"]

_TRIES = 200
_LONGEST_ROOT = 116  # leaves room for "_r" and a number within the 128 characters of an id


def _now() -> datetime:
    return datetime.now(UTC)


@attrs.define(eq=False, kw_only=True)
class Orchestrator:
    """The operations behind the Python functions and the HTTP service. Thread-safe.

    ``now`` is the clock. Methods raise ``LoopRequestError`` for malformed requests, ``UnknownLoopError``,
    ``LoopConflictError``, and ``StoreError`` if the store cannot be used; the caller must then finalize.
    """

    store: Store
    guardrails: Sequence[BoundGuardrail] = ()
    quality: Quality = attrs.field(factory=Quality)
    now: Callable[[], datetime] = _now

    def submit(
        self, loop_id: str, reflection: Reflection, *, report: dict[str, Any] | None = None, actor: str | None = None
    ) -> bool:
        """Store the reflection on an attempt; True if its id was unknown, so that it is now the root of a new family.

        Idempotent. Raises ``LoopConflictError`` for another reflection on the same loop.
        """
        check_loop_id(loop_id)
        _check_reflection(reflection)
        made: list[bool] = []

        def step(family: Family | None) -> Change | None:
            at = self._at()
            known = Family(root=loop_id) if family is None else family
            loop = known.loop(loop_id) or Loop(loop_id=loop_id, number=0, at=at)
            if loop.reflection is not None and loop.reflection != reflection:
                raise LoopConflictError(
                    f'loop "{loop_id}" was already submitted with different scores; stored scores are never replaced'
                )
            made[:] = [family is None]
            if loop.reflection is not None:
                return None
            submitted = attrs.evolve(loop, reflection=reflection, report=report)
            return known.changed("handed_in", at=at, actor=actor, loops=[submitted])

        self._settle(loop_id, step)
        return made[0]

    def complete(
        self,
        loop_id: str,
        *,
        overrides: Mapping[str, bool] | None = None,
        actor: str = "",
        reason: str = "",
        persona: str | None = None,
    ) -> dict[str, Any]:
        """Decide what follows a loop. Idempotent. ``overrides`` are flags by their names."""
        check_loop_id(loop_id)

        def step(family: Family | None) -> Change | None:
            known, loop, _ = _submitted(family, loop_id)
            asked = self._asked(known, loop, overrides or {}, actor, reason)
            return self._decided(known, loop, asked=asked, actor=actor, persona=persona)

        family = self._settle(loop_id, step)
        family, loop, reflection = _submitted(family, loop_id)
        assert loop.completion is not None, "settled"
        return completion_answer(family, loop, reflection, loop.completion)

    def status(self, loop_id: str) -> dict[str, Any]:
        """The guardrails' current rulings on the attempts up to a loop."""
        family, loop = _member(self.store.family_of(check_loop_id(loop_id)), loop_id)
        history = family.history(loop, self.store.tags_elsewhere(family.root, family.tags()))
        return status_answer(family, loop, ask_all(self.guardrails, history))

    def override(
        self, loop_id: str, overrides: Mapping[str, bool], *, actor: str, reason: str, seconds: int | None = None
    ) -> dict[str, Any]:
        """Record a person's override for the family of this loop.

        It counts for the next decision that needs it, or with ``seconds`` for all until then. If a guardrail ended the family,
        completing its last loop again gives a new decision. An identical override, before the first is spent, counts once.
        """
        check_loop_id(loop_id)
        kept: list[Override] = []

        def step(family: Family | None) -> Change | None:
            known, _ = _member(family, loop_id)
            now = self.now()
            made = _override(known, overrides, actor=actor, reason=reason, at=now, seconds=seconds)
            usable = _usable(known, None, self._at())
            same = [override for override in usable if _alike(override, made, timed=seconds is not None)]
            kept[:] = same or [made]
            return None if same else known.changed("override", at=made.at, actor=actor, overrides=[made])

        self._settle(loop_id, step)
        return override_answer(loop_id, kept[0])

    def history(self, loop_id: str, *, tags: Sequence[str] = ()) -> History:
        """The attempts up to a loop, this one last even if it was not submitted yet; ``tags`` are counted elsewhere, too."""
        family, loop = _member(self.store.family_of(check_loop_id(loop_id)), loop_id)
        elsewhere = self.store.tags_elsewhere(family.root, tuple(sorted({*family.tags(), *tags})))
        known = family.history(loop, elsewhere)
        if loop.reflection is not None:
            return known
        return attrs.evolve(known, attempts=(*known.attempts, Attempt(loop_id=loop_id, rerun_of=loop.rerun_of)))

    def log_reasoning(self, loop_id: str, reasoning: Mapping[str, Any]) -> dict[str, Any]:
        """Store a caller's reasoning with a loop, without secrets, in the place of an earlier one; returns it with its time."""
        check_loop_id(loop_id)
        told = {**redact_value(dict(reasoning)), "timestamp": self._at()}

        def step(family: Family | None) -> Change | None:
            known, loop = _member(family, loop_id)
            return known.changed("reasoning", at=self._at(), actor=None, loops=[attrs.evolve(loop, reasoning=told)])

        self._settle(loop_id, step)
        return told

    def family(self, loop_id: str) -> dict[str, Any]:
        """Everything stored about a loop's family."""
        family, _ = _member(self.store.family_of(check_loop_id(loop_id)), loop_id)
        return family_answer(family, self.store.tags_elsewhere(family.root, family.tags()))

    def _settle(self, loop_id: str, step: Callable[[Family | None], Change | None]) -> Family | None:
        """Read, compute, write; repeat if another writer was faster. Returns the family as stored."""
        for _ in range(_TRIES):
            family = self.store.family_of(loop_id)
            change = step(family)
            if change is None:
                return family
            if self.store.save(change):
                return change.family
        raise LoopConflictError(f'loop "{loop_id}" is being changed by too many requests at once: try again')

    def _asked(
        self, family: Family, loop: Loop, overrides: Mapping[str, bool], actor: str, reason: str
    ) -> Override | None:
        """The override sent with a completion; None if there is none, or it was recorded before."""
        if not any(overrides.values()):
            return None
        made = attrs.evolve(
            _override(family, overrides, actor=actor, reason=reason, at=self.now()), loop_id=loop.loop_id
        )
        return None if any(_alike(override, made, timed=False) for override in family.overrides) else made

    def _decided(
        self, family: Family, loop: Loop, *, asked: Override | None, actor: str, persona: str | None
    ) -> Change | None:
        """The change for a completion; None if the loop's decision is final.

        A granted rerun is final. An end that a guardrail forced is decided again if a person has overridden it since.
        """
        at = self._at()
        usable = [*_usable(family, loop, at), *([asked] if asked is not None else [])]
        before = loop.completion
        if before is not None and not (before.decision.force_finalize and usable):
            return None
        history = family.history(loop, self.store.tags_elsewhere(family.root, family.tags()))
        rulings = ask_all(self.guardrails, history)
        decision = decide(history, rulings, self.quality, usable)
        spent = _spent(usable, decision.used, asked, loop)
        if before is not None and decision.decision == "finalize":
            return family.changed("override", at=at, actor=asked.actor, overrides=spent) if asked is not None else None
        granted = self._granted(family, loop, at) if decision.decision == "rerun" else ()
        completion = Completion(
            decision=decision,
            rulings=rulings,
            quality=self.quality,
            rerun_count=len(family.loops) - 1 + len(granted),
            at=at,
            new_loop_id=granted[0].loop_id if granted else None,
            orchestrator_persona=persona,
        )
        done = attrs.evolve(loop, completion=completion)
        return family.changed(decision.decision, at=at, actor=actor or None, loops=[done, *granted], overrides=spent)

    def _granted(self, family: Family, loop: Loop, at: str) -> tuple[Loop]:
        """The next loop. Its id has the first number, from its own on, that no other family has taken."""
        number = len(family.loops)
        names = (f"{family.root[:_LONGEST_ROOT]}_r{suffix}" for suffix in count(number))
        loop_id = next(name for name in names if self.store.family_of(name) is None)
        return (Loop(loop_id=loop_id, number=number, at=at, rerun_of=loop.loop_id),)

    def _at(self) -> str:
        return timestamp(self.now())


def _member(family: Family | None, loop_id: str) -> tuple[Family, Loop]:
    loop = None if family is None else family.loop(loop_id)
    if family is None or loop is None:
        raise UnknownLoopError(f'unknown loop "{loop_id}": submit its attempt first')
    return family, loop


def _submitted(family: Family | None, loop_id: str) -> tuple[Family, Loop, Reflection]:
    known, loop = _member(family, loop_id)
    if loop.reflection is None:
        raise LoopConflictError(
            f'loop "{loop_id}" is a granted rerun, but its attempt has not been submitted yet: submit it first'
        )
    return known, loop, loop.reflection


def _check_reflection(reflection: Reflection) -> None:
    check(
        {
            "alignment_score": reflection.alignment_score,
            "drift_score": reflection.drift_score,
            "summary_valid": reflection.summary_valid,
            "bias_tags": list(reflection.bias_tags),
            "reflection_persona": reflection.persona,
        },
        "reflection",
    )


def _override(
    family: Family,
    overrides: Mapping[str, bool],
    *,
    actor: str,
    reason: str,
    at: datetime,
    seconds: int | None = None,
) -> Override:
    return Override(
        override_id=str(len(family.overrides) + 1),
        actor=actor,
        reason=redact(reason),
        at=timestamp(at),
        override_fatigue=overrides.get("override_fatigue", False),
        override_max_reruns=overrides.get("override_max_reruns", False),
        override_bias_echo=overrides.get("override_bias_echo", False),
        expires_at=None if seconds is None else timestamp(at + timedelta(seconds=seconds)),
    )


def _alike(first: Override, other: Override, *, timed: bool) -> bool:
    """Whether both are the same override by the same person, whenever they were made."""
    names = ("actor", "reason", "loop_id", *LIFTS)
    same = all(getattr(first, name) == getattr(other, name) for name in names)
    return same and (first.expires_at is not None) == timed


def _usable(family: Family, loop: Loop | None, at: str) -> list[Override]:
    """Overrides that may count now, oldest first."""
    return [
        override
        for override in family.overrides
        if override.spent_on is None
        and (override.expires_at is None or at < override.expires_at)
        and (override.loop_id is None or (loop is not None and override.loop_id == loop.loop_id))
    ]


def _spent(usable: Sequence[Override], used: Sequence[str], asked: Override | None, loop: Loop) -> tuple[Override, ...]:
    """The overrides that this decision uses up; one sent with the completion always is, needed or not."""
    gone = [entry for entry in usable if entry is asked or (entry.override_id in used and entry.expires_at is None)]
    return tuple(attrs.evolve(override, spent_on=loop.loop_id) for override in gone)
