"""The real agents of smolagents, with a scripted model."""

import pytest
from smolagents import AgentError, CodeAgent, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards.smolagents import sentinel_callback


class Scripted(Model):
    def __init__(self, *steps):
        super().__init__()
        self.steps = iter(steps)

    def generate(self, messages, **_):
        step = next(self.steps)
        if isinstance(step, str):
            return ChatMessage(role=MessageRole.ASSISTANT, content=step)
        name, arguments = step
        call = ChatMessageToolCall(
            id=name, type="function", function=ChatMessageToolCallFunction(name=name, arguments=arguments)
        )
        return ChatMessage(role=MessageRole.ASSISTANT, content="Next step.", tool_calls=[call])


@tool
def run_tests() -> str:
    """Run the tests."""
    return RESULT


def by_calls(answer, guard=None):
    model = Scripted(("run_tests", {}), ("final_answer", {"answer": answer}))
    return ToolCallingAgent(
        tools=[run_tests], model=model, step_callbacks=[sentinel_callback(guard)], verbosity_level=0
    )


def by_code(answer):
    first = "Thought: I run the tests.\n<code>\nprint(run_tests())\n</code>"
    last = f"Thought: I answer.\n<code>\nfinal_answer({answer!r})\n</code>"
    return CodeAgent(
        tools=[run_tests], model=Scripted(first, last), step_callbacks=[sentinel_callback()], verbosity_level=0
    )


@pytest.mark.parametrize("agent_of", [by_calls, by_code])
def test_an_honest_run_passes(agent_of):
    assert agent_of(TRUTH).run(ASKED) == TRUTH


def test_a_guard_of_ones_own():
    with pytest.raises(AgentError, match="it was not called"):
        by_calls(TRUTH, AnswerGuard(expect=["called:deploy"])).run(ASKED)


def test_a_lie_is_the_frameworks_error():
    with pytest.raises(AgentError) as told:
        by_calls(LIE).run(ASKED)
    assert RULE in str(told.value)
