"""Reads a LangChain message in any of its three dumps: its fields, and details of its model call."""

from collections.abc import Mapping
from typing import Any

from sentinel_core import MessageDetails, TokenUsage
from sentinel_core.traces.readers import usage_of
from sentinel_readers_frameworks._files import mapping, text

__all__ = ["details_of", "fields_of", "has_message", "is_message", "model_of", "usage_in"]

_CONTENT = frozenset({"content", "function_call", "parts", "tool_calls"})


def is_message(raw: object) -> bool:
    """True for a chat message of LangChain, or of a provider that LangChain passes through."""
    return isinstance(raw, dict) and has_message(fields_of(raw))


def has_message(fields: Mapping[str, Any]) -> bool:
    """True if the fields are those of a message."""
    return isinstance(fields.get("role") or fields.get("type"), (str, list)) and not _CONTENT.isdisjoint(fields)


def fields_of(raw: object) -> Mapping[str, Any]:
    """The message's own fields, from ``data`` or ``kwargs`` if it has those."""
    message = mapping(raw)
    if "lc" in message and isinstance(message.get("kwargs"), dict):
        kind = message.get("id")
        return {"type": kind[-1] if isinstance(kind, list) and kind else "", **message["kwargs"]}
    if isinstance(message.get("data"), dict) and isinstance(message.get("type"), str):
        return {**message["data"], "type": message["type"]}
    return message


def usage_in(fields: Mapping[str, Any]) -> TokenUsage | None:
    """The message's own count, or for older versions the provider's in ``response_metadata``."""
    usage = usage_of(fields.get("usage_metadata"))
    response = mapping(fields.get("response_metadata"))
    if usage is not None or not response:
        return usage
    return usage_of(response.get("token_usage")) or usage_of(response.get("usage"))


def model_of(fields: Mapping[str, Any]) -> str | None:
    """The model name from the provider."""
    response = mapping(fields.get("response_metadata"))
    return text(response.get("model_name")) or text(response.get("model"))


def details_of(fields: Mapping[str, Any], origin: str) -> MessageDetails:
    """Id, model and usage of a message, from its own fields."""
    return MessageDetails(id=text(fields.get("id")), model=model_of(fields), usage=usage_in(fields), origin=origin)
