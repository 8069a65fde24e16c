"""Finds the chat messages of a record: in itself, in a request and its reply, or in a benchmark's runs."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_readers_openai.values import Value, field, mapping

__all__ = ["Conversation", "conversations_in", "has_no_role", "is_message"]

_MESSAGE_KEYS = ("content", "tool_calls", "function_call", "refusal", "tool_call_id", "tool_messages", "audio")
_ROLES = ("role", "type", "source", "author")
_LISTS = ("messages", "traj")
_IDS = ("trace_id", "conversation_id", "session_id", "thread_id", "run_id", "custom_id", "id", "request_id")
_LONGEST = 500
_Located = tuple[object, str]


@attrs.define(kw_only=True, eq=False)
class Conversation:
    """Raw messages, each with its place, and their record; ``reply`` is the completion that ends them."""

    messages: list[_Located]
    name: str | None = None
    record: Mapping[str, Any] = attrs.field(factory=dict)
    reply: Mapping[str, Any] = attrs.field(factory=dict)
    gaps: list[str] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)

    @property
    def tools(self) -> object:
        """The definitions of the available tools, if recorded."""
        request = _request(self.record)
        return next((request[key] for key in ("tools", "functions") if isinstance(request.get(key), list)), None)

    def known(self) -> dict[str, object]:
        """The record's plain fields: a task's number, a score, a model's name."""
        return {
            key: value
            for key, value in self.record.items()
            if isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LONGEST)
        }


def is_message(value: object) -> bool:
    """Whether this is one chat message, not a record of several."""
    return _is_like_message(value) and isinstance(mapping(value).get("role"), str)


def has_no_role(value: object) -> bool:
    """Whether this would be a chat message if it said who speaks."""
    return _is_like_message(value) and not any(isinstance(mapping(value).get(key), str) for key in _ROLES)


def _is_like_message(value: object) -> bool:
    return (
        isinstance(value, dict)
        and any(key in value for key in _MESSAGE_KEYS)
        and not any(isinstance(value.get(key), list) for key in _LISTS)
    )


def conversations_in(value: Value) -> Iterator[Conversation]:
    """Every conversation of one record; none if it has no messages."""
    if isinstance(value.value, list):
        yield Conversation(messages=_located(value, value.value, ""))
        return
    record = mapping(value.value)
    runs = record.get("simulations")
    if not isinstance(runs, list):
        yield from _of_record(value, record, "")
        return
    for position, run in enumerate(runs):
        yield from _of_record(value, mapping(run), f".simulations[{position}]")


def _of_record(value: Value, record: Mapping[str, Any], below: str) -> Iterator[Conversation]:
    request, reply = _request(record), _reply(record)
    messages = _listed(value, request, below)
    choices = reply.get("choices")
    answers = [mapping(choice).get("message") for choice in choices] if isinstance(choices, list) else []
    if messages is None and not answers:
        return
    notes = [f"{len(answers) - 1} of {len(answers)} alternative replies were left out"] if len(answers) > 1 else []
    where = value.origin(f"{below}.choices[0].message")
    yield Conversation(
        messages=(messages or []) + [(answer, where) for answer in answers[:1]],
        name=_name(record, reply),
        record=record,
        reply=reply if answers else {},
        notes=notes,
    )


def _listed(value: Value, request: Mapping[str, Any], below: str) -> list[_Located] | None:
    for key in _LISTS:
        if isinstance(request.get(key), list):
            return _located(value, request[key], f"{below}.{key}")
    prompt, completion = request.get("prompt"), request.get("completion")
    if isinstance(prompt, list) and isinstance(completion, list):
        return _located(value, prompt, f"{below}.prompt") + _located(value, completion, f"{below}.completion")
    return None


def _located(value: Value, messages: list[object], below: str) -> list[_Located]:
    start = value.origin(f"{below}[")
    return [(message, f"{start}{position}]") for position, message in enumerate(messages)]


def _request(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The request: the record itself, or a part of a logged exchange or of a batch file."""
    for key in ("request", "body"):
        inner = mapping(record.get(key))
        if isinstance(inner.get("messages"), list):
            return inner
    return record


def _reply(record: Mapping[str, Any]) -> Mapping[str, Any]:
    response = mapping(record.get("response"))
    body = mapping(response.get("body"))
    return next((part for part in (body, response, record) if isinstance(part.get("choices"), list)), {})


def _name(record: Mapping[str, Any], reply: Mapping[str, Any]) -> str | None:
    """The record's own id, else a benchmark run's task and trial, else the completion's id."""
    task, trial = field(record, "task_id"), field(record, "trial")
    run = None if task is None else f"task-{task}" if trial is None else f"task-{task}-trial-{trial}"
    return field(record, *_IDS) or run or field(reply, "id")
