"""The real runner of Google ADK, with a scripted model."""

import asyncio

import pytest
from google.adk import Runner
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, FunctionCall, Part
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError
from sentinel_guards.adk import run


class Scripted(BaseLlm):
    steps: list[Part]

    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=Content(role="model", parts=[self.steps.pop(0)]))


def run_tests() -> str:
    """Run the tests."""
    return RESULT


def answers_of(*answers, **options):
    """The final responses that the caller sees, and what the users said."""

    async def all_of_it():
        steps = [Part(function_call=FunctionCall(name="run_tests", args={})), *(Part(text=one) for one in answers)]
        agent = LlmAgent(name="tester", model=Scripted(model="scripted", steps=steps), tools=[run_tests])
        sessions = InMemorySessionService()
        runner = Runner(app_name="app", agent=agent, session_service=sessions)
        await sessions.create_session(app_name="app", user_id="u", session_id="s")
        message = Content(role="user", parts=[Part(text=ASKED)])
        events = [event async for event in run(runner, user_id="u", session_id="s", new_message=message, **options)]
        session = await sessions.get_session(app_name="app", user_id="u", session_id="s")
        users = [event.content.parts[0].text for event in session.events if event.author == "user"]
        return [event.content.parts[0].text for event in events if event.is_final_response()], users

    return asyncio.run(all_of_it())


def test_an_honest_run_passes():
    assert answers_of(TRUTH) == ([TRUTH], [ASKED])


def test_a_lie_is_sent_back_once_with_the_reason():
    answers, (asked, reason) = answers_of(LIE, TRUTH)
    assert (answers, asked) == ([LIE, TRUTH], ASKED)
    assert RESULT in reason


def test_a_second_lie_is_an_error():
    with pytest.raises(UnreliableAnswerError) as told:
        answers_of(LIE, LIE)
    assert [finding.rule for finding in told.value.objection.findings] == [RULE]


def test_a_guard_of_ones_own():
    with pytest.raises(UnreliableAnswerError, match="it was not called"):
        answers_of(TRUTH, guard=AnswerGuard(expect=["called:deploy"], most_returns=0))
