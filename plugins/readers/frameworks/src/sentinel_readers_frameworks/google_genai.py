"""Contents of the Gemini API, as ``google-genai`` takes and gives them: requests, responses and histories."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source, ToolSchema
from sentinel_core.traces.readers import Piece, Record, tool_schemas
from sentinel_core.traces.readers.chat import stray_calls
from sentinel_core.traces.readers.roles import role_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats
from sentinel_readers_frameworks._files import dicts, inner_place, mapping, text
from sentinel_readers_frameworks._gemini import either, gemini_usage, parts_of

__all__ = ["read"]

_LISTS = ("contents", "history", "automatic_function_calling_history", "automaticFunctionCallingHistory")
_OUTCOMES: Mapping[object, str] = {"STOP": "completed", "MAX_TOKENS": "max_tokens"}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per request with its response, or per list of contents."""
    return read_chats(source, _GENAI)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("parts"), list)


def _found(record: Record) -> Iterator[Conversation]:
    value = record.value
    if isinstance(value, list):
        yield Conversation(messages=located(record, value, ""))
        return
    whole = mapping(value)
    request, response = (mapping(whole.get(key)) or whole for key in ("request", "response"))
    sides = {path: side for path, side in ((".request", request), (".response", response)) if side is not whole}
    messages = [
        placed
        for path, side in (sides or {"": whole}).items()
        for key in _LISTS
        if isinstance(side.get(key), list)
        for placed in located(record, side[key], f"{path}.{key}")
    ]
    candidate = next(iter(dicts(response.get("candidates"))), {})
    if candidate.get("content") is not None:
        path = "" if response is whole else ".response"
        messages.append((candidate["content"], inner_place(record, f"{path}.candidates[0].content")))
    if not messages:
        return
    gaps = [
        stray
        for side in (sides or {"": whole}).values()
        for stray in stray_calls(side, "candidates", "config", *_LISTS)
    ]
    config = {**request, **mapping(request.get("config"))}
    reason = text(either(candidate, "finish_reason", "finishReason"))
    yield Conversation(
        messages=messages,
        system=parts_of(mapping(either(config, "system_instruction", "systemInstruction")).get("parts")).text,
        tools=_tools(config.get("tools")),
        usage=gemini_usage(either(response, "usage_metadata", "usageMetadata")),
        lost=tuple(gaps),
        outcome=None if reason is None else _OUTCOMES.get(reason, "error"),
    )


def _tools(listed: object) -> tuple[ToolSchema, ...] | None:
    if not isinstance(listed, list):
        return None
    declared = [either(tool, "function_declarations", "functionDeclarations") for tool in dicts(listed)]
    return tool_schemas([entry for entries in declared if isinstance(entries, list) for entry in entries])


def _pieces(message: Mapping[str, Any]) -> Iterator[Piece]:
    """Results as one piece, and the rest as another, in that order: a content with results answers the one before."""
    if not isinstance(message.get("parts"), list):
        return
    parts = parts_of(message["parts"])
    role, unknown_role = role_of(message, "user")
    ran = [result for result in parts.results if role == "assistant"]
    if parts.results and not ran:
        yield Piece(role="tool", results=tuple(parts.results))
    if not parts.results or ran or parts.texts or parts.unknown:
        yield Piece(
            role=role,
            text=parts.text,
            reasoning=parts.reasoning,
            calls=tuple(parts.calls) if role == "assistant" else (),
            results=tuple(ran),
            lost=parts.lost,
            unknown_role=unknown_role,
        )


_GENAI = Chat(name="google-genai", is_message=_is_message, found=_found, pieces=_pieces)
