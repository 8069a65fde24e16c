import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st

from sentinel_agent.core import AgentSettings
from sentinel_agent.events import AttemptFinished, AttemptStarted, BackedOff
from sentinel_agent.retry import delay, schedule
from sentinel_core.errors import AuthenticationError, ModelError, NetworkError, ProviderError, RateLimitError
from sentinel_core.host.agent_settings import RetryConfig
from sentinel_core.model import Reply

DONE = Reply(content="done")


def attempts(agent):
    return [event.attempt for event in agent.events if isinstance(event, AttemptStarted)]


def waits(agent):
    return [event.seconds for event in agent.events if isinstance(event, BackedOff)]


def test_schedule_is_the_documented_one():
    assert schedule(RetryConfig()) == (1.0, 2.0)
    assert schedule(RetryConfig(max_attempts=9, max_delay=10.0)) == (1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0, 10.0)
    assert schedule(RetryConfig(max_attempts=1)) == ()


@given(st.integers(1, 12), st.floats(0, 10), st.floats(1, 5), st.floats(0, 100))
def test_waits_are_staminas(failures, initial, factor, most):
    config = RetryConfig(initial_delay=initial, backoff_factor=factor, max_delay=most)
    context = stamina.retry_context(
        on=ValueError, timeout=None, wait_initial=initial, wait_exp_base=factor, wait_max=most, wait_jitter=0
    )
    assert delay(config, failures) == context._backoff_for_attempt_number(failures)


@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_jitter_stays_in_its_bounds(fraction, jitter):
    config = RetryConfig(initial_delay=2.0, jitter=jitter)
    assert 4.0 <= delay(config, 2, fraction) <= (6.0 if jitter else 4.0)


def test_wait_that_overflows_is_the_longest():
    assert delay(RetryConfig(backoff_factor=100.0), 10_000) == 60.0


@pytest.mark.parametrize(
    "error", [RateLimitError("slow down"), NetworkError("reset"), ProviderError("down", retryable=True)], ids=str
)
def test_what_may_pass_is_tried_again(agent_for, error):
    agent = agent_for(error, error, DONE)
    assert agent.send_message("hello").content == "done"
    assert (attempts(agent), waits(agent)) == ([1, 2, 3], [1.5, 2.5])
    assert len(agent.model.requests) == 3


@pytest.mark.parametrize("error", [AuthenticationError("no key"), ProviderError("no"), ModelError("odd")], ids=str)
def test_what_will_not_pass_is_not(agent_for, error):
    agent = agent_for(error, DONE)
    with pytest.raises(type(error)):
        agent.send_message("hello")
    assert (attempts(agent), waits(agent)) == ([1], [])


def test_it_ends_after_max_attempts(agent_for):
    agent = agent_for(*[NetworkError("reset")] * 9, settings=AgentSettings(max_attempts=4, jitter=False))
    with pytest.raises(NetworkError):
        agent.send_message("hello")
    assert (attempts(agent), waits(agent)) == ([1, 2, 3, 4], [1.0, 2.0, 4.0])
    assert len(agent.model.requests) == 4


def test_server_says_how_long(agent_for):
    agent = agent_for(RateLimitError("slow down", status=429, retry_after=7.25), DONE)
    agent.send_message("hello")
    assert waits(agent) == [7.25]
    failed = next(event for event in agent.events if isinstance(event, AttemptFinished))
    assert (failed.error_type, failed.status, failed.retry_after) == ("RateLimitError", 429, 7.25)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0, "soon", None])
def test_nonsense_from_the_server_is_ours_to_fill_in(agent_for, seconds):
    agent = agent_for(RateLimitError("slow down", retry_after=seconds), DONE)
    agent.send_message("hello")
    assert waits(agent) == [1.5]


def test_wait_past_the_deadline_stops_at_once_and_says_until_when(agent_for):
    agent = agent_for(RateLimitError("slow down", retry_after=3600.0), DONE)
    with pytest.raises(RateLimitError) as caught:
        agent.send_message("hello")
    assert caught.value.resume_after == "2026-01-01T01:00:05Z"
    assert (attempts(agent), waits(agent)) == ([1], [])
    assert agent.events[-1].outcome == "model_error"
    assert agent.events[-1].detail == "slow down; resume after 2026-01-01T01:00:05Z"


def test_wait_beyond_the_calendar_is_told_all_the_same(agent_for):
    agent = agent_for(RateLimitError("slow down", retry_after=1e300))
    with pytest.raises(RateLimitError) as caught:
        agent.send_message("hello")
    assert caught.value.resume_after == "9999-12-31T23:59:59Z"


def test_no_attempts_are_a_mistake(agent_for):
    with pytest.raises(ValueError, match="max_attempts"):
        AgentSettings(max_attempts=0)


def test_each_call_is_told_how_long_it_may_take(agent_for):
    agent = agent_for(DONE, DONE, settings=AgentSettings(call_timeout=5.0))
    agent.send_message("one")
    assert agent.model.requests[0].timeout == 5.0
    agent = agent_for(DONE, settings=AgentSettings(deadline=2.0))
    agent.send_message("two")
    assert 1.9 < agent.model.requests[0].timeout < 2.0
    agent = agent_for(DONE, settings=AgentSettings(deadline=None))
    agent.send_message("three")
    assert agent.model.requests[0].timeout is None
