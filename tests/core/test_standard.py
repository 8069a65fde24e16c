"""The default profile and the score that sorts."""

import pytest
from tables import each_row

from sentinel_core import RS1, STANDARD, Detection, ExecutionTrace, Finding, Message, Signal, evaluate_trace
from sentinel_core.evaluate.policy import TRIAGE_WEIGHTS


def found(severity, score=0.3, name="loop"):
    return {name: Detection(score=score, findings=[Finding(rule="again", severity=severity, text="Twice.")])}


TRACE = ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Done."),))


def judged(profile=STANDARD, **scores):
    signals = [Signal(name=name, summary="s", detect=lambda _, score=score: score) for name, score in scores.items()]
    return evaluate_trace(TRACE, signals=signals, profile=profile)


ZERO = dict.fromkeys(RS1.weights, 0.0)


@each_row(
    ("scores", "standard", "rs1"),
    [
        ({}, "PASS", "PASS"),
        ({"ending": 0.79}, "PASS", "PASS"),
        ({"ending": 0.8}, "WARN", "PASS"),
        ({"ending": 0.95}, "FAIL", "PASS"),
        ({"hallucination": 0.4}, "WARN", "PASS"),
        ({"hallucination": 0.8}, "FAIL", "FAIL"),
        ({"effort": 1.0}, "PASS", "PASS"),
        ({"tool_misuse": 0.7}, "WARN", "WARN"),
    ],
)
def test_standard_is_rs1_and_three_rules(scores, standard, rs1):
    given = {**ZERO, **scores}
    by_standard, by_rs1 = judged(**given), judged(RS1, **given)
    assert (by_standard.verdict, by_rs1.verdict) == (standard, rs1)
    assert by_standard.overall_score == by_rs1.overall_score
    assert (by_standard.profile["name"], by_rs1.profile["name"]) == ("standard", "rs1")


def test_one_signal_gives_one_reason():
    assert judged(**ZERO, ending=1.0).reasoning == "FAIL: ending 1, critical at 0.95."


def test_what_a_critical_rule_names_is_not_advisory():
    advisory = {score.signal_name: score.advisory for score in judged(**ZERO, ending=0.0, effort=0.0).signal_scores}
    assert [name for name, one in advisory.items() if one] == ["effort"]


def test_a_signal_that_a_critical_rule_names_and_that_fails_withholds_the_pass():
    broken = judged(**ZERO, ending=2.0)
    assert (broken.verdict, broken.is_complete) == (None, False)
    assert judged(RS1, **ZERO, ending=2.0).verdict == "PASS"


def test_a_signal_that_a_critical_rule_names_and_that_is_not_installed_withholds_the_pass():
    from sentinel_core.evaluate.evaluator import BoundSignal, Panel, evaluate
    from sentinel_core.evaluate.index import TraceIndex

    signals = tuple(BoundSignal(name=name, detect=lambda _: 0.0) for name in RS1.weights)
    report = evaluate(TraceIndex(TRACE), Panel(signals=signals, profile=STANDARD))
    assert report.verdict is None
    assert [(failure.signal_name, failure.error) for failure in report.failures] == [("ending", "is not installed")]
    assert (
        evaluate(TraceIndex(TRACE), Panel(signals=signals, profile=STANDARD, left_out=frozenset({"ending"}))).verdict
        == "PASS"
    )


def test_triage_is_a_weighted_mean_over_what_could_be_measured():
    assert sum(TRIAGE_WEIGHTS.values()) == pytest.approx(1.0)
    four = {name: weight for name, weight in TRIAGE_WEIGHTS.items() if name in RS1.weights}
    assert {name: round(weight / 0.3, 9) for name, weight in four.items()} == RS1.weights
    assert judged(ending=1.0, effort=0.5, cost=Detection(score=None), mine=1.0).triage_score == round(0.55 / 0.7, 9)
    assert judged(mine=1.0, cost=Detection(score=None)).triage_score is None
    assert judged(**ZERO, ending=1.0, effort=0.5).triage_score == 0.55
    assert judged(RS1, **ZERO, ending=1.0, effort=0.5).triage_score == 0.55


def test_installed_signals_are_judged_by_standard():
    report = evaluate_trace(TRACE)
    assert (report.profile["name"], report.verdict) == ("standard", "PASS")
    assert {score.signal_name for score in report.signal_scores} >= set(TRIAGE_WEIGHTS)


@pytest.mark.parametrize(("severity", "verdict"), [("error", "FAIL"), ("warning", "WARN"), ("note", "PASS")])
def test_a_finding_of_a_signal_with_a_weight_is_a_verdict(severity, verdict):
    by_standard = judged(**{**ZERO, **found(severity)})
    by_rs1 = judged(RS1, **{**ZERO, **found(severity)})
    assert (by_standard.verdict, by_rs1.verdict) == (verdict, "PASS")
    assert by_standard.overall_score == by_rs1.overall_score == 0.075
    assert by_standard.raise_for_verdict("fail") if verdict != "FAIL" else by_standard.ok is False


def test_what_was_found_and_its_rule_explain_the_verdict():
    assert judged(**{**ZERO, **found("error")}).reasoning == "FAIL: Twice (loop.again)."
    assert judged(**ZERO).reasoning == "PASS: no error or warning was found."


@pytest.mark.parametrize("severity", ["error", "warning"])
def test_a_finding_of_a_signal_without_a_weight_is_none(severity):
    mine = judged(**ZERO, **found(severity, name="mine"))
    assert mine.verdict == "PASS"
    assert mine.reasoning == "PASS: no error or warning is from a signal that has a weight."


def test_installed_signals_give_rs1s_score_to_the_last_digit_and_its_verdict():
    from sentinel_core import TokenUsage
    from sentinel_core.testing import exchange

    messages = [Message(role="user", content="Look.")]
    for number in range(130):
        messages += exchange(f"c{number}", "read_page", {"page": number}, f"page {number}")
    messages.append(Message(role="assistant", content="I have read all pages."))
    usage = TokenUsage(prompt_tokens=650_000, completion_tokens=9_000)
    long = ExecutionTrace(trace_id="long", messages=tuple(messages), token_usage=usage)
    by_standard, by_rs1 = evaluate_trace(long), evaluate_trace(long, profile=RS1)
    assert by_standard.overall_score == by_rs1.overall_score > 0.2
    assert (by_standard.verdict, by_rs1.verdict) == ("PASS", "WARN")
    assert {finding.severity for finding in by_standard.findings} == {"note"}
    assert by_rs1.reasoning.startswith("WARN: The run used 659,000 tokens")
