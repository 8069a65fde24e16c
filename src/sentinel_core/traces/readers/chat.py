"""Splits one chat message, in the format of any provider or framework, into neutral pieces.

Known: OpenAI chat and Responses, Anthropic Messages, Bedrock Converse, LangChain's three dump shapes, Semantic Kernel,
LlamaIndex, OpenTelemetry's GenAI parts, OpenInference, Gemini and ADK parts, Inspect. An unknown part is kept as text and
told in ``Piece.lost``, never dropped in silence.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import attrs

from sentinel_core._fast import declared, fast
from sentinel_core.trace import CallDetails, Role, ToolCall, to_json
from sentinel_core.traces.readers.parts import (
    Parts,
    Result,
    arguments_of,
    call_of,
    kind_of,
    part_text,
    sort_part,
    success_of,
    text_of,
)
from sentinel_core.traces.readers.roles import ROLES, role_of

__all__ = [
    "LOST_CALLS",
    "NAMELESS",
    "Piece",
    "Result",
    "arguments_of",
    "call_of",
    "pieces_of",
    "stray_calls",
    "text_of",
]

LOST_CALLS = "list of calls in no known shape"
NAMELESS = "call without a name"
_ODD_CONTENT = "content that is neither text nor a list of parts"
_STRANGE_CALL = "call in an unknown place"
_STRANGE_MESSAGE = "message without any known part"
_LONGEST_KIND = 40
_DEEPEST = 4
# A call in a format that nobody knows has a name and arguments; definitions of tools on offer have them, too.
_NAMES = frozenset({"name", "tool", "toolName", "tool_name", "function", "function_name"})
_GIVEN = frozenset({"args", "arguments", "input", "kwargs", "parameters", "tool_args", "tool_input", "tool_kwargs"})
_OFFERS = frozenset({"available_tools", "functions", "tools"})
_CONTENTS = ("contents", "parts", "items", "blocks")
_CALL_LISTS = frozenset({"function_call", "invalid_tool_calls", "toolCalls", "tool_calls"})
# Where LangChain keeps a provider's calls as they came; older callbacks of platforms record only these.
_AS_IT_CAME = "additional_kwargs"
_PLAIN = frozenset({"content", "name", "role"})
_PLAIN_RESULT = _PLAIN | {"tool_call_id"}


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


def history_in(pieces: Sequence[Piece]) -> int:
    """How many pieces of the first input of a model are earlier turns of which only the words are there: all before the user's last one.

    0 where a call is among them: then the record of what was done is there, too. What the agent says in such turns is
    ``MessageDetails.is_copied_context``: its calls are in another trace.
    """
    last = max((place for place, piece in enumerate(pieces) if piece.role == "user"), default=0)
    return 0 if any(piece.calls or piece.results for piece in pieces[:last]) else last


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
    if not _CALL_LISTS.isdisjoint(message) or _AS_IT_CAME in message:
        in_content = {call.id for call in parts.calls if call.id}
        listed = [*_listed_calls(message)]
        if not (listed or parts.calls) and isinstance(message.get(_AS_IT_CAME), dict):
            listed = [*_listed_calls(message[_AS_IT_CAME])]
        parts.calls.extend(call for call in listed if call.id not in in_content)
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


def _lost(message: Mapping[str, Any], role: Role, parts: Parts) -> tuple[str, ...]:
    """What of a message cannot be read. Where calls are lost, one without a name stands for them."""
    lost = [NAMELESS for call in parts.calls if not call.name]
    if any(_is_lost(message.get(key)) for key in ("tool_calls", "toolCalls")) or isinstance(
        message.get("function_call"), (str, list)
    ):
        parts.calls.append(ToolCall(id="", name="", arguments={}, details=CallDetails(result_expected=False)))
        lost.append(LOST_CALLS)
    content = message.get("content")
    if role != "tool" and content is not None and not isinstance(content, str | list) and not _holds_text(content):
        lost.append(_ODD_CONTENT)
    lost += [f'part of the unknown kind "{kind[:_LONGEST_KIND]}"' for kind in parts.unknown]
    if role == "assistant" and not (parts.calls or lost):
        lost += _strange(message, parts)
    return tuple(lost)


def _strange(message: Mapping[str, Any], parts: Parts) -> list[str]:
    """What an agent's message without a call holds in places that nobody knows: a call, or all that it holds."""
    if stray := stray_calls(message):
        return [*stray]
    is_empty = not (parts.texts or parts.reasoning or parts.results)
    return (
        [_STRANGE_MESSAGE] if is_empty and any(value and isinstance(value, list) for value in message.values()) else []
    )


def stray_calls(raw: Mapping[str, Any], *known: str) -> tuple[str, ...]:
    """For ``Piece.lost``: what to tell where an object's values hold a call, but for those of the keys that are ``known``.

    For a message in which the reader has found no call: one in a place that it does not know must not be lost in silence.
    """
    rest = (value for key, value in raw.items() if key not in _OFFERS and key not in known)
    return (_STRANGE_CALL,) if any(_holds_call(value, _DEEPEST) for value in rest) else ()


def _holds_call(value: object, depth: int) -> bool:
    """Whether an object somewhere in the value has a name and arguments, as calls have."""
    if isinstance(value, dict):
        if not _NAMES.isdisjoint(value) and any(isinstance(value[key], (dict, str)) for key in _GIVEN & value.keys()):
            return True
        value = list(value.values())
    return isinstance(value, list) and depth > 0 and any(_holds_call(entry, depth - 1) for entry in value)


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
    return isinstance(content, dict) and (bool(kind_of(content)) or part_text(content) in content.values())


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


def _parts(message: Mapping[str, Any]) -> Parts:
    parts = Parts()
    content = message.get("content")
    if content is None:
        content = next((message[key] for key in _CONTENTS if message.get(key) is not None), None)
    if isinstance(content, str):
        parts.texts.append(content)
    elif isinstance(content, list):
        for part in content:
            sort_part(part, parts)
    elif content is not None:
        parts.texts.append(text_of(content))
    for key in ("reasoning_content", "reasoning"):
        if isinstance(message.get(key), str):
            parts.reasoning.append(message[key])
    if isinstance(message.get("refusal"), str):
        parts.texts.append(message["refusal"])
    return parts


def _own_result(message: Mapping[str, Any], parts: Parts) -> Result:
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
        success=success_of(message),
    )


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


def _as_pieces(role: Role, parts: Parts, *, user_side: bool) -> list[Piece]:
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
