from sentinel_core import ExecutionTrace, Message
from sentinel_core.testing import SignalContract
from sentinel_signal_ending import sentinel_signals


class TestEndingContract(SignalContract):
    def make(self):
        return next(iter(sentinel_signals()))

    def risky(self):
        stopped = Message(role="assistant", content="Agent stopped due to iteration limit or time limit.")
        return ExecutionTrace(trace_id="t", messages=(stopped,))

    def clean(self):
        return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="The file has 3 lines."),))
