"""Turns the lines of a Claude conversation into a trace: one message per model response, even if it has several lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs

from sentinel_core.trace import CallDetails, MessageDetails, TokenUsage, ToolCall, canonical
from sentinel_core.traces.readers import Piece, TraceBuilder, pieces_of, usage_of
from sentinel_core.traces.readers.chat import Result
from sentinel_readers_claude.plain import plain_piece

__all__ = [
    "INTERRUPTION",
    "OUTCOMES",
    "Line",
    "Turn",
    "add_turns",
    "blocks_of",
    "merged_turns_of",
    "outcome_of",
    "segments",
    "turns_of",
]

INTERRUPTION = "[Request interrupted by user"
"""The start of the user message that Claude Code writes when the user stops it."""

OUTCOMES: Mapping[str, str] = {
    "end_turn": "completed",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "context_window_exceeded",
    "refusal": "refusal",
    "stop_sequence": "completed",
}
"""The API's ``stop_reason`` of the last response, and the trace's outcome."""

_SYNTHETIC = "<synthetic>"
# Results of calls that never ran, because the user or a failed sibling call stopped them: no tool failed.
_NOT_RUN = (
    INTERRUPTION,
    "<tool_use_error>Cancelled:",
    "<tool_use_error>Sibling tool call errored",
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
)


# Not frozen: a file has one per line, and a frozen object takes three times as long to create.
@attrs.define(kw_only=True, eq=False)
class Line:
    """One recorded message, or a part of it: ``message`` is in the format of Anthropic's API.

    ``number`` is the line or the position in the file; ``is_error`` marks the client's report of a failed request.
    """

    role: Literal["assistant", "system", "user"]
    message: Mapping[str, Any]
    origin: str
    number: int
    uuid: str | None = None
    timestamp: str | None = None
    is_copied: bool = False
    is_error: bool = False


@attrs.define(kw_only=True)
class Turn:
    """One message of the conversation; an assistant's has all blocks of one response."""

    line: Line
    blocks: list[Any]
    raw_usage: object = None
    stop_reason: str | None = None

    @property
    def usage(self) -> TokenUsage | None:
        """The tokens of the response."""
        return usage_of(self.raw_usage)

    @property
    def id(self) -> str | None:
        """The API's message id, else the line's own."""
        own = self.line.message.get("id")
        return own if isinstance(own, str) and own else self.line.uuid

    @property
    def is_synthetic(self) -> bool:
        """True if the client, not the model, wrote it."""
        return self.line.message.get("model") == _SYNTHETIC

    def take_ending(self, message: Mapping[str, Any]) -> None:
        """Take usage and stop reason from a response's last line, which has the final values."""
        self.raw_usage = message.get("usage") or self.raw_usage
        reason = message.get("stop_reason")
        self.stop_reason = reason if isinstance(reason, str) else self.stop_reason

    def is_interruption(self) -> bool:
        """True if the user stopped the run."""
        return self.line.role == "user" and any(_text(block).startswith(INTERRUPTION) for block in self.blocks)

    def ids(self, kind: str, key: str) -> Iterator[str]:
        """The ids, stripped, that blocks of a kind have under a key."""
        for block in self.blocks:
            if isinstance(block, dict) and block.get("type") == kind and isinstance(block.get(key), str):
                yield block[key].strip()


def blocks_of(message: Mapping[str, Any]) -> list[Any] | None:
    """The content as a list; None if there is none. A text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else None


def turns_of(lines: Iterable[Line]) -> list[Turn]:
    """One turn per line."""
    turns = []
    for line in lines:
        turn = Turn(line=line, blocks=list(blocks_of(line.message) or ()))
        turn.take_ending(line.message)
        turns.append(turn)
    return turns


def merged_turns_of(lines: Iterable[Line]) -> list[Turn]:
    """Lines with one response id are one turn, at the place of the first; a repeated block counts once."""
    turns: list[Turn] = []
    responses: dict[str, tuple[Turn, set[bytes]]] = {}
    for turn in turns_of(lines):
        own = turn.line.message.get("id")
        if turn.line.role != "assistant" or not isinstance(own, str):
            turns.append(turn)
        elif own not in responses:
            turns.append(turn)
            responses[own] = turn, set()
        else:
            first, written = responses[own]
            written = written or set(map(canonical, first.blocks))
            new = {canonical(block): block for block in turn.blocks}
            first.blocks += [block for spelling, block in new.items() if spelling not in written]
            written.update(new)
            responses[own] = first, written
            first.take_ending(turn.line.message)
    return turns


def segments(blocks: list[Any]) -> list[list[Any]]:
    """One response's blocks, split after results of server-side tools, because the model saw them before it continued."""
    if len(blocks) == 1 or not any(map(_is_server_result, blocks)):
        return [blocks]
    found: list[list[Any]] = []
    start = 0
    for position in range(1, len(blocks)):
        if _is_server_result(blocks[position - 1]) and not _is_server_result(blocks[position]):
            found.append(blocks[start:position])
            start = position
    return [*found, blocks[start:]]


