"""Where parts of a trace were not read, no call is missed: what the agent says may be in them."""

import pytest

from sentinel_core.evaluate.index import TraceIndex
from sentinel_core.trace import ExecutionTrace, Message, ToolCall, ToolResult
from sentinel_signal_hallucination import Settings, detect

ASKED = Message(role="user", content="Please cancel order 12, then run the tests.")


def called(name, content, *, success=None, **arguments):
    call = ToolCall(id=name, name=name, arguments=arguments)
    result = ToolResult(tool_call_id=name, content=content, success=success)
    return Message(role="assistant", tool_calls=(call,)), Message(role="tool", tool_results=(result,))


def said(text):
    return Message(role="assistant", content=text)


def found(*messages, **metadata):
    trace = ExecutionTrace(trace_id="t", messages=(ASKED, *messages), metadata=metadata)
    return detect(TraceIndex(trace), Settings())


NO_CALL = (*called("get_order", '{"id": 12, "state": "open"}', id=12), said("I have cancelled order 12."))
FAILED = (
    *called("cancel_order", "Error: the order is locked", success=False, id=12),
    said("I have cancelled order 12."),
)
RED = (*called("bash", "=== 1 failed, 3 passed in 0.1s ===", command="pytest -q"), said("All tests pass now."))


@pytest.mark.parametrize(
    ("messages", "rule", "stands"),
    [
        (NO_CALL, "claim_without_call", False),
        (FAILED, "contradicted_claim", True),
        (RED, "contradicted_checks", True),
    ],
)
def test_what_is_absent_may_be_in_what_was_not_read(messages, rule, stands):
    assert [finding.rule for finding in found(*messages).findings] == [rule]
    line = found(*messages, reading_gaps=["1 line is not JSON: 7"])
    assert [finding.rule for finding in line.findings] == [rule] * stands
    assert line.gaps == ("Parts of the trace were not read: what may be in them was not missed.",)
    unread = found(*messages, reading_gaps=["1 part of an unknown kind"], reading_gaps_at=[2])
    assert (unread.score, unread.findings, unread.gaps) == (0.0, (), line.gaps)
    later = found(*messages, reading_gaps=["1 part of an unknown kind"], reading_gaps_at=[4])
    assert [finding.rule for finding in later.findings] == [rule] * stands
