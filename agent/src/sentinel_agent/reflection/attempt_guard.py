"""The guard of a run: its signals judge each attempt, its guardrails decide, and the store keeps the decisions."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sentinel_agent.run_guard import Checked, Settled
from sentinel_core.errors import LoopError
from sentinel_core.evaluate.evaluator import Panel, evaluate
from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.guardrails.bound import BoundGuardrail, LiveGuard
from sentinel_core.guardrails.facts import FAILED, LIFTS, History, Reflection, Ruling
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.reflect_by_rules import report_digest
from sentinel_core.report import ReliabilityReport
from sentinel_core.runtime.redact import redact, redacted
from sentinel_core.trace import ExecutionTrace

__all__ = ["Guardian", "Overriding"]


@attrs.frozen(kw_only=True)
class Overriding:
    """A person's override for one run: which guardrails (names as in ``LIFTS``), by whom, and why."""

    kinds: tuple[str, ...]
    by: str
    reason: str

    def flags(self) -> dict[str, bool]:
        """Every kind with True if it is overridden."""
        return {kind: kind in self.kinds for kind in LIFTS}


@attrs.define(eq=False, kw_only=True)
class Guardian:
    """Judges, watches and decides in this process.

    Without an ``orchestrator`` every attempt is the last one, and ``problem`` says why. ``warn`` is called once for each
    guardrail that fails during an attempt.
    """

    panel: Panel
    guardrails: tuple[BoundGuardrail, ...] = ()
    orchestrator: Orchestrator | None = None
    problem: str = ""
    overriding: Overriding | None = None
    warn: Callable[[str], None] = lambda _text: None
    _live: LiveGuard | None = attrs.field(default=None, init=False)
    _watched: str = attrs.field(default="", init=False)
    _digests: dict[str, dict[str, Any]] = attrs.field(factory=dict, init=False)
    _reported: set[str] = attrs.field(factory=set, init=False)

    def watch(self, trace: ExecutionTrace) -> Checked | None:
        """The first ruling that stops the attempt; each message is judged together with all before it."""
        if self._live is None or self._watched != trace.trace_id:
            header = attrs.evolve(trace, messages=())
            self._live = LiveGuard(header, self.panel, self.guardrails, self._history(trace.trace_id))
            self._watched = trace.trace_id
        for message in trace.messages:
            ruling = self._live.check(message, token_usage=trace.token_usage)
            self._report_failures(self._live.failed)
            if ruling is not None:
                return Checked(guardrail=self._live.ruled_by, ruling=ruling)
        return None

    def _report_failures(self, failed: Mapping[str, Ruling]) -> None:
        for name in sorted(failed.keys() - self._reported):
            self.warn(f"{failed[name].detail} The attempt continues, but there will be no rerun.")
        self._reported.update(failed)

    def judge(self, trace: ExecutionTrace) -> ReliabilityReport:
        """The report on a finished attempt, as ``sentinel evaluate`` gives it."""
        report = redacted(evaluate(TraceIndex(trace), self.panel))
        self._digests[trace.trace_id] = report_digest(report)
        return report

    def settle(self, loop_id: str, reflection: Reflection, stopped: Checked | None) -> Settled:
        """Submit and complete the loop; an error of the store ends the family. Idempotent."""
        if self.orchestrator is None:
            return Settled(decision="finalize", reason=FAILED, detail=self.problem)
        try:
            return self._settled(self.orchestrator, loop_id, reflection, stopped)
        except LoopError as error:
            return Settled(decision="finalize", reason=FAILED, detail=str(error))

    def _settled(
        self, orchestrator: Orchestrator, loop_id: str, reflection: Reflection, stopped: Checked | None
    ) -> Settled:
        orchestrator.submit(loop_id, reflection, report=self._digests.get(loop_id))
        self._record_override(orchestrator, loop_id)
        failed = self._live.failed if self._live is not None and self._watched == loop_id else {}
        _with_rulings(orchestrator, failed | _ending(stopped)).complete(loop_id)
        family = orchestrator.store.family_of(loop_id)
        loop = None if family is None else family.loop(loop_id)
        assert loop is not None, "just completed"
        assert loop.completion is not None, "just completed"
        decision = loop.completion.decision
        return Settled(
            decision=decision.decision,
            reason=decision.rerun_reason,
            detail=decision.rerun_reason_detail + _by(decision.overridden_by),
            new_loop_id=loop.completion.new_loop_id,
            rulings=dict(loop.completion.rulings),
        )

    def _record_override(self, orchestrator: Orchestrator, loop_id: str) -> None:
        """Record this run's override once for the family, even if it was used up since."""
        wanted = self.overriding
        if wanted is None:
            return
        recorded = orchestrator.family(loop_id)["family"]["overrides"]
        if not any(_is_same(override, wanted) for override in recorded):
            orchestrator.override(loop_id, wanted.flags(), actor=wanted.by, reason=wanted.reason)

    def _history(self, loop_id: str) -> History:
        """The attempts before this one; none if the store fails, which the decision after the attempt will report."""
        if self.orchestrator is None:
            return History(attempts=())
        try:
            family = self.orchestrator.store.family_of(loop_id)
        except LoopError:
            return History(attempts=())
        loop = None if family is None else family.loop(loop_id)
        return History(attempts=()) if family is None or loop is None else family.history(loop)


def _ending(stopped: Checked | None) -> dict[str, Ruling]:
    """The ruling of a guardrail or of the host that ends the family."""
    return {stopped.guardrail: stopped.ruling} if stopped is not None and stopped.ruling.action == "finalize" else {}


def _with_rulings(orchestrator: Orchestrator, made: Mapping[str, Ruling]) -> Orchestrator:
    """An orchestrator in which the rulings made so far stay, and only the other guardrails are asked."""
    others = tuple(guardrail for guardrail in orchestrator.guardrails if guardrail.name not in made)
    fixed = tuple(_fixed(name, ruling) for name, ruling in made.items())
    return Orchestrator(
        store=orchestrator.store, guardrails=(*others, *fixed), quality=orchestrator.quality, now=orchestrator.now
    )


def _fixed(name: str, ruling: Ruling) -> BoundGuardrail:
    return BoundGuardrail(name=name, check=lambda _history: ruling)


def _is_same(kept: Mapping[str, Any], wanted: Overriding) -> bool:
    same = kept["actor"] == wanted.by and kept["reason"] == redact(wanted.reason)
    return same and all(kept[kind] == flag for kind, flag in wanted.flags().items())


def _by(actor: str | None) -> str:
    return "" if actor is None else f" Overridden by {actor}."
