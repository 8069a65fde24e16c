"""The four component functions of the source document, with what its own examples say of them."""

import asyncio
import inspect

import pytest

from sentinel_core import (
    calculate_fatigue_score,
    detect_bias_repetition,
    enforce_rerun_limits,
    log_rerun_reasoning,
    submit_loop,
)
from sentinel_core.errors import LoopRequestError, UnknownLoopError
from sentinel_core.guardrails import coroutines
from sentinel_core.guardrails.loops import process_loop_completion

POOR = (0.72, 0.28)


def trace_of(orchestrator, loop_id):
    (trace,) = [one for one in orchestrator.family(loop_id)["family"]["loops"] if one["loop_id"] == loop_id]
    return trace


def test_the_limit_is_reached_with_the_last_rerun_and_an_override_lifts_it(make, walk):
    orchestrator = make()
    submit_loop("fresh", alignment_score=0.7, drift_score=0.3, orchestrator=orchestrator)
    assert enforce_rerun_limits("fresh", orchestrator=orchestrator) == {
        "rerun_count": 0,
        "max_reruns": 3,
        "limit_reached": False,
        "force_finalize": False,
        "overridden": False,
        "overridden_by": None,
    }
    last = walk(orchestrator, [(0.5, 0.5), (0.6, 0.4), (0.65, 0.35), (0.7, 0.3)])[-1]["loop_id"]
    reached = enforce_rerun_limits(last, orchestrator=orchestrator)
    assert (reached["rerun_count"], reached["limit_reached"], reached["force_finalize"]) == (3, True, True)
    lifted = enforce_rerun_limits(last, True, "ana", orchestrator=orchestrator)
    assert (lifted["force_finalize"], lifted["overridden"], lifted["overridden_by"]) == (False, True, "ana")


def test_a_tag_is_repeated_from_the_threshold_on(make):
    orchestrator = make()
    for number in range(3):
        tags = ["hedging"] if number < 2 else []
        submit_loop(f"l{number}", alignment_score=0.9, drift_score=0.1, bias_tags=tags, orchestrator=orchestrator)
    asked = [{"tag": "hedging", "score": 0.9}, "optimism"]
    found = detect_bias_repetition("l2", asked, orchestrator=orchestrator)
    assert found == {
        "bias_repetition": True,
        "repeated_tags": ["hedging"],
        "repetition_counts": {"hedging": 3, "optimism": 1},
        "threshold": 3,
        "bias_echo": True,
        "trigger": "pessimist",
        "action": "halt_loop",
    }
    higher = detect_bias_repetition("l2", asked, threshold=4, orchestrator=orchestrator)
    assert (higher["bias_repetition"], higher["trigger"], higher["threshold"]) == (False, None, 4)
    assert trace_of(orchestrator, "l2")["repeated_tags"] == ()  # nothing was stored


def test_fatigue_rises_without_improvement_and_decays_with_it(make):
    orchestrator = make()
    submit_loop("loop_001", alignment_score=0.72, drift_score=0.28, orchestrator=orchestrator)
    first = calculate_fatigue_score("loop_001", *POOR, orchestrator=orchestrator)
    assert first == {
        "reflection_fatigue": 0.0,
        "previous_fatigue": 0.0,
        "fatigue_increment": 0.0,
        "fatigue_increased": False,
        "improvement_detected": False,
        "threshold_exceeded": False,
        "critical_threshold": 0.5,
        "force_finalize": False,
    }
    process_loop_completion("loop_001", "done", orchestrator=orchestrator)
    same = calculate_fatigue_score("loop_001_r1", *POOR, orchestrator=orchestrator)
    assert (same["reflection_fatigue"], same["fatigue_increased"], same["improvement_detected"]) == (0.15, True, False)
    better = calculate_fatigue_score("loop_001_r1", 0.8, 0.28, 0.4, orchestrator=orchestrator)
    assert (better["reflection_fatigue"], better["previous_fatigue"]) == (0.35, 0.4)
    worn = calculate_fatigue_score("loop_001_r1", *POOR, 0.35, orchestrator=orchestrator)
    assert (worn["reflection_fatigue"], worn["threshold_exceeded"], worn["force_finalize"]) == (0.5, True, True)
    assert calculate_fatigue_score("loop_001_r1", *POOR, 0.99, orchestrator=orchestrator)["reflection_fatigue"] == 1.0


