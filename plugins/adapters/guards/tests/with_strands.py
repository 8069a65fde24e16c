"""The real Strands agent, with a scripted model."""

import re
from pathlib import Path

import pytest
from strands import Agent, tool
from strands.models import Model
from told import ASKED, LIE, RESULT, RULE, TRUTH

from sentinel_core import AnswerGuard
from sentinel_guards import UnreliableAnswerError
from sentinel_guards.strands import sentinel_hooks


class Scripted(Model):
    def __init__(self, *answers):
        self.steps = iter([None, *answers])

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        raise NotImplementedError
        yield

    async def stream(self, messages, *_, **__):
        answer = next(self.steps)
        yield {"messageStart": {"role": "assistant"}}
        if answer is None:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "c1", "name": "run_tests"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}}}
        else:
            yield {"contentBlockDelta": {"delta": {"text": answer}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if answer is None else "end_turn"}}


@tool
def run_tests() -> str:
    """Run the tests."""
    return RESULT


def agent_of(*answers, guard=None):
    return Agent(model=Scripted(*answers), tools=[run_tests], hooks=[sentinel_hooks(guard)], callback_handler=None)


def texts(agent):
    return [block["text"] for message in agent.messages for block in message["content"] if "text" in block]


def test_an_honest_run_passes():
    agent = agent_of(TRUTH)
    assert str(agent(ASKED)).strip() == TRUTH
    assert texts(agent) == [ASKED, TRUTH]


def test_a_lie_is_sent_back_once_with_the_reason():
    agent = agent_of(LIE, TRUTH)
    assert str(agent(ASKED)).strip() == TRUTH
    asked, lie, reason, answer = texts(agent)
    assert (asked, lie, answer) == (ASKED, LIE, TRUTH)
    assert f'"{RESULT}"' in reason


def test_a_second_lie_is_an_error():
    with pytest.raises(UnreliableAnswerError, match=RESULT) as told:
        agent_of(LIE, LIE)(ASKED)
    assert [finding.rule for finding in told.value.objection.findings] == [RULE]


def test_the_example_of_the_readme(monkeypatch):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    monkeypatch.setattr("strands.Agent", lambda **options: Agent(model=Scripted(LIE, TRUTH), **options))
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert str(names["agent"](ASKED)).strip() == TRUTH


def test_a_guard_of_ones_own():
    with pytest.raises(UnreliableAnswerError, match="it was not called"):
        agent_of(TRUTH, guard=AnswerGuard(expect=["called:deploy"], most_returns=0))(ASKED)
