from sentinel_core import ExecutionTrace, Message
from sentinel_core.testing import SignalContract
from sentinel_signal_effort import sentinel_signals


class TestEffortContract(SignalContract):
    def make(self):
        return next(iter(sentinel_signals()))

    def risky(self):
        return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="word " * 100_000),))

    def clean(self):
        return ExecutionTrace(trace_id="t", messages=(Message(role="assistant", content="Done."),))
