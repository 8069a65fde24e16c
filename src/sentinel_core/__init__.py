"""Sentinel: tells from a trace alone, offline and with evidence, whether an agent did what it said it did.

    from sentinel_core import ExecutionTrace, Message, TokenUsage, evaluate_trace

Everything that plugin authors and library users need is here; names are looked up on first use, so importing costs
nothing that is not used.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentinel_core.api import evaluate_trace
    from sentinel_core.errors import SentinelError
    from sentinel_core.evaluate.index import Call, Text, TraceIndex
    from sentinel_core.evaluate.outcome import Outcome
    from sentinel_core.hookspecs import hookimpl
    from sentinel_core.model import Capabilities, Model, Reply, Request
    from sentinel_core.offers import Guardrail, Provider, ReadError, Rule, Signal, Source, Tool, TraceReader
    from sentinel_core.profile import RS1, STANDARD, CriticalRule, Profile
    from sentinel_core.reflection.facts import Attempt, History, Ruling
    from sentinel_core.reflection.loops import (
        get_guardrails_status,
        hand_in_loop,
        override_guardrails,
        process_loop_completion,
    )
    from sentinel_core.report import Detection, Finding, ReliabilityReport
    from sentinel_core.trace import (
        CallDetails,
        ExecutionTrace,
        Message,
        MessageDetails,
        TokenDetails,
        TokenUsage,
        ToolCall,
        ToolResult,
        ToolSchema,
        TraceDetails,
    )

__version__ = "0.1.0"

_HOME = {
    "api": ("evaluate_trace",),
    "errors": ("SentinelError",),
    "evaluate.index": ("Call", "Text", "TraceIndex"),
    "evaluate.outcome": ("Outcome",),
    "hookspecs": ("hookimpl",),
    "model": ("Capabilities", "Model", "Reply", "Request"),
    "offers": ("Guardrail", "Provider", "ReadError", "Rule", "Signal", "Source", "Tool", "TraceReader"),
    "profile": ("RS1", "STANDARD", "CriticalRule", "Profile"),
    "reflection.facts": ("Attempt", "History", "Ruling"),
    "reflection.loops": (
        "get_guardrails_status",
        "hand_in_loop",
        "override_guardrails",
        "process_loop_completion",
    ),
    "report": ("Detection", "Finding", "ReliabilityReport"),
    "trace": (
        "CallDetails",
        "ExecutionTrace",
        "Message",
        "MessageDetails",
        "TokenDetails",
        "TokenUsage",
        "ToolCall",
        "ToolResult",
        "ToolSchema",
        "TraceDetails",
    ),
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names}

__all__ = [
    "RS1",
    "STANDARD",
    "Attempt",
    "Call",
    "CallDetails",
    "Capabilities",
    "CriticalRule",
    "Detection",
    "ExecutionTrace",
    "Finding",
    "Guardrail",
    "History",
    "Message",
    "MessageDetails",
    "Model",
    "Outcome",
    "Profile",
    "Provider",
    "ReadError",
    "ReliabilityReport",
    "Reply",
    "Request",
    "Rule",
    "Ruling",
    "SentinelError",
    "Signal",
    "Source",
    "Text",
    "TokenDetails",
    "TokenUsage",
    "Tool",
    "ToolCall",
    "ToolResult",
    "ToolSchema",
    "TraceDetails",
    "TraceIndex",
    "TraceReader",
    "__version__",
    "evaluate_trace",
    "get_guardrails_status",
    "hand_in_loop",
    "hookimpl",
    "override_guardrails",
    "process_loop_completion",
]


def _looked_up(
    namespace: dict[str, Any], module_of: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__getattr__`` and ``__dir__`` that import each name's module when the name is first used."""

    def get(name: str) -> Any:
        try:
            module = importlib.import_module(module_of[name])
        except KeyError:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}") from None
        value = namespace[name] = getattr(module, name)
        return value

    return get, lambda: sorted([*namespace, *module_of])


__getattr__, __dir__ = _looked_up(globals(), _MODULE_OF)
