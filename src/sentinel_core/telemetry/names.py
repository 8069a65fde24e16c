"""The ids of Sentinel's own spans, derived from a run's id, and their attributes beside those of OpenTelemetry's GenAI conventions.

The names of the conventions are spelled out where they are used; the names here are shared with the reader of our files.
"""

from hashlib import sha256

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
    "nanos_of",
    "root_span_id_of",
    "span_id_of",
    "trace_id_of",
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


_ROOT = "workflow"


def trace_id_of(run_id: str) -> str:
    """The OpenTelemetry trace id of the conversation that begins with this run: 16 bytes as hexadecimal digits."""
    return sha256(b"sentinel-run:" + run_id.encode("utf-8", "replace")).hexdigest()[:32]


def span_id_of(trace_id: str, key: object) -> str:
    """The id of the span that ``key`` names within a trace: 8 bytes as hexadecimal digits."""
    return sha256(f"{trace_id}:{key}".encode()).hexdigest()[:16]


def root_span_id_of(trace_id: str) -> str:
    """The id of the outermost span of one of our own traces."""
    return span_id_of(trace_id, _ROOT)


def nanos_of(at: str) -> int:
    """ISO 8601 text as nanoseconds since 1970; 0 for anything else."""
    import datetime as dt

    try:
        moment = dt.datetime.fromisoformat(at)
    except ValueError:
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return max(0, (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000)
