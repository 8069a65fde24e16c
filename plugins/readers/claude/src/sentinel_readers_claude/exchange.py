"""One record of Anthropic's API: a request, a response, both, or a message alone."""

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from sentinel_core.traces.readers import Record, iso_time

__all__ = ["Exchange", "exchange_of", "role_of", "single", "time_of"]

_TIMES = ("timestamp", "created_at")
_ROLES: Mapping[object, Literal["assistant", "system", "user"]] = {
    "assistant": "assistant",
    "system": "system",
    "user": "user",
}


@attrs.define(kw_only=True, eq=False)
class Exchange:
    """A request, and its response if it was recorded.

    ``within`` is the path of the messages in the record (``.request.messages``), None if the record itself is a message.
    """

    origin: str
    number: int
    messages: list[Any]
    within: str | None = None
    request: Mapping[str, Any] = attrs.field(factory=dict)
    response: Mapping[str, Any] | None = None
    timestamp: str | None = None
    name: str | None = None

    @property
    def at(self) -> str:
        """The start of the path of a message in the record."""
        return self.origin if self.origin.startswith("$") else f"{self.origin} $"


def single(record: Record) -> Exchange:
    """A record that is a message itself."""
    return _exchange(record, [record.value])


def exchange_of(record: Record) -> Exchange | None:
    """The exchange in a record; None if it has another format. A list is a request's messages."""
    value = record.value
    if isinstance(value, list):
        return _exchange(record, value, within="")
    if not isinstance(value, dict):
        return None
    sent = next((key for key in ("request", "params") if isinstance(value.get(key), dict)), None)
    request = value if sent is None else value[sent]
    response = next((value[key] for key in ("response", "result") if isinstance(value.get(key), dict)), None)
    if response is not None and isinstance(response.get("message"), dict):
        response = response["message"]
    messages = request.get("messages")
    if not isinstance(messages, list):
        return None if response is None else _exchange(record, [], response=response)
    within = ".messages" if sent is None else f".{sent}.messages"
    return _exchange(record, messages, within=within, request=request, response=response)


def _exchange(
    record: Record,
    messages: list[Any],
    *,
    within: str | None = None,
    request: Mapping[str, Any] | None = None,
    response: Mapping[str, Any] | None = None,
) -> Exchange:
    value = record.value if isinstance(record.value, dict) else {}
    name = value.get("custom_id")
    body = request or {}
    return Exchange(
        origin=record.path or f"line {record.line}",
        number=record.line,
        messages=messages,
        within=within,
        request={key: body[key] for key in ("system", "tools") if body.get(key) is not None},
        response=response,
        timestamp=time_of(value),
        name=name if isinstance(name, str) and name else None,
    )


def role_of(message: object) -> Literal["assistant", "system", "user"] | None:
    """The role of a message; None if it is not a message."""
    role = message.get("role") if isinstance(message, dict) else None
    return _ROLES.get(role) if isinstance(role, str) else None


def time_of(value: Mapping[str, Any]) -> str | None:
    """When it was recorded, in ISO 8601."""
    for key in _TIMES:
        time = iso_time(value[key]) if key in value else None
        if time is not None:
            return time
    return None
