"""Attribute names that Sentinel writes on its own spans, beside those of OpenTelemetry's GenAI conventions.

The names of the conventions are spelled out where they are used; the names here are shared with the reader of our files.
"""

__all__ = [
    "AT",
    "CONTENT",
    "DURATION_MS",
    "METADATA",
    "OUTCOME",
    "ROLE",
    "ROOT_SPAN",
    "RUN_ID",
    "SEQUENCE",
    "SUCCESS",
    "TOOL_METADATA",
    "TOOL_RAN",
    "TRACE_ID",
    "USAGE",
]

RUN_ID = "sentinel.run.id"
OUTCOME = "sentinel.outcome"
METADATA = "sentinel.trace.metadata"
SEQUENCE = "sentinel.sequence"
AT = "sentinel.at"
ROLE = "sentinel.message.role"
DURATION_MS = "sentinel.duration_ms"
SUCCESS = "sentinel.tool.success"
TOOL_METADATA = "sentinel.tool.metadata"
TOOL_RAN = "sentinel.tool.ran"
# In a saved trace's metadata: the id of the same run's OpenTelemetry trace.
TRACE_ID = "otel_trace_id"
# In the metadata of a trace that was read from spans: the id of the outermost span.
ROOT_SPAN = "otel_span_id"

# Our names for token counts, and the conventions'.
USAGE = {
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
    "total_tokens": "gen_ai.usage.total_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_write.input_tokens",
    "reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
}

# Attributes that hold the conversation itself; left out if content is not captured.
CONTENT = frozenset(
    {
        METADATA,
        TOOL_METADATA,
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.tool.definitions",
        "sentinel.context.summary",
        "sentinel.detail",
        "sentinel.error",
    }
)
