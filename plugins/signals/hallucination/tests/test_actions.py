"""What a call can have done."""

import pytest

from sentinel_core.evaluate.index import TraceIndex
from sentinel_signal_hallucination.ledger.actions import failed


@pytest.mark.parametrize(
    ("tool", "command", "success", "is_failed"),
    [
        ("Bash", "git push", False, True),
        ("Bash", "cd app && git push", False, False),  # the first step may have worked
        ("Bash", "git push", True, False),
        ("cancel_order", "a && b", False, True),
    ],
)
def test_of_a_failed_command_of_several_steps_some_may_be_done(script, tool, command, success, is_failed):
    index = TraceIndex(script.trace(script.user("Go."), script.call(tool, "done", success=success, command=command)))
    (call,) = index.calls
    assert failed(call, index.tools[tool]) is is_failed
