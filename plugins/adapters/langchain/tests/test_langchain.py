"""The real create_agent and the real graph, with a scripted model."""

import asyncio

import pytest

from sentinel_core import AnswerGuard, judge

ASKED = {"messages": [{"role": "user", "content": "Run the tests."}]}
LIE = "All tests pass now."
TRUTH = "One of the three tests fails."

both = pytest.mark.parametrize("agent", ["by_middleware", "by_node"])


def said(state):
    return [type(message).__name__ for message in state["messages"]]


@both
def test_an_honest_run_passes(runs, agent):
    state = getattr(runs, agent)(TRUTH).invoke(ASKED)
    assert said(state) == ["HumanMessage", "AIMessage", "ToolMessage", "AIMessage"]


@both
def test_a_lie_is_sent_back_once_with_the_reason(runs, agent):
    state = getattr(runs, agent)(LIE, TRUTH).invoke(ASKED)
    lie, reason, answer = state["messages"][-3:]
    assert (lie.content, type(reason), answer.content) == (LIE, runs.HumanMessage, TRUTH)
    assert '"1 failed, 2 passed"' in reason.content
    assert f'You wrote: "{LIE}"' in reason.content


@both
def test_a_second_lie_is_the_frameworks_exception(runs, agent):
    with pytest.raises(runs.LangChainException, match=r"1 failed, 2 passed.*\[hallucination\.contradicted_checks\]"):
        getattr(runs, agent)(LIE, LIE).invoke(ASKED)


@both
def test_it_works_in_an_event_loop(runs, agent):
    state = asyncio.run(getattr(runs, agent)(LIE, TRUTH).ainvoke(ASKED))
    assert state["messages"][-1].content == TRUTH


def test_an_earlier_turn_is_not_judged_again(runs):
    first = runs.by_middleware(LIE, TRUTH).invoke(ASKED)
    state = runs.without_calls("You are welcome.").invoke(
        {"messages": [*first["messages"], runs.HumanMessage("Thank you.")]}
    )
    assert state["messages"][-1].content == "You are welcome."


def test_a_guard_of_ones_own(runs):
    guard = AnswerGuard(expect=["called:deploy"], most_returns=0)
    with pytest.raises(runs.LangChainException, match="it was not called"):
        runs.by_middleware(TRUTH, guard=guard).invoke(ASKED)


def test_judge_takes_the_state(runs):
    state = runs.plainly(LIE).invoke(ASKED)
    for what in (state, state["messages"]):
        assert [one.rule for one in judge(what).findings] == ["hallucination.contradicted_checks"]
