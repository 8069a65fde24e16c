"""What an attempt was worth: by rules, and by a model under two personas."""

from pathlib import Path

import attrs
import pytest

from sentinel_agent.reflection.by_model import PESSIMIST, SAGE, ModelReflector
from sentinel_core.errors import NetworkError
from sentinel_core.guardrails.facts import Reflection
from sentinel_core.guardrails.reflect_by_rules import RULES, at_worst, reflect_by_rules, report_digest, tag_of
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.model import Reply
from sentinel_core.report import Finding, ReliabilityReport, ReportMetadata, SignalFailure, SignalScore
from sentinel_core.testing import ScriptedModel
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, TraceDetails
from sentinel_core.traces.codec import decode_trace

EXAMPLES = Path(__file__).parents[2] / "examples" / "traces"
ENDED = ExecutionTrace(
    trace_id="t", messages=(Message(role="user", content="Go."), Message(role="assistant", content="Done."))
)
GOOD = {"alignment_score": 0.9, "drift_score": 0.1, "summary_valid": True}


def report(overall=0.0, findings=(), failures=(), **scores):
    made = tuple(
        SignalScore(signal_name=name, score=score, details="", weight=0.25, contribution=0.0)
        for name, score in scores.items()
    )
    return ReliabilityReport(
        trace_id="t",
        verdict="PASS",
        overall_score=overall,
        signal_scores=made,
        reasoning="PASS",
        metadata=ReportMetadata(total_messages=2, total_tool_calls=0, total_tokens=None),
        findings=findings,
        failures=failures,
    )


def finding(rule, severity="error"):
    return Finding(rule=rule, severity=severity, text=f"{rule} of sk-{'a' * 30}")


@pytest.mark.parametrize(
    ("scores", "alignment", "drift"),
    [
        ({}, 1.0, 0.0),
        ({"overall": None}, 1.0, 0.0),
        ({"hallucination": 0.3}, 0.7, 0.0),
        ({"tool_misuse": 0.1, "hallucination": 0.05}, 0.9, 0.0),
        ({"overall": 0.4, "hallucination": 0.1}, 0.6, 0.0),
        ({"loop": 0.8, "cost": 1.0, "overall": 0.35}, 0.65, 0.8),
        ({"hallucination": None, "loop": None}, 1.0, 0.0),
    ],
)
def test_the_formulas(scores, alignment, drift):
    found = reflect_by_rules(ENDED, report(**scores))
    assert (found.alignment_score, found.drift_score) == (alignment, drift)
    assert (found.summary_valid, found.bias_tags, found.persona) == (True, (), RULES)


def test_tags_are_the_rules_of_warnings_and_errors():
    found = (
        finding("loop.same_call"),
        finding("loop.same_call", "warning"),
        finding("cost.note", "note"),
        finding("My Own!"),
    )
    assert reflect_by_rules(ENDED, report(findings=found)).bias_tags == ("loop.same_call", "my_own")


@pytest.mark.parametrize(
    "trace",
    [
        ExecutionTrace(trace_id="t"),
        attrs.evolve(ENDED, messages=ENDED.messages[:1]),
        attrs.evolve(ENDED, messages=(Message(role="assistant", content=" \n"),)),
        attrs.evolve(
            ENDED, messages=(Message(role="assistant", content="Now", tool_calls=(ToolCall(id="1", name="f"),)),)
        ),
        attrs.evolve(ENDED, details=TraceDetails(outcome="max_turns")),
    ],
)
def test_an_attempt_without_a_last_word_has_no_valid_summary(trace):
    assert not reflect_by_rules(trace, report()).summary_valid


def test_an_incomplete_report_is_no_valid_summary():
    broken = report(failures=(SignalFailure(signal_name="loop", error="raised"),))
    assert not reflect_by_rules(ENDED, broken).summary_valid
    assert not reflect_by_rules(ENDED, attrs.evolve(report(), verdict=None)).summary_valid
    assert reflect_by_rules(attrs.evolve(ENDED, details=TraceDetails(outcome="completed")), report()).summary_valid


def test_the_examples():
    honest, fabricated = (decode_trace((EXAMPLES / f"{name}.json").read_bytes()) for name in ("honest", "fabricated"))
    good, bad = (reflect_by_rules(trace, evaluate_trace(trace)) for trace in (honest, fabricated))
    assert good.alignment_score > 0.75
    assert bad.alignment_score < 0.25
    assert bad.bias_tags == ("hallucination.claim_without_call",)
    assert good.bias_tags == ()


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("Confirmation Bias", "confirmation_bias"),
        ("__x__", "x"),
        ("!?", ""),
        ("a" * 99, "a" * 64),
        ("a.b:c-d", "a.b:c-d"),
    ],
)
def test_text_as_a_tag(text, tag):
    assert tag_of(text) == tag


