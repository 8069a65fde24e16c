"""Agno: the messages of a run, of a session's runs, and of a team's members; rows of its databases."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source, TokenUsage
from sentinel_core.traces.readers import Piece, Record, pieces_of, usage_of
from sentinel_readers_frameworks._chats import Chat, Conversation, located, read_chats
from sentinel_readers_frameworks._files import Placed, mapping, text

__all__ = ["read"]

_OUTCOMES: Mapping[object, str] = {
    "CANCELLED": "interrupted",
    "COMPLETED": "completed",
    "ERROR": "error",
    "PAUSED": "pending",
    "RUNNING": "running",
}
_DEEPEST = 8


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per session with its runs, or per run; single messages together make one."""
    return read_chats(source, _AGNO)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str)


def _found(record: Record) -> Iterator[Conversation]:
    value = record.value
    if isinstance(value, list):
        yield Conversation(messages=located(record, value, ""))
        return
    row = mapping(value)
    runs = row.get("runs")
    if isinstance(runs, list):
        found = [
            conversation
            for at, run in enumerate(runs)
            if (conversation := _run(record, mapping(run), f".runs[{at}]", _DEEPEST)) is not None
        ]
        if found:
            yield _session(found, text(row.get("session_id")))
        return
    inner = mapping(row.get("run_data"))
    run = _run(record, inner or row, ".run_data" if inner else "", _DEEPEST)
    if run is not None:
        yield run


def _run(record: Record, run: Mapping[str, Any], path: str, levels: int) -> Conversation | None:
    """A run's messages, and the runs of a team's members as sub-agents."""
    listed, members = run.get("messages"), run.get("member_responses")
    if not isinstance(listed, list):
        return None
    children = [
        child
        for at, member in enumerate(members if isinstance(members, list) and levels else ())
        if (child := _run(record, mapping(member), f"{path}.member_responses[{at}]", levels - 1)) is not None
    ]
    return Conversation(
        messages=located(record, listed, f"{path}.messages"),
        trace_id=text(run.get("run_id")),
        outcome=_OUTCOMES.get(text(run.get("status"))),
        model=text(run.get("model")),
        children=children,
    )


def _session(runs: list[Conversation], session_id: str | None) -> Conversation:
    """The runs as one conversation; a run repeats the messages of those before it, with their ids."""
    messages, known = list[Placed](), set[str]()
    for run in runs:
        for raw, origin in run.messages:
            message_id = text(mapping(raw).get("id"))
            if message_id is None or message_id not in known:
                messages.append((raw, origin))
            known.update(filter(None, [message_id]))
    last = runs[-1]
    children = [child for run in runs for child in run.children]
    return Conversation(
        messages=messages, trace_id=session_id, outcome=last.outcome, model=last.model, children=children
    )


def _pieces(message: Mapping[str, Any]) -> list[Piece]:
    """As any chat message. That a call raised nothing does not say that it worked."""
    is_error = {"is_error": True} if message.get("tool_call_error") is True else {}
    arguments = {key: value for key, value in message.items() if key != "tool_args"}
    return pieces_of({**arguments, **is_error})


def _usage(message: Mapping[str, Any]) -> TokenUsage | None:
    return usage_of(message.get("metrics"))


_AGNO = Chat(
    name="agno",
    is_message=_is_message,
    found=_found,
    pieces=_pieces,
    usage=_usage,
    is_copied=lambda message: message.get("from_history") is True,
)
