"""Three formats around Claude: sessions of Claude Code, its ``stream-json`` output, and messages of Anthropic's API.

A file is scored for each reader by its first bytes; a key inside a string has escaped quotes and does not count.
"""

from collections.abc import Iterator

from sentinel_core import ExecutionTrace, ReadError, Source, TraceReader, hookimpl
from sentinel_core.trace import from_json

__all__ = [
    "read_anthropic",
    "read_claude_code",
    "read_claude_stream",
    "sentinel_trace_readers",
    "sniff_anthropic",
    "sniff_claude_code",
    "sniff_claude_stream",
]

_SESSION_KEYS = frozenset({"parentUuid", "sessionId", "type", "uuid"})
_KEYS_BEFORE = (
    "parentUuid",
    "sessionId",
    "type",
)  # keys of a line before its message, which may fill the whole head
_SUMMARY_KEYS = frozenset({"leafUuid", "summary", "type"})
_STREAM_TYPES = frozenset({"assistant", "rate_limit_event", "result", "stream_event", "system", "user"})
# Cursor's stream has events of the same names, but never these keys; it tells calls in events of their own.
_STREAM_KEYS = frozenset({"mcp_servers", "num_turns", "parent_tool_use_id", "tools", "total_cost_usd", "uuid"})
_CURSOR_ONLY = frozenset({"thinking", "tool_call"})
_MOST_LINES = 200

_BLOCKS = frozenset(
    {
        "mcp_tool_use",
        "redacted_thinking",
        "server_tool_use",
        "thinking",
        "tool_result",
        "tool_use",
        "web_search_tool_result",
    }
)
_REQUEST_KEYS = ("request", "params")
_RESPONSE_KEYS = ("response", "result")
# Keys that other formats put around such messages: their readers take the file.
_OTHERS = (
    "additional_kwargs", "eval", "kwargs", "lc", "parentUuid", "part_kind", "resourceSpans", "run_type", "schema_version",
    "sessionId", "session_id", "tool_calls", "traceId", "trace_id", "trajectory",
)  # fmt: skip
_MARKS = (
    b'"input_schema"', b'"model":"claude', b'"stop_reason"', b'"tool_use_id"', b'"type":"server_tool_use"',
    b'"type":"thinking"', b'"type":"tool_use"',
)  # fmt: skip


