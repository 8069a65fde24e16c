"""The answers of the library calls, built from stored facts; the same loop gives the same answer every time."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import attrs

from sentinel_core.guardrails.facts import Override, Reflection, Ruling
from sentinel_core.guardrails.family import Completion, Family, Loop, loop_trace, merged_facts

__all__ = ["completion_answer", "failed_answer", "family_answer", "override_answer", "status_answer", "timestamp"]


def completion_answer(family: Family, loop: Loop, reflection: Reflection, completion: Completion) -> dict[str, Any]:
    """The answer of ``process_loop_completion``."""
    facts, decision = merged_facts(completion.rulings), completion.decision
    return {
        "status": "success",
        "loop_id": loop.loop_id,
        "reflection_result": {
            "alignment_score": reflection.alignment_score,
            "drift_score": reflection.drift_score,
            "summary_valid": reflection.summary_valid,
            "reflection_persona": reflection.persona,
            "bias_echo": facts.get("bias_echo", False),
            "repeated_tags": facts.get("repeated_tags", []),
            "repetition_counts": facts.get("repetition_counts", {}),
            "reflection_fatigue": facts.get("reflection_fatigue", 0.0),
        },
        "decision_result": {
            "decision": decision.decision,
            "original_loop_id": family.root,
            "new_loop_id": completion.new_loop_id,
            "rerun_reason": decision.rerun_reason,
            "rerun_number": decision.rerun_number,
            "rerun_count": completion.rerun_count,
            "max_reruns": facts.get("max_reruns"),
        },
        "orchestrator_persona": completion.orchestrator_persona or reflection.persona,
        "timestamp": completion.at,
    }


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def failed_answer(loop_id: str, message: str, moment: datetime) -> dict[str, Any]:
    """The answer of ``process_loop_completion`` if the store cannot be used: never a rerun."""
    return {
        "status": "error",
        "message": message,
        "loop_id": loop_id,
        "reflection_result": None,
        "decision_result": {
            "decision": "finalize",
            "original_loop_id": None,
            "new_loop_id": None,
            "rerun_reason": "guardrail_failed",
            "rerun_number": None,
            "rerun_count": None,
            "max_reruns": None,
        },
        "orchestrator_persona": None,
        "timestamp": timestamp(moment),
    }


def status_answer(family: Family, loop: Loop, rulings: Mapping[str, Ruling]) -> dict[str, Any]:
    """The answer of ``get_guardrails_status``; ``rulings`` are on the attempts up to this loop."""
    facts, reruns = merged_facts(rulings), len(family.loops) - 1
    most = facts.get("max_reruns")
    reflection, completion = loop.reflection, loop.completion
    decision = None if completion is None else completion.decision
    stopped = any(ruling.action != "allow" for ruling in rulings.values())
    return {
        "status": "success",
        "guardrails_status": {
            "loop_id": loop.loop_id,
            "rerun_count": reruns,
            "max_reruns": most,
            "rerun_limit_reached": most is not None and reruns >= most,
            "bias_echo": facts.get("bias_echo", False),
            "reflection_fatigue": facts.get("reflection_fatigue", 0.0),
            "fatigue_threshold_exceeded": facts.get("threshold_exceeded", False),
            "force_finalize": stopped if decision is None else decision.force_finalize,
            "rerun_reason": None if decision is None else decision.rerun_reason,
            "rerun_trigger": [] if decision is None else list(decision.rerun_trigger),
            "alignment_score": None if reflection is None else reflection.alignment_score,
            "drift_score": None if reflection is None else reflection.drift_score,
            "summary_valid": None if reflection is None else reflection.summary_valid,
            "reflection_persona": None if reflection is None else reflection.persona,
        },
    }


def override_answer(loop_id: str, override: Override) -> dict[str, Any]:
    """The answer of ``override_guardrails``."""
    return {
        "status": "success",
        "loop_id": loop_id,
        "override_fatigue": override.override_fatigue,
        "override_max_reruns": override.override_max_reruns,
        "override_bias_echo": override.override_bias_echo,
        "overridden_by": override.actor,
        "override_reason": override.reason,
        "override_expires_at": override.expires_at,
    }


def family_answer(family: Family, tags_elsewhere: Mapping[str, int]) -> dict[str, Any]:
    """The whole family: every loop, every override, and for its bias tags the number of loops of other families."""
    return {
        "status": "success",
        "family": {
            "root": family.root,
            "loops": [attrs.asdict(loop_trace(loop)) for loop in family.loops],
            "overrides": [attrs.asdict(override) for override in family.overrides],
            "bias_tags": {
                loop.loop_id: list(loop.reflection.bias_tags) for loop in family.loops if loop.reflection is not None
            },
            "bias_tags_elsewhere": dict(tags_elsewhere),
            "audit": {"rows": family.rows, "head": family.head},
        },
    }
