"""For plugin authors: contract suites to subclass, a scripted model, sample traces, and a work counter.

    from sentinel_core.testing import SignalContract

    class TestShouting(SignalContract):
        def make(self): ...
        def risky(self): ...
        def clean(self): ...

Overriding a test of a contract raises ``TypeError`` when the class is made.
"""

from sentinel_core.testing._contracts_command import CommandContract
from sentinel_core.testing._contracts_guardrail import GuardrailContract
from sentinel_core.testing._contracts_output import OutputContract
from sentinel_core.testing._contracts_provider import ProviderContract
from sentinel_core.testing._contracts_reader import TraceReaderContract
from sentinel_core.testing._contracts_signal import SignalContract
from sentinel_core.testing._contracts_tool import ToolContract
from sentinel_core.testing.samples import SAMPLES, exchange, honest_trace
from sentinel_core.testing.scripted import ScriptedModel, scripted_provider
from sentinel_core.testing.work import work_of
from sentinel_core.traces.sources.memory import BytesSource

__all__ = [
    "SAMPLES",
    "BytesSource",
    "CommandContract",
    "GuardrailContract",
    "OutputContract",
    "ProviderContract",
    "ScriptedModel",
    "SignalContract",
    "ToolContract",
    "TraceReaderContract",
    "exchange",
    "honest_trace",
    "scripted_provider",
    "work_of",
]
