"""Every fault, at every provider, whole and streamed, comes out as the right error, or as the reply that it still is."""

import math
import time

import pytest
from tables import each_row

from sentinel_core import errors
from sentinel_core.errors import ModelError
from sentinel_faults import DIALECTS, FAULTS

SHORT = 0.15  # seconds; what a fault that lasts until the client gives up costs

HANG = 20  # seconds; below the 30 after which the server lets go by itself, and far above any time limit here

FAILURES = [fault for fault in FAULTS.values() if fault.outcome != "reply"]
ODD_REPLIES = [fault for fault in FAULTS.values() if fault.outcome == "reply"]
whole_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@whole_and_streamed
@each_row("fault", FAILURES)
def test_failure(connection, fault, stream):
    if not fault.fits(connection.name):
        return
    connection.server.play(fault, times=99)
    start = time.monotonic()
    with pytest.raises(ModelError) as caught:
        connection.ask(stream=stream, timeout=SHORT if fault.slow else 5.0)
    error = caught.value
    assert (type(error), error.retryable) == (getattr(errors, fault.outcome), fault.retryable), error
    assert getattr(error, "retry_after", None) == fault.retry_after
    assert time.monotonic() - start < HANG
    assert "\n" not in str(error)
    assert str(error).startswith(f'provider "{connection.name}"')
    assert len(str(error)) < 600
    assert connection.server.asked == 1


@whole_and_streamed
@each_row("fault", ODD_REPLIES)
def test_reply(connection, fault, stream):
    if not fault.fits(connection.name):
        return
    connection.server.play(fault, times=99)
    reply = connection.ask(stream=stream)
    assert reply.stop_reason == (fault.stop or "tool_calls")
    assert reply.usage is None or reply.usage.total > 0
    assert reply.cost_usd is None or math.isfinite(reply.cost_usd)
    assert connection.server.asked == 1


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_there_are_enough_faults(name):
    assert sum(fault.fits(name) for fault in FAULTS.values()) >= 40


def test_arguments_that_are_no_json_are_kept(connection):
    connection.server.play(FAULTS["arguments_cut"])
    (call,) = connection.ask().tool_calls
    assert call.arguments == {}
    assert call.details.raw_arguments == '{"release_id": "v2'
