"""Splits one chat message, in the format of any provider or framework, into neutral pieces.

Known: OpenAI chat and Responses, Anthropic Messages, LangChain's three dump shapes, OpenTelemetry's GenAI parts,
OpenInference, Gemini and ADK parts, Inspect. An unknown part is kept as text, never dropped in silence.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import attrs

from sentinel_core._fast import declared, fast
from sentinel_core.trace import CallDetails, Role, ToolCall, to_json
from sentinel_core.traces.parsing import parse_json
from sentinel_core.traces.readers.roles import ROLES, role_of

__all__ = ["LOST_CALLS", "Piece", "Result", "arguments_of", "call_of", "pieces_of", "text_of"]

LOST_CALLS = "list of calls in no known shape"
_NAMELESS = "call without a name"
_ODD_CONTENT = "content that is neither text nor a list of parts"
_TEXT = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
_REASONING = frozenset({"thinking", "reasoning", "redacted_thinking", "thought"})
_CALL = frozenset((
    "tool_use", "tool_call", "tool-call", "function_call", "functionCall", "server_tool_use", "server_tool_call",
    "mcp_tool_use",
))  # fmt: skip
_CALL_LISTS = frozenset({"function_call", "invalid_tool_calls", "toolCalls", "tool_calls"})
_SERVER_CALLS = ("server_tool", "mcp_tool_use")
_RESULT = frozenset({"tool_result", "tool_call_response", "tool-result", "function_response", "functionResponse"})
_RESULT_ENDINGS = ("_tool_result", "_tool_call_response")
# Keys of the text in blocks that are neither text nor a file.
_TEXT_KEYS: Mapping[str, tuple[str, ...]] = {
    "bash_code_execution_result": ("stdout", "stderr"),
    "code_execution_result": ("stdout", "stderr"),
    "search_result": ("title", "source", "content"),
    "web_fetch_result": ("url", "content"),
    "web_search_result": ("title", "url"),
}
_PLAIN = frozenset({"content", "name", "role"})
_PLAIN_RESULT = _PLAIN | {"tool_call_id"}
_FAILED = frozenset({"error", "failed", "failure", "denied"})


@fast
@declared(kw_only=True)
class Result:
    """A tool's result. ``call_id`` is None if the source has none; ``name`` is the tool's, if known."""

    content: str
    call_id: str | None = None
    name: str | None = None
    success: bool | None = None
    metadata: dict[str, Any] | None = None


@fast
@declared(kw_only=True)
class Piece:
    """One message in neutral form. A call without an id in the source has the empty id.

    ``unknown_role`` is the source's word for the speaker if it is not a known role; ``role`` is then a guess. ``lost`` names
    what could not be read, once each time; calls that were lost are one call without a name.
    """

    role: Role
    text: str | None = None
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[Result, ...] = ()
    metadata: dict[str, Any] | None = None
    unknown_role: str | None = None
    lost: tuple[str, ...] = ()


def pieces_of(raw: object, *, default_role: Role = "user") -> list[Piece]:
    """The pieces of one message: one, or two if a user's message carries tool results beside its text.

    Empty for anything that is not a message.
    """
    if isinstance(raw, dict) and (plain := _plain_piece(raw)) is not None:
        return [plain]
    message = _unwrapped(raw)
    if message is None:
        return []
    role, unknown_role = role_of(message, default_role)
    parts = _parts(message)
    if role == "tool" and not parts.results:
        parts.results.append(_own_result(message, parts))
        parts.texts.clear()
    if not _CALL_LISTS.isdisjoint(message):
        in_content = {call.id for call in parts.calls if call.id}
        parts.calls.extend(call for call in _listed_calls(message) if call.id not in in_content)
    lost = _lost(message, role, parts)
    pieces = _as_pieces(role, parts, user_side=message.get("requestor") == "user" or role == "user")
    if unknown_role is None and not lost:
        return pieces
    return [attrs.evolve(pieces[0], unknown_role=unknown_role, lost=lost), *pieces[1:]]


def _plain_piece(message: dict[str, Any]) -> Piece | None:
    """A message of a role and a text only. Most are, and this path is faster."""
    content = message.get("content")
    role = ROLES.get(message["role"]) if isinstance(message.get("role"), str) else None
    if role is None or not isinstance(content, str):
        return None
    if role != "tool":
        return Piece(role=role, text=content or None) if message.keys() <= _PLAIN else None
    call_id, name = message.get("tool_call_id"), message.get("name")
    if not (message.keys() <= _PLAIN_RESULT and isinstance(call_id, str) and isinstance(name, str | None)):
        return None
    return Piece(role=role, results=(Result(content=content, call_id=call_id.strip() or None, name=name),))


def text_of(content: object) -> str:
    """All text of a content: a string, or parts in any shape; anything else as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_part_text, content)))
    return _part_text(content)


