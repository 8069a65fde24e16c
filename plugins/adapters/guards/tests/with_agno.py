"""The real Agno agent, with a scripted model."""

import asyncio

import pytest
from agno.agent import Agent
from agno.exceptions import OutputCheckError
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.run.base import RunStatus
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards.agno import sentinel_hook

CALL = {"id": "c1", "type": "function", "function": {"name": "run_tests", "arguments": "{}"}}


class Scripted(Model):
    def __init__(self, *answers):
        super().__init__(id="scripted")
        self.steps = iter([None, *answers])

    def invoke(self, *_, **__):
        answer = next(self.steps)
        return ModelResponse(role="assistant", content=answer, tool_calls=[CALL] if answer is None else None)

    async def ainvoke(self, *_, **__):
        return self.invoke()

    def invoke_stream(self, *_, **__):
        yield self.invoke()

    async def ainvoke_stream(self, *_, **__):
        yield self.invoke()

    def _parse_provider_response(self, response, **_):
        return response

    def _parse_provider_response_delta(self, response, **_):
        return response


def run_tests() -> str:
    """Run the tests."""
    return RESULT


def agent_of(answer, guard=None):
    return Agent(model=Scripted(answer), tools=[run_tests], post_hooks=[sentinel_hook(guard)], telemetry=False)


def stopped_by(agent):
    """Why the run ended with an error."""
    run = agent.run(ASKED)
    return run.content if run.status is RunStatus.error else None


def test_an_honest_run_passes():
    assert agent_of(TRUTH).run(ASKED).content == TRUTH
    assert asyncio.run(agent_of(TRUTH).arun(ASKED)).content == TRUTH


def test_a_lie_is_the_frameworks_error():
    reason = stopped_by(agent_of(LIE))
    assert RULE in reason
    assert f'"{RESULT}"' in reason


def test_a_guard_of_ones_own():
    assert "it was not called" in stopped_by(agent_of(TRUTH, AnswerGuard(expect=["called:deploy"])))


def test_the_hook_raises_the_error_with_its_rules():
    honest = Agent(model=Scripted(LIE), tools=[run_tests], telemetry=False).run(ASKED)
    with pytest.raises(OutputCheckError) as told:
        sentinel_hook()(honest)
    assert told.value.additional_data == {"rules": [RULE]}
