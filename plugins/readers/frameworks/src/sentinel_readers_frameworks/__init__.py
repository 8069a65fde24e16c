"""Trace readers for agent frameworks and their platforms, one module per format.

A file is scored for each reader by its first bytes: 0 to 100, from keys that no other format combines. Scores above 90 are
for formats whose records also have the keys of Sentinel's own (``trace_id``, ``messages``).
"""

import re
from collections.abc import Callable, Iterable, Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl
from sentinel_readers_frameworks import _detection

__all__ = [
    "sentinel_trace_readers",
    "sniff_adk",
    "sniff_autogen",
    "sniff_gemini_cli",
    "sniff_langchain",
    "sniff_langfuse",
    "sniff_langsmith",
    "sniff_pydantic_ai",
]

_LANGCHAIN_TYPE = rb'"type"\s{0,9}:\s{0,9}"(?:ai|human|AIMessageChunk)"'
_LANGCHAIN_CLASS = rb'"(?:AI|Human|System|Tool)Message(?:Chunk)?"'
# Messages written as text, by ``json.dumps(state, default=str)``; the reader says what to write instead.
_LANGCHAIN_TEXT = (
    rb'\[\s{0,99}"(?:[A-Z]\w{0,40}\()?content=(?:\'|\\")(?:[^"\\]|\\.){0,65536}(?:additional_kwargs=|tool_call_id=)'
)
_LANGFUSE_ROW = (b'"parentObservationId"', b'"parent_observation_id"')
_AUTOGEN_EVENT = rb'"type"\s{0,9}:\s{0,9}"(?:TextMessage|ToolCall(?:Request|Execution)Event)"'

_TIME = rb'"timestamp"\s{0,9}:\s{0,9}"[^"]{1,40}"\s{0,9},\s{0,9}'
_GEMINI_EVENT = (
    rb'\{\s{0,9}"type"\s{0,9}:\s{0,9}(?:"init"\s{0,9},\s{0,9}%b"session_id"|"tool_use"\s{0,9},\s{0,9}%b"tool_name"|"tool_result"\s{0,9},\s{0,9}%b"tool_id"|"message"\s{0,9},\s{0,9}%b"role")'
    % ((_TIME,) * 4)
)

_Read = Callable[[Source], Iterable[ExecutionTrace | ReadError]]


def _reading(module: str, name: str = "read") -> _Read:
    """A ``read`` that imports its module on first use."""

    def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
        from importlib import import_module

        yield from getattr(import_module(f"{__name__}.{module}"), name)(source)

    return read


def sniff_adk(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """Events with an author and an invocation."""
    return 92 if _is_json(head) and _has(head, "author") and _any(head, "invocation_id", "invocationId") else 0


def sniff_autogen(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """Agent events of 0.4, chat results of 0.2, or a labelled ``history`` of named speakers."""
    if not _is_json(head):
        return 0
    if _has(head, "source") and (_has(head, "models_usage") or re.search(_AUTOGEN_EVENT, head)):
        return 91
    if _has(head, "chat_history") and _any(head, "human_input", "chat_id"):
        return 85
    if not _has(head, "history") or _has(head, "trajectory"):
        return 0
    return 88 if _any(head, "mistake_agent", "mistake_step", "question_ID", "is_corrected") else 0


def sniff_gemini_cli(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """A session with the hash of its project, or the first event of a stream."""
    if not _is_json(head):
        return 0
    if _has(head, "sessionId") and _has(head, "projectHash"):
        return 92
    return 94 if re.search(_GEMINI_EVENT, head) else 0


def sniff_langchain(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """LangChain messages, by class or by type, also those written as text."""
    if not _is_json(head):
        return 0
    if re.search(_LANGCHAIN_TEXT, head):
        return 96
    if _has(head, "lc") and re.search(_LANGCHAIN_CLASS, head):
        return 85
    return 80 if _has(head, "type") and re.search(_LANGCHAIN_TYPE, head) else 0


def sniff_langfuse(head: bytes, filename: str) -> int:
    """Observations, or the UI's download, whose observations may begin beyond the head."""
    if not _is_json(head):
        return 0
    if any(key in head for key in _LANGFUSE_ROW):
        return 96
    if _has(head, "observations") and _any(head, "usageDetails", "usage_details", "htmlPath", "projectId"):
        return 95
    return 92 if filename.startswith("trace-") and _has(head, "projectId") and _has(head, "trace") else 0


def sniff_langsmith(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """Runs with their type."""
    typed = _is_json(head) and _has(head, "run_type")
    return 95 if typed and _any(head, "dotted_order", "trace_id", "parent_run_id", "child_runs") else 0


def sniff_pydantic_ai(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """Messages of typed parts."""
    return 93 if _is_json(head) and _has(head, "part_kind") and _has(head, "kind") else 0


def _is_json(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def _has(head: bytes, key: str) -> bool:
    return f'"{key}"'.encode() in head


def _any(head: bytes, *keys: str) -> bool:
    return any(_has(head, key) for key in keys)


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The readers of this package."""
    return [
        TraceReader(name="adk", summary="Google ADK sessions", sniff=sniff_adk, read=_reading("adk")),
        TraceReader(
            name="autogen",
            summary="AutoGen group chats, 0.2 and 0.4, and the Who&When shape",
            sniff=sniff_autogen,
            read=_reading("autogen"),
        ),
        TraceReader(
            name="gemini-cli",
            summary="Gemini CLI chats, and its --output-format stream-json",
            sniff=sniff_gemini_cli,
            read=_reading("gemini_cli"),
            kept_at=("~/.gemini/tmp/*/chats/*.json*",),
        ),
        TraceReader(
            name="langchain",
            summary="LangChain and LangGraph messages, in three dump shapes",
            sniff=sniff_langchain,
            read=_reading("langchain"),
        ),
        TraceReader(
            name="langfuse",
            summary="Langfuse traces and observations: API, UI file, blob export",
            sniff=sniff_langfuse,
            read=_reading("langfuse"),
        ),
        TraceReader(name="langsmith", summary="LangSmith runs", sniff=sniff_langsmith, read=_reading("langsmith")),
        TraceReader(
            name="pydantic-ai",
            summary="Pydantic AI message history",
            sniff=sniff_pydantic_ai,
            read=_reading("pydantic_ai"),
        ),
        *_dumped_chats(),
    ]


def _dumped_chats() -> Iterator[TraceReader]:
    rows = (
        ("agno", "Agno runs, sessions and messages", _detection.sniff_agno, _reading("agno")),
        ("ai-sdk", "UI messages of Vercel's AI SDK", _detection.sniff_ai_sdk, _reading("ai_sdk")),
        (
            "bedrock-converse",
            "Bedrock Converse requests, responses and messages",
            _detection.sniff_bedrock,
            _reading("bedrock"),
        ),
        ("google-genai", "Contents of the Gemini API", _detection.sniff_genai, _reading("google_genai")),
        ("llama-index", "LlamaIndex chat messages and stores", _detection.sniff_llama_index, _reading("llama_index")),
        (
            "semantic-kernel",
            "Semantic Kernel chat histories",
            _detection.sniff_semantic_kernel,
            _reading("semantic_kernel"),
        ),
        ("smolagents", "The memory of smolagents agents", _detection.sniff_smolagents, _reading("smolagents")),
        ("strands", "Sessions of Strands Agents", _detection.sniff_strands, _reading("bedrock", "read_strands")),
    )
    for name, summary, sniff, read in rows:
        yield TraceReader(name=name, summary=summary, sniff=sniff, read=read)
