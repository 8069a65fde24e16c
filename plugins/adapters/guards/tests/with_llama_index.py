"""The real workflow agent of LlamaIndex, with its own scripted model."""

import asyncio

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import TextBlock, ToolCallBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import ChatMemoryBuffer
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError
from sentinel_guards.llama_index import run


def run_tests() -> str:
    """Run the tests."""
    return RESULT


def agent_of(*answers):
    call = ToolCallBlock(tool_call_id="c1", tool_name="run_tests", tool_kwargs={})
    steps = iter([[call], *([TextBlock(text=answer)] for answer in answers)])
    model = MockFunctionCallingLLM(
        response_generator=lambda messages, **_: ChatMessage(role="assistant", blocks=next(steps))
    )
    return FunctionAgent(tools=[run_tests], llm=model, streaming=False)


def go(agent, **options):
    async def all_of_it():
        memory = ChatMemoryBuffer.from_defaults()
        result = await run(agent, ASKED, memory=memory, **options)
        return result, memory.get_all()

    return asyncio.run(all_of_it())


def test_an_honest_run_passes():
    result, messages = go(agent_of(TRUTH))
    assert result.response.content == TRUTH
    assert [message.role.value for message in messages] == ["user", "assistant", "tool", "assistant"]


def test_a_lie_is_sent_back_once_with_the_reason():
    result, messages = go(agent_of(LIE, TRUTH))
    assert result.response.content == TRUTH
    assert f'"{RESULT}"' in messages[-2].content


def test_a_second_lie_is_an_error():
    with pytest.raises(UnreliableAnswerError) as told:
        go(agent_of(LIE, LIE))
    assert [finding.rule for finding in told.value.objection.findings] == [RULE]


def test_a_workflow_of_agents_is_run_too():
    async def all_of_it():
        return await run(AgentWorkflow(agents=[agent_of(LIE, TRUTH)]), ASKED)

    assert asyncio.run(all_of_it()).response.content == TRUTH


def test_a_guard_of_ones_own():
    with pytest.raises(UnreliableAnswerError, match="it was not called"):
        go(agent_of(TRUTH), guard=AnswerGuard(expect=["called:deploy"], most_returns=0))