def read_claude_code(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One session file, or one sub-agent's file, to one trace; sub-agents come as its children."""
    from sentinel_readers_claude.code import read

    return read(source)


def read_claude_stream(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session of the stream; sub-agents come as children."""
    from sentinel_readers_claude.stream import read

    return read(source)


def read_anthropic(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per conversation: a request that repeats the earlier messages continues it."""
    from sentinel_readers_claude.messages import read

    return read(source)


def sniff_claude_code(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 if a line has a session line's keys, 75 if only the bytes of a cut line show them, 70 for a session's summary line."""
    objects = _objects(head)
    if any(entry.keys() >= _SESSION_KEYS for entry in objects):
        return 95
    if _is_cut_line(head) and all(b'"%b"' % key.encode() in head.rpartition(b"\n")[2] for key in _KEYS_BEFORE):
        return 75
    return 70 if any(entry.keys() >= _SUMMARY_KEYS for entry in objects) else 0


def sniff_claude_stream(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """95 if the first objects are events with a ``session_id``, 75 if only the bytes show it, 70 if they may be Cursor's, 0 if they are."""
    objects = _objects(head)
    events = [entry for entry in objects if _is_event(entry)]
    if events:
        if any("session_id" in entry and str(entry.get("type")) in _CURSOR_ONLY for entry in objects):
            return 0
        return 95 if any(map(_is_own_event, events)) else 70
    packed = _packed(head)
    starts = packed.startswith((b'{"type":"system","subtype":"init"', b'[{"type":"system","subtype":"init"'))
    return 75 if not objects and starts and b'"session_id"' in packed else 0


def sniff_anthropic(head: bytes, filename: str) -> int:  # noqa: ARG001 - any file name may hold any format
    """80 if a message has what only Anthropic's API has, 75 if only the bytes show it; 0 beside keys of other formats."""
    objects = _objects(head)
    if any(_is_anthropic(entry) for entry in objects):
        return 80
    if objects and _is_in_lines(head):
        return 0
    packed = _packed(head)
    if not packed.startswith((b"{", b"[")) or b'"role"' not in packed or b'"content"' not in packed:
        return 0
    if any(b'"%b":' % key.encode() in packed for key in _OTHERS):
        return 0
    return 75 if any(mark in packed for mark in _MARKS) else 0


def _is_anthropic(entry: dict[str, object]) -> bool:
    if any(key in entry for key in _OTHERS):
        return False
    if any(isinstance(entry.get(key), dict) for key in _REQUEST_KEYS + _RESPONSE_KEYS):
        inner = [entry.get(key) for key in _REQUEST_KEYS + _RESPONSE_KEYS]
        inner += [value.get("message") for value in inner if isinstance(value, dict)]
        return any(_is_own(value) for value in inner if isinstance(value, dict))
    return _is_own(entry)


def _is_own(value: dict[str, object]) -> bool:
    """Whether a request, a response or a message is one of Anthropic's API."""
    messages = value.get("messages")
    if isinstance(messages, list):
        tools, model = value.get("tools"), value.get("model")
        offered = isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
        claude = isinstance(model, str) and "claude" in model
        known = [message for message in messages if isinstance(message, dict)]
        if any("tool_calls" in message or message.get("role") == "tool" for message in known):
            return False
        return offered or claude or any(map(_is_own, known))
    if not isinstance(value.get("role"), str) or "tool_calls" in value:
        return False
    content = value.get("content")
    blocks = content if isinstance(content, list) else []
    kinds = {block.get("type") for block in blocks if isinstance(block, dict) and isinstance(block.get("type"), str)}
    return not kinds.isdisjoint(_BLOCKS) or (value.get("type") == "message" and "stop_reason" in value)


def _is_event(entry: dict[str, object]) -> bool:
    kind = entry.get("type")
    if "session_id" not in entry or "sessionId" in entry or not isinstance(kind, str) or kind not in _STREAM_TYPES:
        return False
    return "subtype" in entry or "parent_tool_use_id" in entry or "message" in entry


def _is_own_event(entry: dict[str, object]) -> bool:
    message = entry.get("message")
    return not _STREAM_KEYS.isdisjoint(entry) or (isinstance(message, dict) and ("id" in message or "model" in message))


def _objects(head: bytes) -> list[dict[str, object]]:
    """The objects on the head's complete lines, or the elements of a JSON list that is complete."""
    found: list[dict[str, object]] = []
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", _MOST_LINES)[:_MOST_LINES]:
        found += _dicts(line)
    return found or _dicts(head.removeprefix(b"\xef\xbb\xbf"))


def _dicts(data: bytes) -> list[dict[str, object]]:
    data = data.strip()
    if not data.startswith((b"{", b"[")):
        return []
    try:
        value = from_json(data)
    except (ValueError, RecursionError):
        return []
    values = value if isinstance(value, list) else [value]
    return [entry for entry in values if isinstance(entry, dict)]


def _is_in_lines(head: bytes) -> bool:
    """Whether the first line is a value: else what is whole on later lines stands within a document over many lines."""
    return bool(_dicts(head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]))


def _is_cut_line(head: bytes) -> bool:
    """Whether the head ends within an object, on a line of its own."""
    line = head.rpartition(b"\n")[2].removeprefix(b"\xef\xbb\xbf").lstrip()
    return line.startswith(b"{") and not _dicts(line)


def _packed(head: bytes) -> bytes:
    """Without white space, so that a mark reads the same however the file is indented."""
    return head.removeprefix(b"\xef\xbb\xbf").translate(None, b" \t\r\n")


@hookimpl
def sentinel_trace_readers() -> list[TraceReader]:
    """The three readers of this package."""
    return [
        TraceReader(
            name="anthropic",
            summary="Anthropic Messages API: message lists, requests, request and response pairs",
            sniff=sniff_anthropic,
            read=read_anthropic,
        ),
        TraceReader(
            name="claude-code",
            summary="Claude Code sessions (JSON Lines), with their sub-agents",
            sniff=sniff_claude_code,
            read=read_claude_code,
            kept_at=("${CLAUDE_CONFIG_DIR:-~/.claude}/projects/*/????????-????-????-????-????????????.jsonl",),
        ),
        TraceReader(
            name="claude-stream",
            summary="Claude Code's --output-format stream-json",
            sniff=sniff_claude_stream,
            read=read_claude_stream,
        ),
    ]
