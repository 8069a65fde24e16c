"""Attribute names of every instrumentation, as tables. In each row the first name that is present wins.

Covers every generation of OpenTelemetry's GenAI conventions, OpenInference, traceloop, Google ADK, MLflow, Langfuse, Vercel AI SDK.
"""

from collections.abc import Mapping
from enum import Enum

__all__ = [
    "AVAILABLE_TOOLS",
    "COST",
    "COST_OBJECTS",
    "EVENT_ROLES",
    "FINISH",
    "INDEXED",
    "INPUTS",
    "KINDS",
    "MARKS",
    "MODEL",
    "OUTPUTS",
    "OUTPUT_EVENTS",
    "RESPONSE_ID",
    "SESSION",
    "SYSTEM",
    "TOOL_ARGUMENTS",
    "TOOL_CALL_ID",
    "TOOL_NAME",
    "TOOL_RESULT",
    "USAGE",
    "USAGE_OBJECTS",
    "Kind",
]


class Kind(Enum):
    """What a span records."""

    MODEL = "model"
    TOOL = "tool"
    AGENT = "agent"
    OTHER = "other"


# The attribute that names the kind, and its values in lower case.
KINDS: tuple[tuple[str, Mapping[str, Kind]], ...] = (
    (
        "gen_ai.operation.name",
        {
            "chat": Kind.MODEL,
            "generate_content": Kind.MODEL,
            "text_completion": Kind.MODEL,
            "execute_tool": Kind.TOOL,
            "invoke_agent": Kind.AGENT,
            "create_agent": Kind.OTHER,
            "embeddings": Kind.OTHER,
            "invoke_workflow": Kind.OTHER,
            "plan": Kind.OTHER,
            "retrieval": Kind.OTHER,
        },
    ),
    (
        "openinference.span.kind",
        {
            "llm": Kind.MODEL,
            "tool": Kind.TOOL,
            "agent": Kind.AGENT,
            "chain": Kind.OTHER,
            "retriever": Kind.OTHER,
            "reranker": Kind.OTHER,
            "embedding": Kind.OTHER,
            "guardrail": Kind.OTHER,
            "evaluator": Kind.OTHER,
            "prompt": Kind.OTHER,
            "decision": Kind.OTHER,
        },
    ),
    (
        "mlflow.spanType",
        {
            "llm": Kind.MODEL,
            "chat_model": Kind.MODEL,
            "tool": Kind.TOOL,
            "agent": Kind.AGENT,
            "chain": Kind.OTHER,
            "retriever": Kind.OTHER,
            "embedding": Kind.OTHER,
        },
    ),
    (
        "langfuse.observation.type",
        {"generation": Kind.MODEL, "tool": Kind.TOOL, "agent": Kind.AGENT, "embedding": Kind.OTHER},
    ),
    (
        "traceloop.span.kind",
        {"tool": Kind.TOOL, "agent": Kind.AGENT, "workflow": Kind.OTHER, "task": Kind.OTHER},
    ),
    (
        "llm.request.type",
        {"chat": Kind.MODEL, "completion": Kind.MODEL, "embedding": Kind.OTHER, "rerank": Kind.OTHER},
    ),
    (
        "ai.operationId",
        {
            "ai.generatetext": Kind.AGENT,
            "ai.streamtext": Kind.AGENT,
            "ai.generatetext.dogenerate": Kind.MODEL,
            "ai.streamtext.dostream": Kind.MODEL,
            "ai.generateobject.dogenerate": Kind.MODEL,
            "ai.toolcall": Kind.TOOL,
        },
    ),
)
# If no attribute names the kind: attributes that imply it.
MARKS: tuple[tuple[str, Kind], ...] = (
    ("gen_ai.tool.name", Kind.TOOL),
    ("tool.name", Kind.TOOL),
    ("ai.toolCall.name", Kind.TOOL),
    ("gen_ai.input.messages", Kind.MODEL),
    ("gen_ai.output.messages", Kind.MODEL),
    ("llm.model_name", Kind.MODEL),
    ("gen_ai.request.model", Kind.MODEL),
    ("gen_ai.response.model", Kind.MODEL),
    ("gen_ai.prompt.0.role", Kind.MODEL),
    ("gen_ai.completion.0.role", Kind.MODEL),
    ("gen_ai.prompt", Kind.MODEL),
    ("gen_ai.completion", Kind.MODEL),
    ("gcp.vertex.agent.llm_request", Kind.MODEL),
)