def arguments_of(raw: object) -> tuple[dict[str, Any], str | None]:
    """A call's arguments, and their text if they are not a JSON object."""
    if isinstance(raw, dict):
        return raw, None
    if raw is None or raw == "":
        return {}, None
    text = raw if isinstance(raw, str) else to_json(raw).decode()
    try:
        value = parse_json(text.encode())
    except (ValueError, RecursionError):
        return {}, text
    return (value, None) if isinstance(value, dict) else ({}, text)


def call_of(raw: Mapping[str, Any], *, result_expected: bool = True) -> ToolCall:
    """A tool call in any provider's shape."""
    inner = raw.get("tool_call") or raw.get("function_call") or raw.get("functionCall") or raw
    inner = inner if isinstance(inner, dict) else raw
    custom = inner.get("custom")
    if isinstance(custom, dict) and isinstance(custom.get("input"), str):
        inner = {**custom, "id": inner.get("id"), "input": {"input": custom["input"]}}
    function = inner.get("function")
    named = function if isinstance(function, dict) else inner
    name = (
        function if isinstance(function, str) else named.get("name") or inner.get("toolName") or inner.get("tool_name")
    )
    given = named.get("arguments")
    if given is None:
        given = next((named[key] for key in ("args", "input", "parameters") if named.get(key) is not None), None)
    arguments, not_json = arguments_of(given)
    details = None
    if not_json is not None or not result_expected:
        details = CallDetails(raw_arguments=not_json, result_expected=result_expected)
    call_id = inner.get("id") or inner.get("call_id") or inner.get("tool_call_id") or inner.get("toolCallId") or ""
    return ToolCall(id=str(call_id).strip(), name=str(name or ""), arguments=arguments, details=details)


@attrs.define
class _Parts:
    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)
    results: list[Result] = attrs.field(factory=list)


def _lost(message: Mapping[str, Any], role: Role, parts: _Parts) -> tuple[str, ...]:
    """What of a message cannot be read. Where calls are lost, one without a name stands for them."""
    lost = [_NAMELESS for call in parts.calls if not call.name]
    if any(_is_lost(message.get(key)) for key in ("tool_calls", "toolCalls")) or isinstance(
        message.get("function_call"), (str, list)
    ):
        parts.calls.append(ToolCall(id="", name="", arguments={}, details=CallDetails(result_expected=False)))
        lost.append(LOST_CALLS)
    content = message.get("content")
    if role != "tool" and content is not None and not isinstance(content, str | list) and not _holds_text(content):
        lost.append(_ODD_CONTENT)
    return tuple(lost)


def _is_lost(listed: object) -> bool:
    """True for calls that are neither a list of objects nor one call."""
    if isinstance(listed, list):
        return not all(isinstance(entry, dict) for entry in listed)
    return bool(listed) and not _is_call(listed)


def _is_call(value: object) -> bool:
    """Whether an object has the shape of one call."""
    return isinstance(value, dict) and bool(call_of(value).name)


def _holds_text(content: object) -> bool:
    """Whether an object of a content has a text or names its kind, as a part of a list does."""
    return isinstance(content, dict) and (bool(_kind_of(content)) or _part_text(content) in content.values())


def _unwrapped(raw: object) -> Mapping[str, Any] | None:
    """The message inside LangChain's ``data`` or ``kwargs``, or OpenInference's ``message``."""
    if not isinstance(raw, dict):
        return None
    if isinstance(raw.get("kwargs"), dict) and "lc" in raw:
        kind = raw.get("id")
        name = kind[-1] if isinstance(kind, list) and kind else ""
        return {"type": name, **raw["kwargs"]} | ({"type": name} if isinstance(name, str) else {})
    if isinstance(raw.get("data"), dict) and isinstance(raw.get("type"), str):
        return {**raw["data"], "type": raw["type"]}
    inner = raw.get("message")
    if isinstance(inner, dict) and "content" not in raw and "role" not in raw:
        return inner
    return raw


def _parts(message: Mapping[str, Any]) -> _Parts:
    parts = _Parts()
    content = message.get("content")
    if content is None:
        content = next((message[key] for key in ("contents", "parts") if message.get(key) is not None), None)
    if isinstance(content, str):
        parts.texts.append(content)
    elif isinstance(content, list):
        for part in content:
            _sort_part(part, parts)
    elif content is not None:
        parts.texts.append(text_of(content))
    for key in ("reasoning_content", "reasoning"):
        if isinstance(message.get(key), str):
            parts.reasoning.append(message[key])
    if isinstance(message.get("refusal"), str):
        parts.texts.append(message["refusal"])
    return parts


def _sort_part(part: object, parts: _Parts) -> None:
    if not isinstance(part, dict):
        parts.texts.append(text_of(part))
        return
    inner = part.get("message_content")
    if isinstance(inner, dict):  # keys beside it belong to it, such as a call
        part = {**part, **inner}
    kind = _kind_of(part)
    if kind in _CALL:
        parts.calls.append(call_of(part, result_expected=not kind.startswith(_SERVER_CALLS)))
    elif kind in _RESULT or kind.endswith(_RESULT_ENDINGS):
        parts.results.append(_result_of(part, kind))
    elif kind in _REASONING or part.get("thought") is True:
        parts.reasoning.append(_reasoning_of(part))
    else:
        parts.texts.append(_part_text(part))


