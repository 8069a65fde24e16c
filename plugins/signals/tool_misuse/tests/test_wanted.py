"""A script that fails as it was meant to, because it shows the bug that the agent looks for."""

import time

import pytest
from tables import each_row

from sentinel_core import ExecutionTrace, Message, ToolCall, ToolResult, TraceDetails, TraceIndex
from sentinel_signal_tool_misuse import ToolMisuseSettings, detect

SETTINGS = ToolMisuseSettings()
FAILURE = "ValueError: the list is empty"
BEFORE = "Let me reproduce the bug."
AFTER = "The script reproduced the bug. Next I look for its cause."


def detected(before=BEFORE, after=AFTER, result=FAILURE, path="a.py", between=(), then=()):
    """A call that failed, what the agent said with it and after it, and one call of another tool that works."""
    good = ToolCall(id="good", name="open")
    messages = (
        Message(
            role="assistant", content=before, tool_calls=(ToolCall(id="bad", name="run", arguments={"path": path}),)
        ),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="bad", content=result),)),
        *between,
        Message(role="assistant", content=after, tool_calls=(good,)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="good", content="ready"),)),
        *then,
    )
    return detect(TraceIndex(ExecutionTrace(trace_id="t", messages=messages)), SETTINGS)


def is_wanted(**said):
    [found] = detected(**said).findings
    assert found.rule == "failed_call"
    is_wanted = found.text == '"run" failed as the agent intended.'
    assert found.severity == "note" or not is_wanted
    return is_wanted


def test_a_wanted_failure_keeps_as_little_as_a_repaired_one():
    found = detected()
    assert [(one.rule, one.severity, one.quote) for one in found.findings] == [("failed_call", "note", FAILURE)]
    amount = SETTINGS.repaired_weight**2 / 2
    assert found.score == round(amount / (amount + SETTINGS.half_at), 6)
    assert found.score < detected(after="I look for the cause.").score


@pytest.mark.parametrize(
    "after",
    [
        "The script successfully reproduced the bug as described",
        "\n This replicates what was reported. It is not yet clear why.",
        "The output, confirming the behaviour of the list, is clear!",
        "This CONFIRMS THE ISSUE: the list is empty",
        "I got the expected error",
        "We see the expected value error.",
        "The bug was reproduced: the list cannot be empty.",
    ],
)
def test_words_that_tell_that_the_failure_was_wanted(after):
    assert is_wanted(after=after)


@each_row(
    "after",
    [
        None,
        "The script failed.",
        "The bug was not reproduced.",
        "The script didn't reproduce it, or reproduced something else.",
        "The bug can’t be seen as reproduced.",
        "The bug cannot be reproduced here.",
        "The error is unrelated to the issue that is reproduced.",
        "It reproduced a different error.",
        "Before confirming the bug I install the package.",
        "An unexpected error came up.",
        "I want to confirm the bug.",
        "The script raised an error. It reproduced the bug.",
        "It confirms that the server, to which many other clients are connected at this very hour of day, has the bug.",
        "x" * 400 + " reproduced the bug",
    ],
)
def test_words_that_do_not_tell_it(after):
    assert not is_wanted(after=after)


@pytest.mark.parametrize(
    "before", ["Let me replicate it", "Is this the issue?", "I verify the report", "To CONFIRM it:"]
)
def test_the_failure_must_be_announced_with_the_call(before):
    assert is_wanted(before=before)
    assert not is_wanted(before="Let me run it.")


def test_it_may_be_announced_by_the_arguments():
    assert is_wanted(before=None, path="reproduce.py")
    assert not is_wanted(before=None)


def test_words_after_another_call_tell_of_that_call():
    other = (
        Message(role="assistant", tool_calls=(ToolCall(id="other", name="open"),)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="other", content="ready"),)),
    )
    assert not is_wanted(between=other)
    assert is_wanted(between=(Message(role="user", content="And?"),))


def test_only_failures_can_be_wanted():
    assert [one.rule for one in detected(result="No results").findings] == ["no_match"]
    assert detected(result="No results").findings[0].severity == "note"
    assert detected(result="ready").findings == ()


def test_a_run_that_ends_on_a_wanted_failure():
    def ended(after):
        messages = (
            Message(role="assistant", content=BEFORE, tool_calls=(ToolCall(id="bad", name="run"),)),
            Message(role="tool", tool_results=(ToolResult(tool_call_id="bad", content=FAILURE),)),
            Message(role="assistant", content=after),
        )
        return TraceIndex(ExecutionTrace(trace_id="t", messages=messages))

    assert detect(ended("I reproduced the bug."), SETTINGS).score == round(1 - 0.5**0.1 / 1.01, 6) < 0.1
    assert detect(ended("I give up."), SETTINGS).score == 0.75
    above = ExecutionTrace(trace_id="t", details=TraceDetails(children=(ended("I reproduced the bug.").trace,)))
    assert detect(TraceIndex(above), SETTINGS).score < 0.1


@pytest.mark.parametrize("piece", ["confirms ", "expected a ", "reproduced not ", "cannot be ", "issu", ". "])
def test_hostile_words_take_no_time(piece):
    started = time.perf_counter()
    detected(before=piece * 20_000, after=piece * 20_000, path=piece * 20_000)
    assert time.perf_counter() - started < 0.5