MODEL = (
    "gen_ai.response.model",
    "llm.response.model_name",
    "gen_ai.request.model",
    "llm.model_name",
    "langfuse.observation.model.name",
    "mlflow.llm.model",
    "ai.response.model",
    "ai.model.id",
)
RESPONSE_ID = ("gen_ai.response.id", "llm.response.id", "ai.response.id")
SESSION = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "mlflow.trace.session")
FINISH = ("gen_ai.response.finish_reasons", "llm.finish_reason", "gen_ai.completion.0.finish_reason")

# Our name for a count, and the names in spans.
USAGE: Mapping[str, tuple[str, ...]] = {
    "prompt_tokens": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "ai.usage.promptTokens",
        "ai.usage.inputTokens",
    ),
    "completion_tokens": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "ai.usage.completionTokens",
        "ai.usage.outputTokens",
    ),
    "total_tokens": ("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "llm.token_count.total"),
    "cached_tokens": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
    ),
    "cache_write_tokens": (
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write_input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
    ),
    "reasoning_tokens": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "ai.usage.reasoningTokens",
    ),
}
USAGE_OBJECTS = ("mlflow.chat.tokenUsage", "langfuse.observation.usage_details")
COST = ("llm.cost.total", "operation.cost", "gen_ai.usage.cost")
COST_OBJECTS = (("mlflow.llm.cost", "total_cost"), ("langfuse.observation.cost_details", "total"))

# Attributes spread over numbered keys: "llm.tools.0.tool.json_schema".
INDEXED = (
    "gen_ai.prompt",
    "gen_ai.completion",
    "llm.input_messages",
    "llm.output_messages",
    "llm.request.functions",
    "llm.tools",
)
SYSTEM = ("gen_ai.system_instructions",)
INPUTS = (
    "gen_ai.input.messages",
    "llm.input_messages",
    "gen_ai.prompt",
    "gcp.vertex.agent.llm_request",
    "ai.prompt.messages",
    "ai.prompt",
    "pydantic_ai.all_messages",
    "all_messages_events",
    "mlflow.spanInputs",
    "langfuse.observation.input",
    "traceloop.entity.input",
    "input.value",
    "input",
)
OUTPUTS = (
    "gen_ai.output.messages",
    "llm.output_messages",
    "gen_ai.completion",
    "gcp.vertex.agent.llm_response",
    "mlflow.spanOutputs",
    "langfuse.observation.output",
    "traceloop.entity.output",
    "output.value",
    "output",
    "final_result",
)
AVAILABLE_TOOLS = (
    "gen_ai.tool.definitions",
    "llm.tools",
    "llm.request.functions",
    "mlflow.chat.tools",
    "ai.prompt.tools",
    "gen_ai.request.tools",
)
# Span events of the deprecated generation, and the role of the message that each carries.
EVENT_ROLES: Mapping[str, str] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
OUTPUT_EVENTS = frozenset({"gen_ai.choice"})

TOOL_NAME = (
    "gen_ai.tool.name",
    "tool.name",
    "tool_call.function.name",
    "ai.toolCall.name",
    "traceloop.entity.name",
    "mlflow.spanFunctionName",
)
TOOL_CALL_ID = ("gen_ai.tool.call.id", "tool_call.id", "tool.id", "tool.call.id", "ai.toolCall.id")
TOOL_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "tool_call.function.arguments",
    "tool_arguments",
    "ai.toolCall.args",
    "mlflow.spanInputs",
    "langfuse.observation.input",
    "traceloop.entity.input",
    "input.value",
    "input",
    "tool.parameters",
)
TOOL_RESULT = (
    "gen_ai.tool.call.result",
    "gcp.vertex.agent.tool_response",
    "tool_response",
    "ai.toolCall.result",
    "mlflow.spanOutputs",
    "langfuse.observation.output",
    "traceloop.entity.output",
    "output.value",
    "output",
)
