import pytest

from sentinel_core import ExecutionTrace, History, Message, ToolCall, ToolResult
from sentinel_core.host.in_process import evaluate_trace
from sentinel_core.testing import GuardrailContract
from sentinel_guardrail_live_stop import LiveStopSettings, check, sentinel_guardrails


class TestContract(GuardrailContract):
    def make(self):
        (guardrail,) = sentinel_guardrails()
        return guardrail


def report(repeats):
    """The report on an attempt that makes one call so many times."""
    messages = []
    for number in range(repeats):
        call = ToolCall(id=str(number), name="search", arguments={"q": "same"})
        messages.append(Message(role="assistant", tool_calls=(call,)))
        messages.append(Message(role="tool", tool_results=(ToolResult(tool_call_id=str(number), content="none"),)))
    return evaluate_trace(ExecutionTrace(trace_id="t", messages=(Message(role="user", content="Go."), *messages)))


def test_an_attempt_that_goes_in_circles_is_stopped():
    ruling = check(History(attempts=(), live=report(30)), LiveStopSettings())
    assert (ruling.action, ruling.reason) == ("stop_attempt", "live_risk")
    assert ruling.detail.startswith('During the attempt "loop" is at ')
    assert ruling.facts["live_scores"]["loop"] >= 0.8


def test_one_that_does_not_goes_on():
    ruling = check(History(attempts=(), live=report(1)), LiveStopSettings())
    assert (ruling.action, ruling.facts["live_scores"]) == ("allow", {"loop": 0.0})


def test_between_attempts_it_allows():
    assert check(History(attempts=()), LiveStopSettings(stop_at=0.0)).action == "allow"


def test_only_watched_signals_count():
    circles = History(attempts=(), live=report(30))
    assert check(circles, LiveStopSettings(signals=("cost", "none"))).action == "allow"
    assert check(circles, LiveStopSettings(signals=("tool_misuse",), stop_at=0.0)).action == "stop_attempt"


@pytest.mark.parametrize("stop_at", [-0.1, 1.1, float("nan"), "x", None])
def test_unusable_limit_is_refused(stop_at):
    with pytest.raises((TypeError, ValueError)):
        LiveStopSettings(stop_at=stop_at)
