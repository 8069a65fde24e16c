"""A provider that hangs is interrupted: neither the limit on a call nor the deadline can be slept through."""

import time

import pytest
from agent_odd import RELEASES, SENTINEL

from sentinel_agent.model_call import complete
from sentinel_core.errors import NetworkError
from sentinel_core.model import Reply, Request
from sentinel_core.runtime.watch import time_limit
from sentinel_core.trace import Message

HUNG = """
import time
from sentinel_core import Provider, hookimpl


class Hung:
    def complete(self, request, on_text=None):
        while True:
            try:
                time.sleep(1000)
            except Exception:
                pass

    estimate_tokens = lambda self, messages: 1
    get_capabilities = close = lambda self: None


@hookimpl
def sentinel_providers():
    return [Provider(name="hung", summary="s", connect=Hung)]
"""


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--deadline", "2"), "its deadline is 2 s"),
        (("--call-timeout", "1", "--max-attempts", "2", "--initial-delay", "0"), "did not end within 2 s"),
    ],
)
def test_a_hung_provider_keeps_to_the_limits_of_the_run(sentinel, tmp_path, flags, told):
    (tmp_path / "hung.py").write_text(HUNG)
    done = sentinel(SENTINEL, "run", "v2.1.0", "--releases", RELEASES, "--plugins", "./hung.py", *flags)  # within 120 s
    assert done.returncode == 3
    assert told in done.stderr


class Sleeping:
    def complete(self, request, on_text=None):
        time.sleep(1000)


def test_a_call_that_takes_longer_than_its_request_allows_is_a_network_error():
    request = Request(system_prompt="s", messages=(Message(role="user", content="x"),), timeout=0.01)
    with pytest.raises(NetworkError, match=r"the provider did not answer in time: did not end within 1.01 s"):
        complete(Sleeping(), request, who="the provider")


def test_a_call_within_its_time_leaves_no_alarm_behind():
    class Quick:
        complete = staticmethod(lambda request, on_text=None: Reply(content="x"))

    request = Request(system_prompt="s", messages=(), timeout=0.01)
    assert complete(Quick(), request, who="the provider").content == "x"
    time.sleep(1.2)  # longer than the alarm would have taken


def test_a_limit_within_another_leaves_the_outer_one_at_work():
    with pytest.raises(TimeoutError, match=r"0\.2 s"), time_limit(0.2), time_limit(100):
        time.sleep(1000)
