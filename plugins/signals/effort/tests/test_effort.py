import math

import pytest

from sentinel_core import ExecutionTrace, Message, MessageDetails, TokenUsage, ToolCall, TraceDetails, TraceIndex
from sentinel_signal_effort import detect, sentinel_signals


def wrote(lengths, *, tokens=None, more=(), children=()):
    usage = None if tokens is None else TokenUsage(prompt_tokens=tokens)
    said = (Message(role="assistant", content="x" * length) for length in lengths)
    messages = (Message(role="user", content="x" * 50_000), *said, *more)
    details = TraceDetails(children=tuple(children)) if children else None
    return ExecutionTrace(trace_id="t", messages=messages, token_usage=usage, details=details)


def effort(*lengths, **more):
    return detect(TraceIndex(wrote(lengths, **more))).score


@pytest.mark.parametrize(
    ("length", "times", "score"),
    [(10, 1, 0.0), (100, 1, 0.1), (1_000, 1, 0.45), (100, 100, 0.3), (10_000, 100, 1.0), (20_000, 100, 1.0)],
)
def test_all_that_was_written_and_the_longest_step_on_logarithmic_scales(length, times, score):
    assert effort(*[length] * times) == score


@pytest.mark.parametrize(("tokens", "score"), [(0, 0.3), (100, 0.3), (10**7, 0.633333), (10**400, 0.633333)])
def test_recorded_tokens_count_as_much_as_each(tokens, score):
    assert effort(1_000, tokens=tokens) == score


def test_between_the_powers_of_ten():
    assert effort(300) == round(((math.log10(300) - 1) / 5 + (math.log10(300) - 2) / 2) / 2, 6)


def test_a_step_is_a_message_with_the_arguments_of_its_calls():
    call = ToolCall(id="a", name="write", arguments={"text": "x" * 500, "lines": 7, "more": ["x"] * 900})
    step = Message(role="assistant", content="x" * 500, tool_calls=(call,))
    assert effort(500, more=(step,)) == 0.45
    assert effort(500, more=(Message(role="assistant", content="x" * 500),)) == 0.374743


def test_copied_context_and_the_user_do_not_count():
    call = ToolCall(id="a", name="write", arguments={"text": "x" * 900})
    details = MessageDetails(is_copied_context=True)
    copied = Message(role="assistant", content="x" * 900, tool_calls=(call,), details=details)
    assert effort(100, more=(copied,)) == 0.1


def test_sub_agents_count():
    assert effort(400, children=(wrote((600,)),)) == effort(600, 400)
    assert effort(400, children=(wrote((600,), tokens=100_000),)) == effort(600, 400, tokens=100_000)


def test_much_effort_is_a_note_that_says_what_it_is():
    found = detect(TraceIndex(wrote([20_000] * 10)))
    [one] = found.findings
    assert (one.rule, one.severity) == ("much_effort", "note")
    assert "no defect" in one.text
    assert "used for sorting only" in detect(TraceIndex(wrote([20]))).details.lower()


def test_an_agent_that_did_nothing_is_not_measured():
    assert detect(TraceIndex(ExecutionTrace(trace_id="t"))).score is None


def test_the_hook_offers_the_signal_with_its_rule():
    [signal] = sentinel_signals()
    assert (signal.name, [rule.id for rule in signal.rules]) == ("effort", ["much_effort"])
