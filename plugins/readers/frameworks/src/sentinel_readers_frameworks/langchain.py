"""LangChain and LangGraph messages: ``message_to_dict``, ``dumpd`` and plain ``model_dump`` shapes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolSchema
from sentinel_core._fast import evolve
from sentinel_core.traces.readers import Record, TraceBuilder, pieces_of, tool_schemas
from sentinel_readers_frameworks._files import Placed, Skipped, inner_place, mapping, name_of, read_each, text, utc
from sentinel_readers_frameworks._langchain import details_of, fields_of, has_message, is_message

__all__ = ["read"]

# Keys of the messages in the dump of a graph's state, a thread or a run.
_HOLDERS = ("values", "channel_values", "state", "outputs", "output")
_LISTS = ("messages", "chat_history", "history")
_IDS = ("thread_id", "conversation_id", "session_id", "run_id", "id")
_AS_TEXT = 'messages are text: write them with messages_to_dict, as json.dumps(messages_to_dict(state["messages"]))'
_SUMMARY = "summarization"
_OUTCOMES: Mapping[str, str] = {
    "stop": "completed",
    "end_turn": "completed",
    "stop_sequence": "completed",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
}


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per conversation; single messages, in a list or one per line, together make one."""
    return read_each(source, is_alone=is_message, whole=_conversation, together=_trace)


def _conversation(source: Source, record: Record) -> ExecutionTrace | ReadError:
    found = _messages_in(record.value)
    if isinstance(record.value, str) or (found and found[0] and all(isinstance(one, str) for one in found[0])):
        return ReadError(message=f"{_AS_TEXT} ({record.path or '$'}{found[1] if found else ''})", line=record.line)
    if found is None:
        return ReadError(message=f"contains no LangChain messages at {record.path or '$'}", line=record.line)
    messages, path = found
    ids = (text(mapping(record.value).get(key)) for key in _IDS)
    trace_id = next(filter(None, ids), None) or name_of(source, record)
    placed = [(message, inner_place(record, f"{path}[{at}]")) for at, message in enumerate(messages)]
    return _trace(trace_id, placed, Skipped(), tool_schemas(mapping(record.value).get("tools")))


def _messages_in(value: object) -> tuple[list[Any], str] | None:
    """The messages of a conversation, and the path to them."""
    if isinstance(value, list):
        return value, ""
    for key in _LISTS:
        if isinstance(mapping(value).get(key), list):
            return mapping(value)[key], f".{key}"
    for holder in _HOLDERS:
        inner = mapping(mapping(value).get(holder))
        if isinstance(inner.get("messages"), list):
            return inner["messages"], f".{holder}.messages"
    return None


def _trace(
    trace_id: str, messages: Iterable[Placed], skipped: Skipped, tools: tuple[ToolSchema, ...] | None = None
) -> ExecutionTrace:
    builder = TraceBuilder(trace_id, "langchain")
    outcome: str | None = None
    for raw, origin in messages:
        fields = fields_of(raw)
        response = mapping(fields.get("response_metadata"))
        if not has_message(fields):
            skipped.count("entry that is not a message", "entries that are not messages")
            continue
        if fields.get("type") == "remove":
            continue
        own = details_of(fields, origin)
        is_summary = _is_summary(fields)
        for number, piece in enumerate(pieces_of(fields)):
            if is_summary:  # it is no word of the user's, and what was done before is not on record
                piece = evolve(piece, role="system")  # noqa: PLW2901
                own = evolve(own, is_copied_context=True)
            outcome = _outcome(response) if piece.role == "assistant" and not piece.calls else None
            timestamp = utc(response.get("created_at"))
            builder.add(piece, timestamp=timestamp, details=own if number == 0 else MessageDetails(origin=origin))
    return builder.build(outcome=outcome, available_tools=tools, metadata=skipped.metadata())


def _is_summary(fields: Mapping[str, Any]) -> bool:
    """True for what LangChain's summarization middleware writes in the place of messages that it removes from the state."""
    return mapping(fields.get("additional_kwargs")).get("lc_source") == _SUMMARY


def _outcome(response: Mapping[str, Any]) -> str | None:
    reason = response.get("finish_reason") or response.get("stop_reason") or response.get("done_reason")
    return _OUTCOMES.get(reason.lower()) if isinstance(reason, str) else None