def test_a_reasoning_is_stored_with_the_loop_and_changes_no_decision(make):
    orchestrator = make()
    submit_loop("loop_001", alignment_score=0.72, drift_score=0.28, orchestrator=orchestrator)
    decided = process_loop_completion("loop_001", "done", orchestrator=orchestrator)
    told = log_rerun_reasoning("loop_001", ["alignment", "drift"], "thresholds", orchestrator=orchestrator)
    assert told == {
        "rerun_trigger": ["alignment", "drift"],
        "rerun_reason": "thresholds",
        "rerun_reason_detail": "Triggered by alignment, drift",
        "reflection_persona": None,
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    told = log_rerun_reasoning("loop_001", ["manual"], "asked", "Ana asked.", "ana", "SAGE", orchestrator=orchestrator)
    assert told["overridden_by"] == "ana"
    trace = trace_of(orchestrator, "loop_001")
    assert (trace["rerun_reason"], trace["rerun_reason_detail"], trace["rerun_trigger"]) == (
        "asked",
        "Ana asked.",
        ("manual",),
    )
    assert (trace["overridden_by"], trace["reflection_persona"], trace["status"]) == ("ana", "SAGE", "rerun")
    assert process_loop_completion("loop_001", "done", orchestrator=orchestrator) == decided


def test_what_cannot_be_measured_is_refused(make):
    orchestrator = make()
    with pytest.raises(UnknownLoopError):
        enforce_rerun_limits("nobody", orchestrator=orchestrator)
    submit_loop("l", alignment_score=0.9, drift_score=0.1, orchestrator=orchestrator)
    with pytest.raises(LoopRequestError, match="alignment_score"):
        calculate_fatigue_score("l", 1.5, 0.1, orchestrator=orchestrator)
    with pytest.raises(LoopRequestError, match="rerun_reason"):
        log_rerun_reasoning("l", [""], "r", orchestrator=orchestrator)
    orchestrator.guardrails = ()
    with pytest.raises(LoopRequestError, match='"rerun_limit" is not installed'):
        enforce_rerun_limits("l", orchestrator=orchestrator)


def test_an_invalid_status_may_be_answered_instead_of_raised(make):
    orchestrator = make()
    with pytest.raises(LoopRequestError):
        process_loop_completion("l", "pending", orchestrator=orchestrator)
    assert process_loop_completion("l", "pending", answer_invalid_status=True, orchestrator=orchestrator) == {
        "status": "error",
        "message": "Invalid reflection status. Must be 'done'.",
        "loop_id": "l",
    }


def test_a_completion_tells_the_repeated_tags_their_counts_and_the_persona(make):
    orchestrator, answers = make(), []
    for number in range(3):
        submit_loop(
            f"l{number}", alignment_score=0.9, drift_score=0.1, bias_tags=["hedging"], reflection_persona="PESSIMIST",
            orchestrator=orchestrator,
        )  # fmt: skip
        answers.append(process_loop_completion(f"l{number}", "done", orchestrator=orchestrator))
    told = [answer["reflection_result"] for answer in answers]
    assert [one["repetition_counts"] for one in told] == [{"hedging": count} for count in (1, 2, 3)]
    assert [one["repeated_tags"] for one in told] == [[], [], ["hedging"]]
    assert {answer["orchestrator_persona"] for answer in answers} == {"PESSIMIST"}


def test_the_calls_are_there_as_coroutines(make):
    orchestrator = make()

    async def run():
        await coroutines.submit_loop("loop_001", alignment_score=0.9, drift_score=0.1, orchestrator=orchestrator)
        answer = await coroutines.process_loop_completion("loop_001", "done", "SAGE", orchestrator=orchestrator)
        return answer, await coroutines.enforce_rerun_limits("loop_001", orchestrator=orchestrator)

    answer, limits = asyncio.run(run())
    assert (answer["decision_result"]["decision"], limits["rerun_count"]) == ("finalize", 0)
    assert all(inspect.iscoroutinefunction(getattr(coroutines, name)) for name in coroutines.__all__)