def _kind_of(part: Mapping[str, Any]) -> str:
    """The part's type; in Gemini's format it is the key."""
    kind = part.get("type") or part.get("part_kind")
    if isinstance(kind, str):
        return kind
    return next(
        (key for key in ("function_call", "functionCall", "function_response", "functionResponse") if part.get(key)), ""
    )


def _result_of(part: Mapping[str, Any], kind: str) -> Result:
    inner = part.get(kind)
    result = inner if isinstance(inner, dict) else part
    keys = ("content", "response", "result", "output")
    content = next((result[key] for key in keys if result.get(key) is not None), None)
    call_id = next(
        (result[key] for key in ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "id") if result.get(key)), None
    )
    name = result.get("name") or result.get("toolName")
    return Result(
        content=text_of(content),
        call_id=str(call_id).strip() if call_id is not None else None,
        name=name if isinstance(name, str) else None,
        success=_success(result),
    )


def _own_result(message: Mapping[str, Any], parts: _Parts) -> Result:
    """A message of the role ``tool`` is itself a result."""
    call_id = message.get("tool_call_id") or message.get("call_id") or message.get("toolCallId")
    name = message.get("name") or message.get("tool_name") or message.get("function")
    error = message.get("error")
    text = "\n".join(filter(None, parts.texts))
    if isinstance(error, dict) and not text:
        text = text_of(error.get("message"))
    return Result(
        content=text,
        call_id=str(call_id).strip() if call_id else None,
        name=name if isinstance(name, str) else None,
        success=_success(message),
    )


def _success(result: Mapping[str, Any]) -> bool | None:
    """False if the source marks a failure, True if it marks success, None if it says neither."""
    flag = result.get("is_error", result.get("isError"))
    if isinstance(flag, bool):
        return not flag
    if result.get("error") or _is_error(result.get("content")):
        return False
    if result.get("error") is False:
        return True
    status = result.get("status") or result.get("outcome")
    if isinstance(status, str):
        return (
            False if status.lower() in _FAILED else True if status.lower() in ("success", "ok", "completed") else None
        )
    return None


def _is_error(content: object) -> bool:
    """True for the content that one of Anthropic's server-side tools returns when it fails."""
    return isinstance(content, dict) and str(content.get("type") or "").endswith("_result_error")


def _listed_calls(message: Mapping[str, Any]) -> Iterable[ToolCall]:
    for key in ("tool_calls", "toolCalls"):
        listed = message.get(key)
        if isinstance(listed, list):
            yield from (call_of(entry) for entry in listed if isinstance(entry, dict))
        elif isinstance(listed, dict) and _is_call(listed):
            yield call_of(listed)
    invalid = message.get("invalid_tool_calls")
    for entry in invalid if isinstance(invalid, list) else ():
        if isinstance(entry, dict):
            # LangChain never runs a call whose arguments it could not read.
            details = CallDetails(raw_arguments=str(entry.get("args") or ""), result_expected=False)
            yield attrs.evolve(call_of({**entry, "args": None}), details=details)
    if isinstance(message.get("function_call"), dict):
        yield call_of(message["function_call"])


def _as_pieces(role: Role, parts: _Parts, *, user_side: bool) -> list[Piece]:
    text = "\n".join(filter(None, parts.texts)) or None
    reasoning = "\n".join(filter(None, parts.reasoning)) or None
    pieces = []
    if parts.results:
        carrier: Literal["assistant", "tool"] = "assistant" if role == "assistant" else "tool"
        if carrier == "assistant":
            return [
                Piece(role=role, text=text, reasoning=reasoning, calls=tuple(parts.calls), results=tuple(parts.results))
            ]
        pieces.append(Piece(role=carrier, results=tuple(parts.results)))
        if text is None:
            return pieces
        role = "user" if role == "tool" else role
    if user_side and parts.calls:
        made = [f"{call.name} {to_json(call.arguments).decode()}" for call in parts.calls]
        pieces.append(Piece(role=role, text=text, reasoning=reasoning, metadata={"user_side_calls": made}))
        return pieces
    pieces.append(Piece(role=role, text=text, reasoning=reasoning, calls=tuple(parts.calls)))
    return pieces


def _reasoning_of(part: Mapping[str, Any]) -> str:
    for key in ("thinking", "reasoning", "text", "content"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return text_of(part.get("summary")) if part.get("summary") else ""


def _part_text(part: object) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        return to_json(part).decode()
    kind = _kind_of(part)
    if kind in _TEXT or not kind:
        for key in ("text", "content", "refusal"):
            if isinstance(part.get(key), str):
                return str(part[key])
    if kind in _TEXT_KEYS:
        return "\n".join(filter(None, (text_of(part.get(key)) for key in _TEXT_KEYS[kind])))
    if kind and kind not in _TEXT:
        return f"[{kind}]"
    return to_json(dict(part)).decode()
