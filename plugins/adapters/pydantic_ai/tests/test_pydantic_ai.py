"""The real agent, with a scripted model."""

import asyncio

import pytest

from sentinel_core import AnswerGuard, judge
from sentinel_pydantic_ai import sentinel_validator

LIE = "All tests pass now."
TRUTH = "One of the three tests fails."


def go(agent, asked="Run the tests.", **options):
    return asyncio.run(agent.run(asked, **options))


def test_an_honest_run_passes(runs):
    result = go(runs.agent_of(TRUTH))
    assert result.output == TRUTH
    assert len(result.all_messages()) == 4


def test_a_lie_is_sent_back_once_with_the_reason(runs):
    result = go(runs.agent_of(LIE, TRUTH), conversation_id="c")
    (reason,) = result.all_messages()[-2].parts
    assert result.output == TRUTH
    assert '"1 failed, 2 passed"' in reason.content
    assert f'You wrote: "{LIE}"' in reason.content


@pytest.mark.parametrize("retries", [1, 5])
def test_a_second_lie_is_the_frameworks_exception(runs, retries):
    agent = runs.agent_of(LIE, LIE, TRUTH, retries={"output": retries})
    with pytest.raises(
        runs.UnexpectedModelBehavior, match=r"1 failed, 2 passed.*\[hallucination\.contradicted_checks\]"
    ):
        go(agent)


def test_where_nothing_is_tried_again_the_first_lie_is(runs):
    with pytest.raises(runs.UnexpectedModelBehavior):
        go(runs.agent_of(LIE, TRUTH, retries={"output": 0}))


def test_an_answer_that_is_a_call_is_sent_back_by_its_result(runs):
    guard = AnswerGuard(expect=["answer matches fails"])
    result = go(runs.agent_of(runs.final(LIE), runs.final(TRUTH), output_type=runs.Answer, guard=guard))
    assert result.output == runs.Answer(text=TRUTH)
    with pytest.raises(runs.UnexpectedModelBehavior) as told:
        go(runs.agent_of(runs.final(LIE), runs.final(LIE), output_type=runs.Answer, guard=guard, retries={"output": 5}))
    assert "the answer does not match" in str(told.value.__cause__)


def test_a_stream_is_checked_when_it_is_complete(runs):
    async def output_of(*answers):
        async with runs.agent_of(*answers).run_stream("Run the tests.") as result:
            return await result.get_output()

    assert asyncio.run(output_of(TRUTH)) == TRUTH
    with pytest.raises(runs.UnexpectedModelBehavior):
        asyncio.run(output_of(LIE))


def test_an_earlier_turn_is_not_judged_again(runs):
    first = go(runs.agent_of(LIE, TRUTH))
    agent = runs.saying("You are welcome.", sentinel_validator())
    assert go(agent, "Thank you.", message_history=first.all_messages()).output == "You are welcome."


def test_judge_takes_the_result(runs):
    result = go(runs.saying("I've sent the email to the customer."), "Please email the customer.")
    assert [one.rule for one in judge(result).findings] == ["hallucination.claim_without_call"]
