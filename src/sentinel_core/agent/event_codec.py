"""Events to JSON and back: one object each, with its class's name under ``event``."""

from typing import Any, get_args

import msgspec

from sentinel_core.agent.events import Event
from sentinel_core.errors import JournalError

__all__ = ["decode_event", "encode_event", "event_of"]

_CLASSES = {cls.__name__: cls for cls in get_args(Event)}
_KIND = "event"


def encode_event(event: Event) -> bytes:
    """The event in JSON, UTF-8, one line."""
    plain: dict[str, Any] = msgspec.to_builtins(event, enc_hook=repr)
    return msgspec.json.encode({_KIND: type(event).__name__, **plain})


def decode_event(data: bytes) -> Event:
    """The event that ``encode_event`` wrote. Raises ``JournalError`` for anything else."""
    try:
        return event_of(msgspec.json.decode(data))
    except (msgspec.DecodeError, RecursionError) as error:
        raise JournalError(f"an event in the record is not JSON: {error}") from error


def event_of(value: object) -> Event:
    """The event that a decoded JSON object stands for. Raises ``JournalError`` where it is none."""
    kind = value.pop(_KIND, None) if isinstance(value, dict) else None
    if kind not in _CLASSES:
        raise JournalError(
            f'an event in the record is of the unknown kind "{kind}"; a newer version may have written it'
        )
    try:
        event: Event = msgspec.convert(value, _CLASSES[kind])
    except (msgspec.ValidationError, ValueError) as error:
        raise JournalError(f"a {kind} in the record cannot be read: {error}") from error
    return event
