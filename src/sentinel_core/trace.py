"""What an agent did: the trace models that every signal reads.

Version 1 of the file format is flat: trace id, messages, token usage, metadata. What richer formats record in addition goes
into one optional ``details`` object for each model, so that plain files stay small and decoding stays fast.
"""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from sentinel_core._fast import declared, fast, field

__all__ = [
    "GAPS",
    "GAPS_AT",
    "MOST_DEPTH",
    "NOTES",
    "CallDetails",
    "ExecutionTrace",
    "Message",
    "MessageDetails",
    "Role",
    "TokenDetails",
    "TokenUsage",
    "ToolCall",
    "ToolResult",
    "ToolSchema",
    "TraceDetails",
    "canonical",
    "canonical_each",
    "from_json",
    "parsed",
    "reading_remarks",
    "to_json",
]

Role = Literal["system", "user", "assistant", "tool"]

_sorted_encoder = msgspec.json.Encoder(order="sorted", enc_hook=repr)

to_json = msgspec.json.Encoder(enc_hook=repr).encode
from_json = msgspec.json.Decoder().decode


def parsed(text: str) -> object:
    """The value of a JSON text; None where it is not JSON, or nested too deep."""
    try:
        return from_json(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def canonical_each(values: Iterable[object]) -> list[bytes]:
    """``canonical`` of each value, in one go."""
    return _sorted_encoder.encode_lines(values).split(b"\n")[:-1]  # in JSON a line's end is always escaped


def canonical(value: object) -> bytes:
    """One JSON spelling for equal values: keys sorted, no white space, UTF-8.

    What is not JSON stands as its ``repr``.
    """
    return _sorted_encoder.encode(value)


def _negative(counts: object, *names: str) -> ValueError:
    """What to raise; checked by hand, because an attrs validator for each count is what reading a usage would cost."""
    told = {name: getattr(counts, name) or 0 for name in names}
    return ValueError("; ".join(f"'{name}' must be >= 0: {count}" for name, count in told.items() if count < 0))


@fast
@declared(kw_only=True)
class TokenDetails:
    """Parts of a token count. Cached and cache-write tokens are parts of the prompt, reasoning tokens of the completion."""

    cached_tokens: int = 0
    """Prompt tokens read from a cache."""
    cache_write_tokens: int = 0
    """Prompt tokens written to a cache."""
    reasoning_tokens: int = 0
    """Completion tokens spent on reasoning."""

    def __attrs_post_init__(self) -> None:
        if self.cached_tokens < 0 or self.cache_write_tokens < 0 or self.reasoning_tokens < 0:
            raise _negative(self, "cached_tokens", "cache_write_tokens", "reasoning_tokens")


@fast
@declared(kw_only=True)
class TokenUsage:
    """Tokens that a model read and wrote. If ``total_tokens`` is left out, it is prompt plus completion.

    Raises ``ValueError`` for a negative count.
    """

    prompt_tokens: int = 0
    """Tokens that the model read."""
    completion_tokens: int = 0
    """Tokens that it wrote."""
    total_tokens: int | None = None
    """The stated total; if it is left out, prompt plus completion."""
    details: TokenDetails | None = None
    """Parts of these counts."""

    def __attrs_post_init__(self) -> None:
        if self.prompt_tokens < 0 or self.completion_tokens < 0 or (self.total_tokens or 0) < 0:
            raise _negative(self, "prompt_tokens", "completion_tokens", "total_tokens")

    @property
    def total(self) -> int:
        """The stated total, or prompt plus completion if none is stated."""
        return self.prompt_tokens + self.completion_tokens if self.total_tokens is None else self.total_tokens


@fast
@declared(kw_only=True)
class CallDetails:
    """What some formats record about a call: arguments that were not JSON, and whether a result is expected at all.

    ``result_expected`` is False for a server-side tool whose result never appears in the trace.
    """

    raw_arguments: str | None = None
    """The text of the arguments, if it was not JSON."""
    result_expected: bool = True
    """False for a server-side tool whose result never appears in the trace."""


@fast
@declared(kw_only=True)
class ToolCall:
    """A request by the model to run a tool. ``timestamp`` is ISO 8601 text."""

    id: str
    """The call's id, which its results refer to."""
    name: str
    """Name of the tool."""
    arguments: dict[str, Any] = field(factory=dict)
    """What it was called with."""
    timestamp: str | None = None
    """ISO 8601."""
    details: CallDetails | None = None
    """Further details that some formats record."""


@fast
@declared(kw_only=True)
class ToolResult:
    """What came back for a call. ``success`` is None if the source does not say."""

    tool_call_id: str
    """Id of the call it answers."""
    content: str = ""
    """What came back, as text."""
    success: bool | None = None
    """Whether the call worked; null if the source does not say."""
    timestamp: str | None = None
    """ISO 8601."""
    metadata: dict[str, Any] | None = None
    """Anything else."""


@fast
@declared(kw_only=True)
class MessageDetails:
    """What some formats record about a message: ids, model, usage, cost in US dollars, duration in milliseconds, origin.

    ``is_copied_context`` marks a message repeated after compaction; ``origin`` is the file line or span it came from.
    """

    id: str | None = None
    """The source's id."""
    model: str | None = None
    """The model that wrote it."""
    usage: TokenUsage | None = None
    """Tokens of this message."""
    cost_usd: float | None = None
    """Its cost in US dollars."""
    duration_ms: float | None = None
    """How long it took, in milliseconds."""
    reasoning: str | None = None
    """The model's reasoning, if it is recorded."""
    is_copied_context: bool = False
    """True if the message was repeated after compaction."""
    origin: str | None = None
    """The line or span it came from."""


@fast
@declared(kw_only=True)
class Message:
    """One message of the conversation, with the calls it makes and the results it carries."""

    role: Role
    """Who speaks."""
    content: str | None = None
    """What the speaker says."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that the message makes."""
    tool_results: tuple[ToolResult, ...] = ()
    """Results that the message carries."""
    timestamp: str | None = None
    """ISO 8601."""
    metadata: dict[str, Any] | None = None
    """Anything else."""
    details: MessageDetails | None = None
    """Further details that some formats record."""
    name: str | None = None
    """Name of the speaker, in a conversation of several agents."""


@fast
@declared(kw_only=True)
class ToolSchema:
    """A tool that the agent could call; ``parameters`` is a JSON schema, None if it is not known."""

    name: str
    """The tool's name."""
    description: str | None = None
    """What it does."""
    parameters: dict[str, Any] | None = None
    """A JSON schema; null if it is not known."""


@fast
@declared(kw_only=True)
class TraceDetails:
    """What some formats record about a whole trace.

    ``outcome`` is how the run ended (``completed``, ``interrupted``, ``max_turns``, ...); ``source`` names the format;
    ``children`` are sub-agents, each a trace of its own, tied to the call ``parent_call_id`` that started it.
    """

    available_tools: tuple[ToolSchema, ...] | None = None
    """Available tools."""
    outcome: str | None = None
    """How the run ended: completed, interrupted, max_turns and so on."""
    source: str | None = None
    """The format it was read from."""
    parent_call_id: str | None = None
    """The call that started this sub-agent."""
    children: "tuple[ExecutionTrace, ...]" = ()
    """Sub-agents, each a trace of its own."""


def _messages(values: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(values)


@fast
@declared(kw_only=True)
class ExecutionTrace:
    """Everything one run of an agent did, in order.

    ``token_usage`` is None if the source recorded none. ``schema`` is the version of the file format that the trace
    was read from; files of version 2 may carry ``details``.
    """

    trace_id: str
    """The trace's id."""
    messages: tuple[Message, ...] = field(default=(), converter=_messages)
    """What was said and done, in order."""
    token_usage: TokenUsage | None = None
    """Tokens; null if the source recorded none."""
    metadata: dict[str, Any] = field(factory=dict)
    """Anything else."""
    details: TraceDetails | None = None
    """Further details that some formats record."""
    schema: int = 1
    """The version of the file format; files of version 2 may have details."""


MOST_DEPTH = 200
"""Lists and objects in arguments and metadata are not nested deeper."""
GAPS = "reading_gaps"
"""The metadata key under which a reader describes what it could not read. ``--strict`` judges no trace with such a gap."""

GAPS_AT = "reading_gaps_at"
"""The metadata key under which a reader lists the positions of messages in or before which something of the agent could not be read."""

NOTES = "reading_notes"
"""The metadata key under which a reader describes what it left out on purpose."""


def reading_remarks(trace: ExecutionTrace, *keys: str) -> list[str]:
    """The sentences under ``GAPS``, ``NOTES`` or both in a trace's metadata and in its sub-agents'; other values are skipped."""
    remarks = [one for key in keys for one in _sentences(trace.metadata.get(key))]
    for child in () if trace.details is None else trace.details.children:
        remarks += [f'sub-agent "{child.trace_id}": {one}' for one in reading_remarks(child, *keys)]
    return remarks


def _sentences(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
