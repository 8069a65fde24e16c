"""Bedrock Converse messages (``toolUse``, ``toolResult``), also as Strands keeps them in its sessions."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source, TokenUsage, ToolSchema
from sentinel_core.traces.readers import Record, json_document, tool_schemas, usage_of
from sentinel_core.traces.readers.chat import text_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats, trace_of
from sentinel_readers_frameworks._files import Placed, dicts, inner_place, mapping, text

__all__ = ["read", "read_strands"]

_OUTCOMES: Mapping[object, str] = {
    "content_filtered": "refused",
    "end_turn": "completed",
    "guardrail_intervened": "refused",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "context_limit",
    "stop_sequence": "completed",
}
_FIRST = "message_"
_LONGEST_NUMBER = 9


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per request with its response, per entry of an invocation log, or per list of messages."""
    return read_chats(source, _CONVERSE)


def read_strands(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace for the messages of a Strands session, which keeps each in a file: all files beside this one are read."""
    messages = list[Placed]()
    files = {file.name: file for file in (source, *source.siblings(f"{_FIRST}*.json"))}
    for file in sorted(files.values(), key=_number):
        value = json_document(file)
        if isinstance(value, ReadError):
            yield attrs.evolve(value, message=f"{file.name}: {value.message}")
            return
        messages.append((mapping(value).get("message"), file.name))
    trace_id = text(mapping(messages[0][0]).get("tracking_id")) or source.name
    yield trace_of(Conversation(messages=messages), trace_id, _STRANDS)


def _number(file: Source) -> tuple[int, str]:
    digits = file.name.removeprefix(_FIRST).partition(".")[0]
    return (int(digits) if digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else 0), file.name


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and "messages" not in value


def _found(record: Record) -> Iterator[Conversation]:
    """The request and its response: the record itself, two of its parts, or the bodies in a log of invocations."""
    value = record.value
    if isinstance(value, list):
        yield Conversation(messages=located(record, value, ""))
        return
    path, request = _part(mapping(value), ("request",), ("input", "inputBodyJson"))
    below, response = _part(mapping(value), ("response",), ("output", "outputBodyJson"))
    listed = request.get("messages")
    messages = located(record, listed, f"{path}.messages") if isinstance(listed, list) else []
    reply = mapping(response.get("output")).get("message")
    if reply is not None:
        messages.append((reply, inner_place(record, f"{below}.output.message")))
    if messages:
        yield Conversation(
            messages=messages,
            system=text_of(request.get("system")) or None,
            tools=_tools(request),
            usage=usage_of(response.get("usage")),
            outcome=_OUTCOMES.get(text(response.get("stopReason"))),
        )


def _part(value: Mapping[str, Any], *paths: tuple[str, ...]) -> tuple[str, Mapping[str, Any]]:
    for path in paths:
        inner = value
        for key in path:
            inner = mapping(inner.get(key))
        if inner:
            return "".join(f".{key}" for key in path), inner
    return "", value


def _tools(request: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    """The tools on offer; a schema is the ``json`` of its ``inputSchema``."""
    listed = mapping(request.get("toolConfig")).get("tools")
    if not isinstance(listed, list):
        return None
    specs = [mapping(tool.get("toolSpec")) for tool in dicts(listed)]
    return tool_schemas([{**spec, "parameters": mapping(spec.get("inputSchema")).get("json")} for spec in specs])


def _usage(message: Mapping[str, Any]) -> TokenUsage | None:
    """Strands keeps a reply's token counts in its message."""
    return usage_of(mapping(message.get("metadata")).get("usage"))


_CONVERSE = Chat(name="bedrock-converse", is_message=_is_message, found=_found, usage=_usage)
_STRANDS = attrs.evolve(_CONVERSE, name="strands")
