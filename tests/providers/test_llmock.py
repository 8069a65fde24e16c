"""A third party's server breaks, and grades how the agent coped: no error, no warning, for both wire formats that it has."""

import pytest

from sentinel_agent.core import Agent
from sentinel_agent.events import AttemptFinished
from sentinel_core.errors import ContextLengthError, ModelError
from sentinel_core.host.agent_settings import AgentSettings
from sentinel_core.host.tools import Toolbox, in_process

pytest.importorskip("llmock", reason="llmock, a server that grades clients, is not installed")


@pytest.fixture(params=["anthropic", "openai"])
def agent(request, llmock, provider, desk):
    """An agent whose model is the graded server's; it streams."""
    offer = provider(request.param)
    settings = offer.settings(base_url=llmock.base_url(request.param), model="test-model", call_timeout=1.0)
    model = offer.connect(settings)
    made = Agent(
        model=model,
        tools=desk.tools(),
        provider=request.param,
        settings=AgentSettings(
            initial_delay=0.15,
            jitter=False,  # it may make two waits look the same
            max_turns=4,
            context_window=8192,  # nothing is looked up, so that the first fault meets the first question
        ),
        toolbox=Toolbox(run=in_process),
        on_text=lambda _text: None,
    )
    yield made
    model.close()


def failures(agent):
    return [event.error_type for event in agent.events if isinstance(event, AttemptFinished) and event.error_type]


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (lambda llmock: llmock.rate_limit(times=2, retry_after=0.1), ["RateLimitError"] * 2),
        (lambda llmock: llmock.fail(503, retry_after=0.1), ["RateLimitError"]),
        (lambda llmock: llmock.fail(500, times=2), ["ProviderError"] * 2),
        (lambda llmock: llmock.disconnect(after_chunks=2), ["NetworkError"]),
        (lambda llmock: llmock.truncate(after_chunks=2), ["NetworkError"]),
        (
            lambda llmock: llmock.pace(40).corrupt(after_chunks=2),
            ["ProviderError"],
        ),  # at a pace at which it sees us hang up
        (lambda llmock: llmock.stall(after_chunks=2, seconds=30), ["NetworkError"]),
        (lambda llmock: llmock.break_tool_call("malformed_arguments"), []),
        (lambda llmock: llmock.break_tool_call("unknown_tool"), []),
    ],
    ids=["rate_limit", "503", "500_twice", "disconnect", "truncate", "corrupt", "stall", "arguments", "unknown_tool"],
)
def test_survived(agent, llmock, script, wanted):
    script(llmock)
    answer = agent.send_message("Please get the release summary of v2.1.0.")
    assert answer.outcome == "completed"
    assert failures(agent) == wanted
    llmock.assert_resilient(strict=True)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_not_repeated(agent, llmock, status):
    llmock.fail(status, times=9)
    with pytest.raises(ModelError):
        agent.send_message("Please get the release summary of v2.1.0.")
    assert len(failures(agent)) == 1
    llmock.assert_resilient(strict=True)


def test_too_long(agent, llmock):
    llmock.context_overflow(times=9)
    with pytest.raises(ContextLengthError):
        agent.send_message("Please get the release summary of v2.1.0.")
    assert failures(agent) == ["ContextLengthError"] * 2
