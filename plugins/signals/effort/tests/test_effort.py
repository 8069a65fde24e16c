import math

import pytest

from sentinel_core import ExecutionTrace, Message, MessageDetails, TokenUsage, ToolCall, TraceDetails, TraceIndex
from sentinel_signal_effort import detect, sentinel_signals


def wrote(words, *, tokens=None, more=(), children=()):
    usage = None if tokens is None else TokenUsage(prompt_tokens=tokens)
    messages = (
        Message(role="user", content="word " * 500),
        Message(role="assistant", content=" ".join(["word"] * words)),
        *more,
    )
    details = TraceDetails(children=tuple(children)) if children else None
    return ExecutionTrace(trace_id="t", messages=messages, token_usage=usage, details=details)


def effort(*given, **more):
    return detect(TraceIndex(wrote(*given, **more))).score


@pytest.mark.parametrize(("words", "score"), [(1, 0.0), (10, 0.2), (1_000, 0.6), (100_000, 1.0), (200_000, 1.0)])
def test_words_on_a_logarithmic_scale(words, score):
    assert effort(words) == score


@pytest.mark.parametrize(("tokens", "score"), [(0, 0.3), (100, 0.3), (100_000, 0.6), (10**7, 0.8), (10**400, 0.8)])
def test_recorded_tokens_count_as_much_as_words(tokens, score):
    assert effort(1_000, tokens=tokens) == score


def test_between_the_powers_of_ten():
    assert effort(300) == round(math.log10(300) / 5, 6)


def test_copied_context_calls_and_the_user_do_not_count():
    copied = Message(role="assistant", content="word " * 900, details=MessageDetails(is_copied_context=True))
    call = Message(role="assistant", tool_calls=(ToolCall(id="a", name="write", arguments={"text": "word " * 900}),))
    assert effort(10, more=(copied, call)) == 0.2


def test_sub_agents_count():
    assert effort(40, children=(wrote(60),)) == 0.4
    assert effort(40, children=(wrote(60, tokens=100_000),)) == 0.5


def test_much_effort_is_a_note_that_says_what_it_is():
    found = detect(TraceIndex(wrote(20_000)))
    [one] = found.findings
    assert (one.rule, one.severity) == ("much_effort", "note")
    assert "a prior, not a defect" in one.text
    assert "a prior, not a defect" in detect(TraceIndex(wrote(20))).details.lower()


def test_an_agent_that_did_nothing_is_not_measured():
    assert detect(TraceIndex(ExecutionTrace(trace_id="t"))).score is None


def test_the_hook_offers_the_signal_with_its_rule():
    [signal] = sentinel_signals()
    assert (signal.name, [rule.id for rule in signal.rules]) == ("effort", ["much_effort"])