def test_a_digest_holds_no_secret():
    digest = report_digest(report(overall=0.5, findings=(finding("loop.x"),), loop=0.5))
    assert digest["scores"] == {"loop": 0.5}
    assert digest["findings"] == [{"rule": "loop.x", "severity": "error", "text": "loop.x of [redacted]"}]


def test_the_more_critical_counts():
    one = Reflection(alignment_score=0.9, drift_score=0.4, bias_tags=("a", "b"), persona="ONE")
    other = Reflection(alignment_score=0.5, drift_score=0.1, summary_valid=False, bias_tags=("b", "c"), persona="OTHER")
    assert at_worst(one, other) == Reflection(
        alignment_score=0.5, drift_score=0.4, summary_valid=False, bias_tags=("a", "b", "c"), persona="ONE"
    )


def answer(**arguments):
    return Reply(
        tool_calls=(ToolCall(id="1", name="record_reflection", arguments=arguments),), stop_reason="tool_calls"
    )


def test_a_model_answers_as_sage_and_as_pessimist():
    model = ScriptedModel([answer(**GOOD), answer(bias_tags=["Confirmation Bias", "haste", "!"])])
    found = ModelReflector(model=model, timeout=9.0)(ENDED, report())
    assert found == Reflection(
        alignment_score=0.9, drift_score=0.1, bias_tags=("confirmation_bias", "haste"), persona="SAGE"
    )
    assert [request.system_prompt for request in model.requests] == [SAGE.prompt, PESSIMIST.prompt]
    for request, persona in zip(model.requests, (SAGE, PESSIMIST), strict=True):
        assert (request.tool_choice, request.timeout) == ("required", 9.0)
        assert request.tools[0].parameters == persona.answer
        assert '"content":"Done."' in request.messages[0].content


def test_a_model_cannot_make_an_attempt_better_than_the_rules_do():
    model = ScriptedModel([answer(**GOOD), answer(bias_tags=[])])
    found = ModelReflector(model=model)(ENDED, report(hallucination=0.8, loop=0.6))
    assert (found.alignment_score, found.drift_score, found.persona) == (0.2, 0.6, "SAGE")


def test_an_answer_that_does_not_fit_is_asked_for_once_more():
    model = ScriptedModel([answer(alignment_score=7), answer(**GOOD), Reply(content="none"), answer(bias_tags=[])])
    found = ModelReflector(model=model)(ENDED, report())
    assert (found.persona, found.note) == ("SAGE", "")
    assert "could not be used: " in model.requests[1].messages[0].content
    assert "record_reflection was not called" in model.requests[3].messages[0].content


@pytest.mark.parametrize(
    ("script", "note"),
    [
        ([NetworkError("unreachable with sk-" + "a" * 30)], "unreachable with [redacted]"),
        ([RuntimeError("a defect")], "the provider failed: RuntimeError: a defect"),
        (["no reply"], "the provider returned a str instead of a Reply"),
        ([answer(**GOOD), answer(), answer(bias_tags=[1])], "PESSIMIST gave no usable answer: 1 is not of type"),
        ([Reply(content="text")] * 2, "SAGE gave no usable answer: record_reflection was not called"),
    ],
)
def test_where_the_model_fails_the_rules_stand_in(script, note):
    found = ModelReflector(model=ScriptedModel(script))(ENDED, report(hallucination=0.4))
    assert attrs.evolve(found, note="") == reflect_by_rules(ENDED, report(hallucination=0.4))
    assert found.note.startswith(f"The rules rated the attempt instead of a model: {note}")


def test_a_long_attempt_is_shown_with_its_beginning_and_its_end():
    texts = ["first", *("x" * 9_000 for _ in range(9)), "password=hunter2hunter2 last"]
    trace = attrs.evolve(ENDED, messages=tuple(Message(role="assistant", content=text) for text in texts))
    model = ScriptedModel([answer(**GOOD), answer(bias_tags=[])])
    ModelReflector(model=model)(trace, report(findings=(finding("loop.x"),)))
    shown = model.requests[0].messages[0].content
    assert len(shown) < 30_000
    assert "first" in shown
    assert "last" in shown
    assert "hunter2" not in shown
    assert "- error: loop.x of [redacted]" in shown
