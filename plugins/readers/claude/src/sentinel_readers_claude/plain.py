"""A fast path for the blocks of most messages. A test checks that it gives the same as the general path."""

from collections.abc import Sequence
from typing import Literal

from sentinel_core.trace import ToolCall
from sentinel_core.traces.readers import Piece
from sentinel_core.traces.readers.chat import Result

__all__ = ["plain_piece"]

_CALL_KEYS = frozenset({"cache_control", "caller", "id", "input", "name", "type"})
_RESULT_KEYS = frozenset({"cache_control", "content", "is_error", "tool_use_id", "type"})


def plain_piece(role: Literal["assistant", "system", "user"], blocks: Sequence[object]) -> Piece | None:
    """One message of texts and calls, or of results only; None for any other, which the general path reads."""
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Result] = []
    for block in blocks:
        if not isinstance(block, dict):
            return None
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "tool_use" and role == "assistant" and (call := _call(block)) is not None:
            calls.append(call)
        elif kind == "tool_result" and role == "user" and (result := _result(block)) is not None:
            results.append(result)
        else:
            return None
    if results:
        return None if texts else Piece(role="tool", results=tuple(results))
    return Piece(role=role, text="\n".join(filter(None, texts)) or None, calls=tuple(calls))


def _call(block: dict[str, object]) -> ToolCall | None:
    call_id, name, given = block.get("id"), block.get("name"), block.get("input")
    if not (isinstance(call_id, str) and call_id and isinstance(name, str) and name and isinstance(given, dict)):
        return None
    if not block.keys() <= _CALL_KEYS:
        return None
    return ToolCall(id=call_id.strip(), name=name, arguments=given)


def _result(block: dict[str, object]) -> Result | None:
    call_id, content, flag = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if not (isinstance(call_id, str) and call_id and isinstance(content, str)) or not isinstance(flag, bool | None):
        return None
    if not block.keys() <= _RESULT_KEYS:
        return None
    return Result(content=content, call_id=call_id.strip(), success=None if flag is None else not flag)
