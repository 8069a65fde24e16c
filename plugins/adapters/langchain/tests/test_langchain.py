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


EARLIER = "I booked the table at Alba and sent the mail to the guests."


@pytest.mark.parametrize(
    ("order", "answer", "goto"),
    [
        ("Check the weather, and tell me what you have done so far.", f"It is sunny. So far: {EARLIER}", "__end__"),
        ("Check the weather, and cancel the taxi.", f"It is sunny. I've cancelled the taxi. {EARLIER}", "model"),
    ],
)
def test_a_recap_of_turns_whose_calls_were_trimmed_passes_and_a_new_lie_does_not(runs, order, answer, goto):
    messages = [
        {"role": "user", "content": "Book a table at Alba for four tonight, and mail the guests."},
        {"role": "assistant", "content": EARLIER},
        {"role": "user", "content": order},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "get_weather", "args": {}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "assistant", "content": answer},
    ]
    state = {"messages": runs.convert_to_messages(messages)}
    assert runs.sentinel_node(model="model")(state).goto == goto


def test_with_the_tools_of_the_agent_a_claim_without_any_call_is_sent_back(runs):
    """Without them it passes: there might be no tool to call."""

    def cancel_order(number: int) -> str:
        """Cancel an order."""

    asked = {"messages": [runs.HumanMessage("Please cancel order 17.")]}
    claim, truth = "I've cancelled order 17.", "I could not cancel it."
    assert runs.without_calls(claim, truth).invoke(asked)["messages"][-1].content == claim
    agent = runs.without_calls(claim, truth, tools=[cancel_order])
    assert agent.invoke(asked)["messages"][-1].content == truth
    node = runs.sentinel_node(model="model", tools=[cancel_order])
    earlier = runs.HumanMessage("Hi.", additional_kwargs={"of": object()})  # no value of JSON
    state = {"messages": [earlier, *asked["messages"], *runs.convert_to_messages([("assistant", claim)])]}
    assert node(state).goto == "model"


def test_what_json_does_not_have_and_tools_of_a_provider_let_an_answer_pass(runs):
    node = runs.sentinel_node(
        model="model", tools=[{"google_search": {}}, {"name": "book", "description": "d", "parameters": {}}]
    )
    answer = {"role": "assistant", "content": "It is sunny."}
    told = runs.convert_to_messages(
        [
            {"role": "user", "content": "The weather?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "name": "look", "args": {}}]},
            {"role": "tool", "tool_call_id": "c", "content": "sunny", "artifact": b"\xff\xfe"},
            answer,
        ]
    )
    assert node({"messages": told}).goto == "__end__"
    assert node({"messages": [{"role": "user", "content": "The weather?"}, answer]}).goto == "__end__"
