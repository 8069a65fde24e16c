"""UI messages of Vercel's AI SDK: a reply is one message, whose parts are its texts, calls and results in order."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import CallDetails, ExecutionTrace, ReadError, Source, TokenUsage, ToolCall
from sentinel_core.trace import Role, to_json
from sentinel_core.traces.readers import Piece, Record, usage_of
from sentinel_core.traces.readers.chat import Result, arguments_of
from sentinel_core.traces.readers.parts import is_shown
from sentinel_core.traces.readers.roles import role_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats
from sentinel_readers_frameworks._files import mapping, text

__all__ = ["read"]

_PREFIX, _DYNAMIC, _OLD, _DATA = "tool-", "dynamic-tool", "tool-invocation", "data-"
# Of version 4, whose parts hold the invocation in a key of its own.
_OLD_NAMES: Mapping[str, str] = {"args": "input", "result": "output"}
_OLD_STATES: Mapping[object, str] = {"result": "output-available", "call": "input-available"}
# States in which nobody knows yet whether the tool will run.
_OPEN = frozenset(("input-streaming", "partial-call", "approval-requested", "approval-responded"))


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per chat: a list of messages, or an object with ``messages``."""
    return read_chats(source, _AI_SDK)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and "role" in value and isinstance(value.get("parts"), list)


def _found(record: Record) -> Iterator[Conversation]:
    value = record.value
    listed = value if isinstance(value, list) else mapping(value).get("messages")
    if isinstance(listed, list):
        yield Conversation(messages=located(record, listed, "" if listed is value else ".messages"))


@attrs.define
class _Step:
    """What the agent says up to its next results, and the results."""

    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)
    results: list[Result] = attrs.field(factory=list)
    lost: list[str] = attrs.field(factory=list)

    def pieces(self, role: Role) -> Iterator[Piece]:
        """The step's message, and its results as another."""
        yield Piece(
            role=role,
            text="\n".join(self.texts) or None,
            reasoning="\n".join(self.reasoning) or None,
            calls=tuple(self.calls) if role == "assistant" else (),
            lost=tuple(self.lost),
        )
        if self.results:
            yield Piece(role="tool", results=tuple(self.results))


def _pieces(message: Mapping[str, Any]) -> Iterator[Piece]:
    if not isinstance(message.get("parts"), list):
        return
    role, unknown_role = role_of(message, "user")
    steps = [_Step()]
    for raw in message["parts"]:
        part = mapping(raw)
        kind = text(part.get("type")) or ""
        if steps[-1].calls and kind in ("text", "reasoning", "step-start"):
            steps.append(_Step())
        _sort(part, kind, steps[-1])
    if len(steps) > 1 and steps[-1] == _Step():
        steps.pop()
    pieces = [piece for step in steps for piece in step.pieces(role)]
    yield attrs.evolve(pieces[0], unknown_role=unknown_role)
    yield from pieces[1:]


def _sort(part: Mapping[str, Any], kind: str, step: _Step) -> None:
    if kind == "text":
        step.texts.extend(filter(None, [text(part.get("text"))]))
    elif kind == "reasoning":
        step.reasoning.extend(filter(None, [text(part.get("text"))]))
    elif kind.startswith(_PREFIX) or kind == _DYNAMIC:
        _add_call(part, kind, step)
    elif kind.startswith(_DATA) or is_shown(part, kind):
        step.texts.extend([] if kind in ("", "step-start") else [f"[{kind}]"])
    else:
        step.lost.append(f'part of the unknown kind "{kind[:40]}"')


def _add_call(part: Mapping[str, Any], kind: str, step: _Step) -> None:
    if kind == _OLD:
        inner = mapping(part.get("toolInvocation"))
        part = {_OLD_NAMES.get(key, key): value for key, value in inner.items()}
        part["state"] = _OLD_STATES.get(text(part.get("state")), part.get("state"))
    name = text(part.get("toolName")) or (kind.removeprefix(_PREFIX) if kind not in (_DYNAMIC, _OLD) else "")
    if not name:
        step.lost.append("call without a name")
    state, call_id = text(part.get("state")), text(part.get("toolCallId"))
    arguments, not_json = arguments_of(part.get("input") if part.get("input") is not None else part.get("rawInput"))
    details = CallDetails(raw_arguments=not_json, result_expected=state not in _OPEN)
    step.calls.append(ToolCall(id=call_id or "", name=name, arguments=arguments, details=details))
    if state == "output-available":
        step.results.append(Result(content=_plain(part.get("output")), call_id=call_id, name=name))
    elif state == "output-error":
        step.results.append(Result(content=_plain(part.get("errorText")), call_id=call_id, name=name, success=False))
    elif state == "output-denied":
        reason = text(mapping(part.get("approval")).get("reason")) or "the user did not approve the call"
        step.results.append(Result(content=f"denied: {reason}", call_id=call_id, name=name, success=False))


def _plain(output: object) -> str:
    return output if isinstance(output, str) else "" if output is None else to_json(output).decode()


def _usage(message: Mapping[str, Any]) -> TokenUsage | None:
    """Applications keep a reply's token counts in its metadata, under one of two names."""
    metadata = mapping(message.get("metadata"))
    return next(filter(None, (usage_of(metadata.get(key)) for key in ("usage", "totalUsage"))), None)


_AI_SDK = Chat(
    name="ai-sdk",
    is_message=_is_message,
    found=_found,
    pieces=_pieces,
    usage=_usage,
    model=lambda message: mapping(message.get("metadata")).get("model"),
)
