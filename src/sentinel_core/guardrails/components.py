"""The four measurements behind a decision, each by itself, under the names of the source document.

    from sentinel_core import calculate_fatigue_score, enforce_rerun_limits

    enforce_rerun_limits("loop_001")["limit_reached"]
    calculate_fatigue_score("loop_001", alignment_score=0.72, drift_score=0.28)["reflection_fatigue"]

The first three ask the installed guardrail ``rerun_limit``, ``bias_echo`` or ``reflection_fatigue`` about what the store has of
the loop's family, and store nothing: ``process_loop_completion`` decides and stores. ``log_rerun_reasoning`` stores a reasoning
with the loop. ``orchestrator`` is as in ``process_loop_completion``. All raise ``UnknownLoopError``, ``StoreError``, and
``LoopRequestError`` for a malformed request or if the guardrail is not installed or failed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from sentinel_core.errors import LoopRequestError
from sentinel_core.guardrails.bound import ask_all
from sentinel_core.guardrails.facts import FAILED, History
from sentinel_core.guardrails.loops import default_orchestrator
from sentinel_core.guardrails.orchestrator import Orchestrator
from sentinel_core.guardrails.schemas import check, plain_tags

__all__ = ["calculate_fatigue_score", "detect_bias_repetition", "enforce_rerun_limits", "log_rerun_reasoning"]


def enforce_rerun_limits(
    loop_id: str,
    override_max_reruns: bool = False,
    override_by: str | None = None,
    *,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """How many reruns the loop's family has had, and whether the limit ends it; with the override, it does not."""
    used = default_orchestrator(orchestrator)
    facts = _facts(used, "rerun_limit", used.history(loop_id))
    overridden = facts["limit_reached"] and override_max_reruns
    return {
        "rerun_count": facts["rerun_count"],
        "max_reruns": facts["max_reruns"],
        "limit_reached": facts["limit_reached"],
        "force_finalize": facts["limit_reached"] and not override_max_reruns,
        "overridden": overridden,
        "overridden_by": override_by if overridden else None,
    }


def detect_bias_repetition(
    loop_id: str,
    bias_tags: Iterable[str | Mapping[str, Any]],
    threshold: int | None = None,
    *,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """In how many loops each of these tags was seen, this loop included, and which of them are repeated.

    ``threshold`` replaces the guardrail's ``bias_repetition_threshold``.
    """
    used, tags = default_orchestrator(orchestrator), plain_tags(bias_tags)
    check({"alignment_score": 0.0, "drift_score": 0.0, "bias_tags": list(tags)}, "reflection")
    history = used.history(loop_id, tags=tags)
    last = attrs.evolve(history.attempts[-1], bias_tags=tags)
    facts = _facts(used, "bias_echo", attrs.evolve(history, attempts=(*history.attempts[:-1], last)))
    limit = facts["threshold"] if threshold is None else threshold
    counts = {tag: facts["repetition_counts"][tag] for tag in sorted(set(tags))}
    repeated = [tag for tag, count in counts.items() if count >= limit]
    return {
        "bias_repetition": bool(repeated),
        "repeated_tags": repeated,
        "repetition_counts": counts,
        "threshold": limit,
        "bias_echo": bool(repeated),
        "trigger": "pessimist" if repeated else None,
        "action": "halt_loop" if repeated else None,
    }


def calculate_fatigue_score(
    loop_id: str,
    alignment_score: float,
    drift_score: float,
    previous_fatigue: float | None = None,
    *,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """The family's fatigue if this loop had these scores; ``previous_fatigue`` replaces what it was before."""
    check({"alignment_score": alignment_score, "drift_score": drift_score}, "reflection")
    used = default_orchestrator(orchestrator)
    history = used.history(loop_id)
    last = attrs.evolve(history.attempts[-1], alignment_score=alignment_score, drift_score=drift_score)
    facts = _facts(used, "reflection_fatigue", attrs.evolve(history, attempts=(*history.attempts[:-1], last)))
    most = facts.pop("max_fatigue")
    if previous_fatigue is None:
        return facts
    fatigue = round(max(0.0, min(most, previous_fatigue + facts["fatigue_increment"])), 9)
    exceeded = fatigue >= facts["critical_threshold"]
    return {
        **facts,
        "reflection_fatigue": fatigue,
        "previous_fatigue": previous_fatigue,
        "threshold_exceeded": exceeded,
        "force_finalize": exceeded,
    }


def log_rerun_reasoning(
    loop_id: str,
    rerun_trigger: Sequence[str],
    rerun_reason: str,
    rerun_reason_detail: str | None = None,
    overridden_by: str | None = None,
    reflection_persona: str | None = None,
    *,
    orchestrator: Orchestrator | None = None,
) -> dict[str, Any]:
    """Store why a loop is run again, as its caller tells it, and return that; the loop's trace then shows it.

    It changes no decision. Without a detail, it is ``Triggered by`` and the triggers.
    """
    if not rerun_reason or not all(isinstance(one, str) and one for one in rerun_trigger):
        raise LoopRequestError("a reasoning needs a rerun_reason and triggers that are texts, in $.rerun_reason")
    detail = rerun_reason_detail or f"Triggered by {', '.join(rerun_trigger)}"
    return default_orchestrator(orchestrator).log_reasoning(
        loop_id,
        {
            "rerun_trigger": list(rerun_trigger),
            "rerun_reason": rerun_reason,
            "rerun_reason_detail": detail,
            "reflection_persona": reflection_persona,
            **({"overridden_by": overridden_by} if overridden_by else {}),
        },
    )


def _facts(used: Orchestrator, name: str, history: History) -> dict[str, Any]:
    """What the guardrail of that name measures on a history."""
    ruling = ask_all([one for one in used.guardrails if one.name == name], history).get(name)
    if ruling is None:
        raise LoopRequestError(f'the guardrail "{name}" is not installed: pip install "reliability-sentinel[standard]"')
    if ruling.reason == FAILED:
        raise LoopRequestError(ruling.detail)
    return dict(ruling.facts)
