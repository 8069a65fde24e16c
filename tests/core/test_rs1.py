"""The profile ``rs1`` is the source document, computed anew here from its formulas."""

import json
import random
from fractions import Fraction

import pytest

from sentinel_core import (
    RS1,
    STANDARD,
    ExecutionTrace,
    Message,
    Signal,
    TokenUsage,
    ToolCall,
    ToolResult,
    encode_report,
    evaluate_trace,
)

WEIGHTS = {
    "hallucination": Fraction(35, 100),
    "loop": Fraction(25, 100),
    "tool_misuse": Fraction(25, 100),
    "cost": Fraction(15, 100),
}
TOOLS = ("search", "read_file", "book_room", "bash")
TEXTS = ("Let me look.", "I booked the room for you.", "Done.", "All 14 tests pass.", "It costs $1,204.50 in total.")
RESULTS = ("ready", "", "42", '{"status": "ok", "items": []}', "no such room", "a long line of output")


def random_trace(seed):
    """A run of up to 30 steps whose calls succeed or fail by the source's own flag, and how many of each there are."""
    chance = random.Random(seed)
    messages, calls, failed = [Message(role="user", content="Book the room.")], 0, 0
    failing = chance.random()
    for step in range(chance.randint(1, 30)):
        if chance.random() < 0.2:
            messages.append(Message(role="assistant", content=chance.choice(TEXTS)))
            continue
        success, key = chance.random() >= failing, f"c{step}"
        arguments = {"query": f"item {chance.randint(1, 6)}", "limit": chance.randint(1, 3)}
        call = ToolCall(id=key, name=chance.choice(TOOLS), arguments=arguments)
        result = ToolResult(tool_call_id=key, content=chance.choice(RESULTS), success=success)
        messages += [
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", tool_results=(result,)),
        ]
        calls, failed = calls + 1, failed + (not success)
    prompt, completion = chance.randint(0, 900_000), chance.randint(0, 90_000)
    usage = TokenUsage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)
    return ExecutionTrace(trace_id=f"t{seed}", messages=tuple(messages), token_usage=usage), calls, failed


def verdict_of(overall, scores):
    if overall >= Fraction(7, 10) or scores["hallucination"] >= 0.8 or scores["loop"] >= 0.8:
        return "FAIL"
    if overall >= Fraction(4, 10) or scores["tool_misuse"] >= 0.7 or scores["cost"] >= 0.9:
        return "WARN"
    return "PASS"


def differences(seeds):
    """What the report of a random trace says that the source's formulas do not."""
    for seed in seeds:
        trace, calls, failed = random_trace(seed)
        report = evaluate_trace(trace, profile=RS1)
        if report.verdict is None:
            continue
        scores = {one.signal_name: one.score or 0.0 for one in report.signal_scores}
        overall = sum(Fraction(scores[name]) * weight for name, weight in WEIGHTS.items())
        rate = failed / calls if calls else 0.0
        expected = (rate, float(round(overall, 9)), verdict_of(round(overall, 9), scores))
        told = (scores["tool_misuse"], report.overall_score, report.verdict)
        if told != expected:
            yield seed, told, expected


@pytest.mark.parametrize("number", [150, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_rs1_is_the_sources_formulas_to_the_last_digit(number):
    assert list(differences(range(number))) == []


def test_the_random_traces_reach_every_verdict():
    verdicts = {evaluate_trace(random_trace(seed)[0], profile=RS1).verdict for seed in range(150)}
    assert verdicts >= {"PASS", "WARN", "FAIL"}


def test_standard_weighs_failed_calls_by_what_followed():
    trace, calls, failed = next(found for found in map(random_trace, range(20)) if 0 < found[2] < found[1])
    by_profile = [
        next(
            one.score
            for one in evaluate_trace(trace, profile=profile).signal_scores
            if one.signal_name == "tool_misuse"
        )
        for profile in (RS1, STANDARD)
    ]
    assert by_profile[0] == failed / calls != by_profile[1]


def test_a_report_has_the_sources_fields_in_its_shape():
    report = json.loads(encode_report(evaluate_trace(random_trace(3)[0], profile=RS1)))
    assert list(report)[:6] == ["trace_id", "verdict", "overall_score", "signal_scores", "reasoning", "metadata"]
    assert {"signal_name", "score", "details"} <= set(report["signal_scores"][0])
    assert set(report["metadata"]) == {"total_messages", "total_tool_calls", "total_tokens"}


def test_a_function_of_a_trace_to_a_float_is_a_signal():
    def talks_little(trace: ExecutionTrace) -> float:
        return 1 / (1 + len(trace.messages))

    mine = Signal(name="mine", summary="of a trace", detect=lambda index: talks_little(index.trace))
    trace = random_trace(3)[0]
    (score,) = [one for one in evaluate_trace(trace, signals=[mine]).signal_scores if one.signal_name == "mine"]
    assert score.score == talks_little(trace)


def test_an_invalid_trace_is_a_value_error():
    with pytest.raises(ValueError, match=r"^Cannot evaluate: trace_id is required$"):
        evaluate_trace(ExecutionTrace(trace_id="", messages=()))


def test_a_signal_without_the_setting_of_a_profile_keeps_its_own():
    plain = Signal(name="tool_misuse", summary="another of this name", detect=lambda _: 0.25)
    report = evaluate_trace(random_trace(1)[0], signals=[plain], profile=RS1)
    assert [one.score for one in report.signal_scores] == [0.25]
