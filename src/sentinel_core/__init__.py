"""Sentinel: tells from a trace alone, offline and with evidence, whether an agent did what it said it did.

    from sentinel_core import ExecutionTrace, Message, TokenUsage, evaluate_trace

Everything that plugin authors and library users need is here. Names are looked up on first use, so an import costs only
what is used.
"""

from typing import TYPE_CHECKING

from sentinel_core._lazy import lazy_names
from sentinel_core._version import __version__

if TYPE_CHECKING:
    from sentinel_core.errors import SentinelError
    from sentinel_core.evaluate.index import Call, Text, TraceIndex
    from sentinel_core.evaluate.outcome import Outcome
    from sentinel_core.guardrails.answer_guard import AnswerGuard, Objection
    from sentinel_core.guardrails.components import (
        calculate_fatigue_score,
        detect_bias_repetition,
        enforce_rerun_limits,
        log_rerun_reasoning,
    )
    from sentinel_core.guardrails.facts import Attempt, History, Ruling
    from sentinel_core.guardrails.loops import (
        get_guardrails_status,
        override_guardrails,
        process_loop_completion,
        submit_loop,
    )
    from sentinel_core.hookspecs import hookimpl
    from sentinel_core.host.in_process import evaluate_trace
    from sentinel_core.host.judge import judge
    from sentinel_core.judging.output.show import notebook_frame, report_page, report_text
    from sentinel_core.model import Capabilities, Model, Reply, Request
    from sentinel_core.offers import (
        Command,
        Document,
        Explanation,
        Guardrail,
        Output,
        Provider,
        ReadError,
        Rule,
        Signal,
        Source,
        Tool,
        TraceReader,
    )
    from sentinel_core.profile import RS1, STANDARD, CriticalRule, Profile
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
    from sentinel_core.traces.codec import decode_trace, encode_report, encode_trace

_HOME = {
    "errors": ("SentinelError",),
    "evaluate.index": ("Call", "Text", "TraceIndex"),
    "evaluate.outcome": ("Outcome",),
    "hookspecs": ("hookimpl",),
    "host.in_process": ("evaluate_trace",),
    "host.judge": ("judge",),
    "judging.output.show": ("notebook_frame", "report_page", "report_text"),
    "model": ("Capabilities", "Model", "Reply", "Request"),
    "offers": (
        "Explanation",
        "Command",
        "Document",
        "Guardrail",
        "Output",
        "Provider",
        "ReadError",
        "Rule",
        "Signal",
        "Source",
        "Tool",
        "TraceReader",
    ),
    "profile": ("RS1", "STANDARD", "CriticalRule", "Profile"),
    "guardrails.answer_guard": ("AnswerGuard", "Objection"),
    "guardrails.components": (
        "calculate_fatigue_score",
        "detect_bias_repetition",
        "enforce_rerun_limits",
        "log_rerun_reasoning",
    ),
    "guardrails.facts": ("Attempt", "History", "Ruling"),
    "guardrails.loops": (
        "get_guardrails_status",
        "submit_loop",
        "override_guardrails",
        "process_loop_completion",
    ),
    "report": ("Detection", "Finding", "LedgerEntry", "ReliabilityReport"),
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
    "traces.codec": ("decode_trace", "encode_report", "encode_trace"),
}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names}

__all__ = [
    "RS1",
    "STANDARD",
    "AnswerGuard",
    "Attempt",
    "Call",
    "CallDetails",
    "Capabilities",
    "Command",
    "CriticalRule",
    "Detection",
    "Document",
    "ExecutionTrace",
    "Explanation",
    "Finding",
    "Guardrail",
    "History",
    "LedgerEntry",
    "Message",
    "MessageDetails",
    "Model",
    "Objection",
    "Outcome",
    "Output",
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
    "calculate_fatigue_score",
    "decode_trace",
    "detect_bias_repetition",
    "encode_report",
    "encode_trace",
    "enforce_rerun_limits",
    "evaluate_trace",
    "get_guardrails_status",
    "hookimpl",
    "judge",
    "log_rerun_reasoning",
    "notebook_frame",
    "override_guardrails",
    "process_loop_completion",
    "report_page",
    "report_text",
    "submit_loop",
]


__getattr__, __dir__ = lazy_names(globals(), _MODULE_OF)
