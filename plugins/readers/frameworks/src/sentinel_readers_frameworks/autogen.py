"""AutoGen group chats: 0.2's chat histories, 0.4's events, and the Who&When shape.

Labels of who failed, when and why (``mistake_*``, ``is_correct``, ``ground_truth``) are never read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sentinel_core import ExecutionTrace, MessageDetails, ReadError, Source, ToolCall
from sentinel_core.traces.readers import Piece, Record, TraceBuilder, add_usage, pieces_of, usage_of
from sentinel_core.traces.readers.chat import Result, call_of, stray_calls, text_of
from sentinel_readers_frameworks._files import (
    Placed,
    Skipped,
    dicts,
    inner_place,
    mapping,
    name_of,
    read_each,
    text,
    utc,
)

if TYPE_CHECKING:
    from sentinel_core.trace import Role

__all__ = ["read"]

_LISTS = ("history", "chat_history", "messages")
_IDS = ("question_ID", "question_id", "chat_id", "id", "task_id")
# Names of a person or of the code executor; they override the role in the chat.
_NOT_AGENTS = frozenset(("user", "human", "admin", "customer", "chatmanager", "computerterminal"))
_NOT_AGENT_PARTS = ("userproxy", "executor", "terminal")
# Stream chunks, which complete messages repeat, and notices of the framework.
_NOT_MESSAGES = frozenset(
    ("ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent", "UserInputRequestedEvent")
)
_THOUGHTS = frozenset(("ThoughtEvent",))
_RAN = "execute_code"
_exit_code = re.compile(r"exitcode: (-?\d{1,9}) \(")
_labelled = re.compile(r"(.{1,200}?) \((?:-> ?(.{1,200})|thought)\)\Z").match
_CODE_OUTPUT = "Code output:"
_FENCE = "```"
_OUTCOMES = (
    ("maximum number", "max_turns"),
    ("max_turns", "max_turns"),
    ("external termination", "interrupted"),
    ("cancel", "interrupted"),
    ("timeout", "timeout"),
)
_LONGEST_NAME = 200


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per chat; single messages, in a list or one per line, together make one chat."""
    return read_each(source, is_alone=_is_message, whole=_chat, together=_trace)


def _is_message(value: object) -> bool:
    fields = mapping(value)
    return "content" in fields and any(key in fields for key in ("role", "name", "source"))


def _chat(source: Source, record: Record) -> ExecutionTrace | ReadError:
    fields = mapping(record.value)
    key = next((name for name in _LISTS if isinstance(fields.get(name), list)), None)
    messages = record.value if key is None else fields[key]
    if not isinstance(messages, list):
        return ReadError(message=f"contains no chat history at {record.path or '$'}", line=record.line)
    skipped = Skipped()
    skipped.count(
        "entry that is not a message",
        "entries that are not messages",
        sum(not isinstance(entry, dict) for entry in messages),
    )
    path = f".{key}" if key else ""
    placed = [
        (entry, inner_place(record, f"{path}[{at}]")) for at, entry in enumerate(messages) if isinstance(entry, dict)
    ]
    ids = (text(fields.get(name)) for name in _IDS)
    trace_id = next(filter(None, ids), None) or name_of(source, record)
    return _trace(trace_id, placed, skipped, fields)


def _trace(
    trace_id: str, messages: list[Placed], skipped: Skipped, chat: Mapping[str, Any] | None = None
) -> ExecutionTrace:
    builder = TraceBuilder(trace_id, "autogen")
    fields = chat or {}
    asker = _asker(fields)
    if text(fields.get("question")) and not any(_is_asked(entry, fields["question"]) for entry, _ in messages[:2]):
        builder.add(Piece(role="user", text=fields["question"]), details=MessageDetails(origin="$.question"))
    for position, (entry, origin) in enumerate(messages):
        if text(entry.get("type")) in _NOT_MESSAGES:
            continue
        following = messages[position + 1][0] if position + 1 < len(messages) else {}
        usage = usage_of(entry.get("models_usage"))
        details = MessageDetails(id=text(entry.get("id")), usage=usage, origin=origin)
        for number, piece in enumerate(_pieces(entry, following, asker, builder)):
            own = details if number == 0 else MessageDetails(origin=origin)
            builder.add(piece, timestamp=utc(entry.get("created_at") or entry.get("timestamp")), details=own)
    return builder.build(
        token_usage=add_usage(_chat_usage(fields)), outcome=_outcome(fields), metadata=skipped.metadata()
    )


def _asker(chat: Mapping[str, Any]) -> str | None:
    """Who began a two-party chat of 0.2: roles are from the view of that speaker, whose own messages are ``assistant``."""
    history = list(dicts(chat.get("chat_history")))
    return text(history[0].get("name")) if history and history[0].get("role") == "assistant" else None


def _is_asked(entry: Mapping[str, Any], question: str) -> bool:
    return question in text_of(entry.get("content"))


def _chat_usage(chat: Mapping[str, Any]) -> list[Any]:
    """The usages of a chat; 0.2 has only sums by model."""
    cost = mapping(chat.get("cost"))
    by_model = mapping(cost.get("usage_including_cached_inference") or cost)
    return [usage_of(usage) for usage in by_model.values() if isinstance(usage, dict)]


def _outcome(chat: Mapping[str, Any]) -> str | None:
    reason = text(chat.get("stop_reason"))
    if reason is None:
        return None
    return next((outcome for words, outcome in _OUTCOMES if words in reason.lower()), "completed")


