"""The real crew of CrewAI, with a scripted model."""

import os

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError
from sentinel_guards.crewai import sentinel_guardrail

CALL = {"id": "c1", "type": "function", "function": {"name": "run_tests", "arguments": "{}"}}


class Scripted(BaseLLM):
    steps: list
    native: bool

    def call(self, *_, **__):
        return self.steps.pop(0)

    def supports_function_calling(self):
        return self.native


@tool("run_tests")
def run_tests() -> str:
    """Run the tests."""
    return RESULT


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """CrewAI keeps files of its own."""
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))


def output_of(answer, guard=None, *, native=True):
    written = ["Thought: go\nAction: run_tests\nAction Input: {}\n", f"Thought: done\nFinal Answer: {answer}"]
    model = Scripted(model="scripted", steps=[[CALL], answer] if native else written, native=native)
    agent = Agent(role="tester", goal="test", backstory="tests", tools=[run_tests], llm=model)
    task = Task(description=ASKED, expected_output="the result", agent=agent, guardrail=sentinel_guardrail(guard))
    return Crew(agents=[agent], tasks=[task]).kickoff().raw


def test_an_honest_run_passes():
    assert output_of(TRUTH) == TRUTH


def test_a_lie_ends_the_task():
    with pytest.raises(UnreliableAnswerError, match=RESULT) as told:
        output_of(LIE)
    assert [finding.rule for finding in told.value.objection.findings] == [RULE]


def test_calls_that_are_written_as_text_are_not_judged(caplog):
    assert output_of(LIE, native=False) == LIE
    assert "not judged" in caplog.text


def test_a_guard_of_ones_own():
    with pytest.raises(UnreliableAnswerError, match="it was not called"):
        output_of(TRUTH, AnswerGuard(expect=["called:deploy"]))
