"""Trace readers for what OpenAI's interfaces and tools write: chat messages, Responses items, Codex, the Agents SDK.

A file is scored for each reader by its first bytes. Each row of a table has bytes that must be in the head, a costlier
pattern, and the score. Patterns match JSON keys as raw bytes, so that a quotation of the format inside a string, where
quotes are escaped, does not count.
"""

import re
from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl

__all__ = ["sentinel_trace_readers", "sniff_agents", "sniff_chat", "sniff_codex", "sniff_responses"]

_BOM = b"\xef\xbb\xbf"
_Marks = tuple[tuple[bytes, bytes, int], ...]

_AGENTS: _Marks = ((b'"trace', rb'"object"\s*:\s*"trace(?:\.span)?"', 95),)
_CODEX: _Marks = (
    (b'"session_meta"', rb'"type"\s*:\s*"session_meta"\s*,\s*"payload"\s*:', 95),
    (b'"payload"', rb'"type"\s*:\s*"(?:response_item|event_msg|turn_context|compacted)"\s*,\s*"payload"\s*:', 92),
    (
        b'"payload"',
        rb'"payload"\s*:\s*\{\s*"type"\s*:\s*"(?:token_count|function_call|user_message|agent_message)"',
        85,
    ),
    (b'"thread.started"', rb'"type"\s*:\s*"thread\.started"', 95),
    (b'"item.', rb'"type"\s*:\s*"item\.(?:started|updated|completed)"\s*,\s*"item"\s*:', 92),
    (b'"turn.started"', rb'\{\s*"type"\s*:\s*"turn\.started"\s*\}', 90),
    (b'"record_type"', rb'\{\s*"record_type"\s*:\s*"state"\s*\}', 90),
    (b'"instructions"', rb'\A\{"id":"[^"]{1,80}","timestamp":"[^"]{1,40}","instructions":', 80),
)
_RESPONSES: _Marks = (
    (b'"response"', rb'"object"\s*:\s*"response"', 88),
    (b'_call"', rb'"type"\s*:\s*"(?:function|custom_tool|computer|shell|apply_patch)_call"', 80),
    (b'_call_output"', rb'"type"\s*:\s*"(?:function|custom_tool|computer|shell|apply_patch)_call_output"', 80),
    (b'_call"', rb'"type"\s*:\s*"(?:web_search|file_search|code_interpreter|mcp)_call"', 80),
    (b'"previous_response_id"', rb'"previous_response_id"\s*:', 80),
    (b'put_text"', rb'"type"\s*:\s*"(?:input_text|output_text)"', 70),
)
_CHAT: _Marks = (
    (b'"traj"', rb'"traj"\s*:\s*\[\s*\{\s*"(?:role|content)"\s*:', 85),
    (b'"simulations"', rb'"simulations"\s*:\s*\[\s*\{', 85),
    (b'"requestor"', rb'"requestor"\s*:\s*"(?:user|assistant)"', 85),
    (b'"chat.completion"', rb'"object"\s*:\s*"chat\.completion"', 80),
    (b'"choices"', rb'"choices"\s*:\s*\[\s*\{[^{}\[\]]{0,200}"message"\s*:', 75),
    (b'"messages"', rb'"messages"\s*:\s*\[\s*\{\s*"(?:role|content|tool_calls|name)"\s*:', 70),
    (b'"tool_calls"', rb'"tool_calls"\s*:\s*\[\s*\{[^{}\[\]]{0,400}"function"\s*:\s*\{', 65),
    (b'"role"', rb'\A[\[\s]*\{\s*"(?:role|content|tool_calls|name)"\s*:', 65),
    (b'"completion"', rb'"(?:prompt|completion)"\s*:\s*\[\s*\{\s*"(?:role|content)"\s*:', 65),
)
# A record without messages; a trace of Sentinel's own format has an id, too.
_NO_MESSAGES = re.compile(rb'\{[^{}\[\]]{0,200}"messages"\s*:\s*\[\s*\]')
# tau2's results begin with the run's settings and its tasks, which may fill the whole head.
_TAU2_HEADER = (b'"num_trials"', b'"user_info"', b'"agent_info"')
# Anthropic's content blocks: their own reader handles them better.
_FOREIGN_BLOCKS = (b'"tool_use"', b'"tool_result"', b'"thinking"', b'"toolUse"', b'"toolResult"')
_FOREIGN_CAP = 40
_TAU2_SURE = 80
_EMPTY_SURE = 65

_CODEX_SESSIONS = "${CODEX_HOME:-~/.codex}/sessions/*/*/*/*.jsonl"


def _read_chat(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_openai.chat import read

    return read(source)


def _read_responses(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_openai.responses import read

    return read(source)


def _read_codex(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_openai.codex import read

    return read(source)


def _read_agents(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    from sentinel_readers_openai.agents import read

    return read(source)


def _is_json(head: bytes) -> bool:
    return head.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")


def _best(head: bytes, marks: _Marks) -> int:
    return max((sure for must, mark, sure in marks if must in head and re.search(mark, head) is not None), default=0)


def sniff_agents(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 if an object is a ``trace`` or a ``trace.span``."""
    return _best(head, _AGENTS) if _is_json(head) else 0


def sniff_codex(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """80 to 95 if a line is an envelope with a payload, an event of a stream, or in the format of the first versions."""
    return _best(head.removeprefix(_BOM).lstrip(), _CODEX) if _is_json(head) else 0


def sniff_responses(head: bytes, filename: str) -> int:
    """70 to 88 for an item or object of the Responses API, unless another tool wrapped it."""
    if not _is_json(head) or sniff_agents(head, filename) or sniff_codex(head, filename):
        return 0
    return _best(head, _RESPONSES)


def sniff_chat(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """65 to 85 for messages with roles; at most 40 if their content blocks are another provider's."""
    if not _is_json(head):
        return 0
    start = head.removeprefix(_BOM).lstrip()
    if b'"trace_id"' not in head and _NO_MESSAGES.match(start):
        return _EMPTY_SURE
    sure = _best(start, _CHAT)
    if all(key in head for key in _TAU2_HEADER):
        sure = max(sure, _TAU2_SURE)
    if b'"role"' not in head and sure < _TAU2_SURE:
        return 0
    return min(sure, _FOREIGN_CAP) if any(mark in head for mark in _FOREIGN_BLOCKS) else sure


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The four readers of this package."""
    return [
        TraceReader(
            name="openai-chat",
            summary="OpenAI chat messages, fine-tuning files, tau-bench and tau2 runs",
            sniff=sniff_chat,
            read=_read_chat,
        ),
        TraceReader(
            name="openai-responses",
            summary="OpenAI Responses items and response objects",
            sniff=sniff_responses,
            read=_read_responses,
        ),
        TraceReader(
            name="codex",
            summary="Codex CLI session rollouts, and codex exec --json",
            sniff=sniff_codex,
            read=_read_codex,
            kept_at=(_CODEX_SESSIONS,),
        ),
        TraceReader(
            name="openai-agents",
            summary="OpenAI Agents SDK traces and spans",
            sniff=sniff_agents,
            read=_read_agents,
        ),
    ]