def _pieces(
    entry: Mapping[str, Any], following: Mapping[str, Any], asker: str | None, builder: TraceBuilder
) -> list[Piece]:
    speaker, recipient = _between(text(entry.get("name")) or text(entry.get("source")) or text(entry.get("role")))
    metadata = {"speaker": speaker} if speaker is not None else None
    if metadata is not None and recipient is not None:
        metadata["recipient"] = recipient
    event = _event(entry, metadata)
    if event is not None:
        return [event]
    role = _role(entry, speaker, asker)
    if role == "tool":
        return [piece for piece in pieces_of(entry) if piece.results]
    ran = _ran(text_of(entry.get("content")))
    if ran is not None and builder.messages and any(call.name == _RAN for call in builder.messages[-1].tool_calls):
        return [Piece(role="tool", results=(ran,), metadata=metadata)]
    return [_spoken(entry, role, following, metadata)]


def _between(label: str | None) -> tuple[str | None, str | None]:
    """Speaker and recipient: Magentic-One logs "Orchestrator (-> WebSurfer)", and "Orchestrator (thought)" of a thought."""
    found = None if label is None else _labelled(label)
    return (label, None) if found is None else (found[1], found[2])


def _event(entry: Mapping[str, Any], metadata: dict[str, Any] | None) -> Piece | None:
    """An event with calls or results in a list, or with code that was run."""
    if isinstance(entry.get("tool_responses"), list):
        return Piece(role="tool", results=tuple(map(_response, dicts(entry["tool_responses"]))))
    if entry.get("type") == "CodeExecutionEvent":
        return Piece(role="tool", results=(_ran_event(mapping(entry.get("result"))),))
    parts = dicts(entry.get("content"))
    if not parts:
        return None
    if any("call_id" in part for part in parts):
        return Piece(role="tool", results=tuple(map(_response, parts)))
    if any("arguments" in part for part in parts):
        return Piece(role="assistant", calls=tuple(map(call_of, parts)), metadata=metadata)
    return None


def _spoken(
    entry: Mapping[str, Any], role: "Role", following: Mapping[str, Any], metadata: dict[str, Any] | None
) -> Piece:
    """A text message. Code whose output is the next message is a call, and so is code generated for execution."""
    content = text_of(entry.get("content")) or None
    calls: tuple[ToolCall, ...] = ()
    if role == "assistant":
        calls = tuple(map(call_of, dicts(entry.get("tool_calls"))))
        if isinstance(entry.get("function_call"), dict):
            calls = (*calls, call_of(entry["function_call"]))
        if not calls and content is not None and _is_run(entry, following) and (code := _code_in(content)):
            calls = (ToolCall(id="", name=_RAN, arguments={"code": code}),)
        if text(entry.get("type")) in _THOUGHTS or str(entry.get("role")).endswith("(thought)"):
            return Piece(role=role, reasoning=content, calls=calls, metadata=metadata)
    lost = () if calls or role != "assistant" else stray_calls(entry)
    return Piece(role=role, text=content, calls=calls, metadata=metadata, lost=lost)


def _is_run(entry: Mapping[str, Any], following: Mapping[str, Any]) -> bool:
    if entry.get("type") == "CodeGenerationEvent":
        return following.get("type") == "CodeExecutionEvent"
    return _ran(text_of(following.get("content"))) is not None


def _role(entry: Mapping[str, Any], speaker: str | None, asker: str | None) -> "Role":
    """The role by the speaker's name, else by the recorded role, which depends on whose history it is."""
    role = entry.get("role")
    if role == "system":
        return "system"
    if role in ("tool", "function") and not entry.get("tool_calls"):
        return "tool"
    if entry.get("tool_calls") or entry.get("function_call"):
        return "assistant"
    if speaker is not None and (speaker == asker or _stands_for_a_person(speaker[:_LONGEST_NAME])):
        return "user"
    return "assistant"


@lru_cache(maxsize=64)
def _stands_for_a_person(speaker: str) -> bool:
    folded = "".join(filter(str.isalnum, speaker.lower()))
    return folded in _NOT_AGENTS or any(part in folded for part in _NOT_AGENT_PARTS)


def _response(part: Mapping[str, Any]) -> Result:
    call_id = text(part.get("call_id")) or text(part.get("tool_call_id"))
    failed = part.get("is_error")
    return Result(
        content=text_of(part.get("content")),
        call_id=call_id,
        name=text(part.get("name")),
        success=not failed if isinstance(failed, bool) else None,
    )


def _ran_event(result: Mapping[str, Any]) -> Result:
    code = result.get("exit_code")
    return Result(
        content=text_of(result.get("output")), name=_RAN, success=code == 0 if isinstance(code, int) else None
    )


def _ran(content: str) -> Result | None:
    """The message of 0.2's code executor: an exit code, then the output."""
    found = _exit_code.match(content)
    if found is None:
        return None
    _, _, output = content.partition(_CODE_OUTPUT)
    return Result(content=(output or content).strip(), name=_RAN, success=int(found[1]) == 0)


def _code_in(content: str) -> str:
    """The code between fences, without the language."""
    blocks = content.split(_FENCE)[1::2]
    return "\n\n".join(block.partition("\n")[2].strip("\n") for block in blocks if "\n" in block)