def add_turns(builder: TraceBuilder, turns: Sequence[Turn], *, unmarked: bool | None, last_lost: int = 0) -> None:
    """Add every turn as one or more messages.

    ``unmarked`` is the success of a result without a failure mark; ``last_lost`` is the last line that could not be used: it
    may have held the result of an earlier call.
    """
    withdrawn = _withdrawn(turns, last_lost)
    for turn in turns:
        is_synthetic = turn.is_synthetic
        model = None if is_synthetic else _text_or_none(turn.line.message.get("model"))
        usage = None if is_synthetic else turn.usage
        for blocks in segments(turn.blocks):
            details = MessageDetails(
                id=turn.id, model=model, usage=usage, is_copied_context=turn.line.is_copied, origin=turn.line.origin
            )
            usage = None
            for piece in _pieces(turn, blocks):
                settled = _settled(piece, withdrawn, unmarked=unmarked)
                if is_synthetic:
                    settled = Piece(role="system", text=piece.text)
                builder.add(settled, timestamp=turn.line.timestamp, details=details)


def _pieces(turn: Turn, blocks: list[Any]) -> list[Piece]:
    plain = plain_piece(turn.line.role, blocks)
    return pieces_of({"role": turn.line.role, "content": blocks}) if plain is None else [plain]


def outcome_of(turns: Sequence[Turn]) -> str | None:
    """How a run ended, by its last turn: a run that stops at a call or a result was interrupted."""
    if not turns:
        return None
    last = turns[-1]
    if last.line.is_error:
        return "error"
    if last.line.role == "user":
        stopped = last.is_interruption() or any(last.ids("tool_result", "tool_use_id"))
        return "interrupted" if stopped else None
    if any(last.ids("tool_use", "id")):
        return "interrupted"
    return OUTCOMES.get(last.stop_reason or "")


def _withdrawn(turns: Sequence[Turn], last_lost: int) -> set[str]:
    """The calls without an answer that the user stopped, or whose answer may be lost."""
    stopped: set[str] = set()
    if not last_lost and not any(turn.is_interruption() for turn in turns):
        return stopped
    answered = {call_id for turn in turns for call_id in turn.ids("tool_result", "tool_use_id")}
    is_stopped_later = False
    for turn in reversed(turns):
        is_stopped_later = is_stopped_later or turn.is_interruption()
        if is_stopped_later or turn.line.number < last_lost:
            stopped.update(call_id for call_id in turn.ids("tool_use", "id") if call_id not in answered)
    return stopped


def _settled(piece: Piece, withdrawn: set[str], *, unmarked: bool | None) -> Piece:
    """The piece, with calls and results completed from the whole conversation."""
    if withdrawn and any(call.id in withdrawn for call in piece.calls):
        piece = attrs.evolve(piece, calls=tuple(_call(call) if call.id in withdrawn else call for call in piece.calls))
    if not piece.results:
        return piece
    results = tuple(_result(result, unmarked=unmarked) for result in piece.results)
    return attrs.evolve(piece, results=results)


def _call(call: ToolCall) -> ToolCall:
    return attrs.evolve(call, details=attrs.evolve(call.details or CallDetails(), result_expected=False))


def _result(result: Result, *, unmarked: bool | None) -> Result:
    is_run = not result.content.startswith(_NOT_RUN)
    if is_run and (result.success is not None or unmarked is None):
        return result
    return Result(
        content=result.content,
        call_id=result.call_id,
        name=result.name,
        success=unmarked if is_run else None,
        metadata=result.metadata if is_run else {"not_run": True},
    )


def _is_server_result(block: object) -> bool:
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and kind.endswith("_tool_result")


def _text(block: object) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else ""


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
