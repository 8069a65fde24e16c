"""Every fault, at every provider, whole and streamed, comes out as the right error, or as the reply that it still is."""

import math
import time

import pytest

from sentinel_core import errors
from sentinel_core.errors import ModelError
from sentinel_faults import DIALECTS, FAULTS

SHORT = 0.15  # seconds; what a fault that lasts until the client gives up costs

PAIRS = [(dialect, fault) for dialect in sorted(DIALECTS) for fault in FAULTS.values() if fault.fits(dialect)]

HANG = 20  # seconds; below the 30 after which the server lets go by itself, and far above any time limit here


def each(pairs):
    """For each provider and fault, whole and streamed."""
    ids = [f"{dialect}-{fault.name}" for dialect, fault in pairs]
    pairs_mark = pytest.mark.parametrize(("connection", "fault"), pairs, ids=ids, indirect=["connection"])
    stream_mark = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
    return lambda test: pairs_mark(stream_mark(test))


@each([pair for pair in PAIRS if pair[1].outcome != "reply"])
def test_failure(connection, fault, stream):
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


@each([pair for pair in PAIRS if pair[1].outcome == "reply"])
def test_reply(connection, fault, stream):
    connection.server.play(fault, times=99)
    reply = connection.ask(stream=stream)
    assert reply.stop_reason == (fault.stop or "tool_calls")
    assert reply.usage is None or reply.usage.total > 0
    assert reply.cost_usd is None or math.isfinite(reply.cost_usd)
    assert connection.server.asked == 1


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_there_are_enough_faults(name):
    assert sum(dialect == name for dialect, _fault in PAIRS) >= 40


def test_arguments_that_are_no_json_are_kept(connection):
    connection.server.play(FAULTS["arguments_cut"])
    (call,) = connection.ask().tool_calls
    assert call.arguments == {}
    assert call.details.raw_arguments == '{"release_id": "v2'
