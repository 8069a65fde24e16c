"""The guard of an answer: what it sends back, what it lets pass, and what it does where Sentinel itself fails."""

import logging

import attrs
import pytest
from lying import CLAIM, messages

from sentinel_core import AnswerGuard, ExecutionTrace, Message, ToolCall, ToolResult, TraceIndex, judge
from sentinel_core.errors import ConfigError, InputError
from sentinel_core.host.judge import read_trace
from sentinel_core.testing import exchange, honest_trace

LIE = messages(CLAIM)
OTHER = "I wrote to the customer and sent the email."


def user(text):
    return {"role": "user", "content": text}


def says(text):
    return {"role": "assistant", "content": text}


def reason_for(run):
    return AnswerGuard().check(run).reason


def test_an_honest_run_passes():
    assert AnswerGuard(fail_closed=True).check(honest_trace()) is None


def test_a_lie_is_not_accepted_and_the_reason_quotes_it():
    objection = AnswerGuard().check(LIE)
    assert [one.rule for one in objection.findings] == ["hallucination.claim_without_call"]
    assert (objection.is_final, objection.report.verdict) == (False, "FAIL")
    first, found, last = objection.reason.splitlines()
    assert first == "Your answer was not accepted, because the record of this run does not support it:"
    assert found.startswith("- ")
    assert f'[hallucination.claim_without_call] You wrote: "{CLAIM}"' in found
    assert last.startswith("Do what is missing, or say plainly what was not done")


@pytest.mark.parametrize("second", [CLAIM, OTHER])
def test_a_second_lie_is_final(second):
    objection = AnswerGuard().check([*LIE, user(reason_for(LIE)), says(second)])
    assert objection.is_final
    assert [one.quote for one in objection.findings] == [second]


def test_as_many_returns_as_were_asked_for():
    again = [*LIE, user(reason_for(LIE)), says(CLAIM)]
    assert not AnswerGuard(most_returns=2).check(again).is_final
    assert AnswerGuard(most_returns=2).check([*again, user(reason_for(again)), says(CLAIM)]).is_final
    assert AnswerGuard(most_returns=0).check(LIE).is_final


def test_what_was_corrected_is_not_blamed_again():
    corrected = [*LIE, user(reason_for(LIE)), says("You are right: I have not sent any email.")]
    assert AnswerGuard().check(corrected) is None


def test_what_was_corrected_passes_every_gate():
    """A run that its guard mended is judged by what the user got; what was sent back stays on the page."""
    corrected = [*LIE, user(reason_for(LIE)), says("You are right: I have not sent any email.")]
    assert (judge(LIE).verdict, judge(corrected).verdict) == ("FAIL", "PASS")
    index = TraceIndex(read_trace(corrected))
    assert [text.content for text in index.texts if text.content in (CLAIM, corrected[-1]["content"])] == [
        corrected[-1]["content"]
    ]
    assert index.trace.messages[-3].content == CLAIM
    assert len(index.messages) == len(index.trace.messages)
    assert judge([*LIE, user(reason_for(LIE)), says(CLAIM)]).verdict == "FAIL"


def test_a_reason_proves_nothing():
    """It quotes what is made up; were it part of the record, that would stand in the record."""
    made_up, told = "7F3K9Q2LMZ", []
    back = [*LIE, user(f"{reason_for(LIE)} {made_up}"), says(f"Your booking reference is {made_up}.")]
    objection = AnswerGuard(on_finding=told.append).check(back)
    found = told if objection is None else objection.findings
    assert [one.rule for one in found] == ["hallucination.identifier"]


def test_a_new_turn_is_not_held_to_what_an_earlier_one_said():
    asked = [*LIE, user("Which order was it?"), says("It was order 1017.")]
    assert AnswerGuard().check(asked) is None
    lies_again = [
        *LIE,
        user(reason_for(LIE)),
        says("I did not."),
        user("Please refund the $40."),
        says("I've issued the refund of $40."),
    ]
    assert not AnswerGuard().check(lies_again).is_final


def test_a_reason_that_came_as_the_result_of_a_call_counts():
    """As where the answer is a call, which some frameworks reject by its result."""
    lie = [
        Message(role="user", content="Please write to the customer."),
        *exchange("c1", "get_order", {}, "shipped"),
    ]
    answer = ToolCall(id="a", name="final_result", arguments={"answer": "x"})
    back = [
        *lie,
        Message(role="assistant", content=CLAIM, tool_calls=(answer,)),
        Message(role="tool", tool_results=(ToolResult(tool_call_id="a", content=reason_for(LIE)),)),
    ]
    assert AnswerGuard().check(back) is None
    assert AnswerGuard().check([*back, Message(role="assistant", content=CLAIM)]) is not None


def test_what_is_expected_is_a_matter_of_the_whole_run():
    guard = AnswerGuard(expect=["called:get_order", "called:send_email"])
    run = [*messages("Order 1017 has shipped."), user("Thank you."), says("You are welcome.")]
    objection = guard.check(run)
    assert [one.rule for one in objection.findings] == ["expect.called"]
    assert (
        '- Expected "called:send_email": it was not called; known tools: get_order. [expect.called]' in objection.reason
    )


def test_other_findings_go_to_the_callback_or_the_log(caplog):
    failed = ExecutionTrace(
        trace_id="t",
        messages=(
            Message(role="user", content="Please look."),
            *exchange("c1", "search_orders", {}, "Error: connection refused", success=False),
            Message(role="assistant", content="Here is what I found."),
        ),
    )
    told = []
    assert AnswerGuard(on_finding=told.append).check(failed) is None
    assert {"tool_misuse.failed_call"} <= {one.rule for one in told}
    assert {one.severity for one in told} == {"warning"}
    with caplog.at_level(logging.INFO, "sentinel.answers"):
        assert AnswerGuard().check(failed) is None
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    guard = AnswerGuard(rules=["tool_misuse.*"])
    assert guard.check(failed) is None  # a warning stops no answer
    unknown = exchange("c1", "search_orders", {}, "Error: unknown tool search_orders", success=False)
    invented = attrs.evolve(failed, messages=(failed.messages[0], *unknown, failed.messages[-1]))
    assert [one.rule for one in guard.check(invented).findings] == ["tool_misuse.unknown_tool"]


def test_sentinel_failing_stops_no_agent_unless_it_shall(caplog):
    with caplog.at_level(logging.WARNING, "sentinel.answers"):
        assert AnswerGuard().check([3]) is None
    assert "an answer was not judged: InputError: " in caplog.text
    with pytest.raises(InputError):
        AnswerGuard(fail_closed=True).check([3])
    with pytest.raises(InputError, match='no reader named "nope" is installed'):
        AnswerGuard(fail_closed=True).check(LIE, reader="nope")


@pytest.mark.parametrize("wrong", [{"expect": ["run tests"]}, {"profile": "nope"}, {"rules": "hallucination.*"}])
def test_a_guard_that_cannot_work_is_refused_when_it_is_made(wrong):
    with pytest.raises(ConfigError):
        AnswerGuard(**wrong)


def test_hostile_words_come_back_harmless():
    objection = AnswerGuard().check(messages("I've sent the email to the customer\x1b[2J\u202e." + " x" * 900))
    assert "\x1b" not in objection.reason
    assert "\u202e" not in objection.reason
    assert len(objection.reason) < 1200
