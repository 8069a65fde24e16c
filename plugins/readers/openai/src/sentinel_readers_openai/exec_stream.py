"""Reads the output of ``codex exec --json``: one event per line, about items such as messages, commands and file changes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sentinel_core import ExecutionTrace, ReadError, Source
from sentinel_core.traces.readers import BadRecord, TraceBuilder, gaps_at, json_lines, refusals, usage_of
from sentinel_core.traces.readers.chat import Result, text_of
from sentinel_readers_openai.drafts import Draft, fill
from sentinel_readers_openai.items import Turns
from sentinel_readers_openai.values import field, gaps_metadata, lines_not_json, mapping, text

__all__ = ["is_event", "read"]

SOURCE = "codex"

_ITEM_EVENTS = frozenset({"item.completed", "item.started", "item.updated"})
_OUTCOMES = {"turn.completed": "completed", "turn.failed": "error", "turn.started": "interrupted"}
_EVENTS = _ITEM_EVENTS | frozenset(_OUTCOMES) | {"thread.started"}
# Events and items without a deed of the agent.
_SILENT = frozenset({"item.plan.delta", "request_user_input", "todo_list"})
_SUCCESS = {"completed": True, "declined": False, "failed": False}
_NOT_RUN = "declined"


class _Thread:
    """The events of one thread. A call is an item: it starts, and completes with its result."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.turns = Turns()
        self.outcome: str | None = None
        self.usage: object = None
        self.notices: list[str] = []
        self.unknown: dict[str, list[str]] = {}
        self._started: set[str] = set()

    def take(self, event: Mapping[str, Any], origin: str) -> None:
        """Add an event."""
        kind = str(event.get("type"))
        if kind in _ITEM_EVENTS:
            self._item(mapping(event.get("item")), origin, is_over=kind == "item.completed")
        elif kind in _OUTCOMES:
            self.outcome = _OUTCOMES[kind]
            self.turns.end_turn()
            # Each turn tells the tokens of the whole thread.
            self.usage = event.get("usage") or self.usage
            self._notice(event.get("error"))
        elif kind == "error":
            self._notice(event)
        elif kind != "thread.started" and kind not in _SILENT:
            self.unknown.setdefault(f'event of the unknown type "{kind[:60]}"', []).append(origin)

    def _notice(self, error: object) -> None:
        if message := text_of(mapping(error).get("message")):
            self.notices.append(message)

    def _item(self, item: Mapping[str, Any], origin: str, *, is_over: bool) -> None:
        kind = str(item.get("type"))
        made = _CALLS.get(kind)
        if made is not None:
            self._call(item, origin, made, is_over=is_over)
        elif kind == "error":
            self._notice(item if is_over else None)
        elif not is_over or kind in _SILENT:
            return
        elif kind in ("agent_message", "plan"):
            said = [{"type": "output_text", "text": item.get("text")}]
            self.turns.add({"type": "message", "role": "assistant", "content": said, "id": item.get("id")}, origin)
        elif kind == "reasoning":
            self.turns.add({"type": "reasoning", "summary": [{"text": item.get("text")}]}, origin)
        elif kind == "web_search":
            self.turns.add(
                {"type": "web_search_call", "id": item.get("id"), "action": {"query": item.get("query")}}, origin
            )
        else:
            self.unknown.setdefault(f'item of the unknown type "{kind[:60]}"', []).append(origin)

    def _call(self, item: Mapping[str, Any], origin: str, made: "_Made", *, is_over: bool) -> None:
        call_id = field(item, "id") or ""
        name, arguments = made(item)
        if call_id not in self._started:
            self._started.add(call_id)
            self.turns.add({"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}, origin)
        if is_over:
            self._started.discard(call_id)
            result = _result(item, call_id, name)
            self.turns.say(Draft(role="tool", origin=origin, results=[result]))
        if item.get("type") == "collab_tool_call" and is_over:
            self.unknown.setdefault("call to a sub-agent whose own calls are not in the stream", []).append(origin)


_Made = Callable[[Mapping[str, Any]], tuple[str, object]]
# The tool of each kind of item, named as in the session's rollout, and its arguments.
_CALLS: Mapping[str, _Made] = {
    "collab_tool_call": lambda item: (
        text(item.get("tool")) or "collab_tool",
        {key: item[key] for key in ("prompt", "receiver_thread_ids") if item.get(key)},
    ),
    "command_execution": lambda item: ("shell", {"command": text_of(item.get("command"))}),
    "file_change": lambda item: ("apply_patch", {"changes": item.get("changes")}),
    "mcp_tool_call": lambda item: (
        "__".join(filter(None, (text(item.get("server")), text(item.get("tool"))))),
        item.get("arguments"),
    ),
}


def _result(item: Mapping[str, Any], call_id: str, name: str) -> Result:
    """The result of a completed item. A command that a person declined never ran."""
    status, code = text(item.get("status")), item.get("exit_code")
    success = _SUCCESS.get(status or "")
    if isinstance(code, int) and status != _NOT_RUN:
        success = code == 0
    return Result(
        call_id=call_id or None,
        name=name,
        content=_content(item) or (status or ""),
        success=success,
        metadata={"not_run": True} if status == _NOT_RUN else None,
    )


def _content(item: Mapping[str, Any]) -> str:
    if item.get("type") == "file_change":
        changes = item.get("changes")
        rows = [mapping(change) for change in changes] if isinstance(changes, list) else []
        return "\n".join(f"{text_of(row.get('kind'))} {text_of(row.get('path'))}" for row in rows)
    if item.get("type") == "command_execution":
        return text_of(item.get("aggregated_output"))
    if item.get("type") == "collab_tool_call":
        return text_of(item.get("agents_states"))
    result = mapping(item.get("result"))
    failed = text_of(mapping(item.get("error")).get("message"))
    return failed or text_of(result.get("content")) or text_of(result.get("structured_content"))


def is_event(value: object) -> bool:
    """Whether a record is an event of the stream, not a line of a rollout."""
    kind = mapping(value).get("type")
    return isinstance(kind, str) and kind in _EVENTS


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per thread, without the user's prompt, which the stream does not have; a ``ReadError`` if it holds no item.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    threads: dict[str, _Thread] = {}
    errors: list[ReadError] = []
    strange: list[str] = []
    thread = _Thread(source.name)
    for record in json_lines(source):
        origin = f"line {record.line}"
        if isinstance(record, BadRecord):
            errors.append(record.error())
        elif not isinstance(record.value, dict):
            strange.append(origin)
        else:
            if record.value.get("type") == "thread.started":
                name = field(record.value, "thread_id") or source.name
                thread = threads.get(name) or _Thread(name)
            threads.setdefault(thread.name, thread).take(record.value, origin)
    if refused := refusals(errors, strict=source.strict):
        yield refused[0]
        return
    gaps = lines_not_json(errors) + gaps_at("line is not an event", "lines are not events", strange)
    traces = [trace for thread in threads.values() if (trace := _trace(thread, gaps)).messages]
    yield from traces
    if not traces:
        yield errors[0] if errors and not threads else ReadError(message="contains no item")


def _trace(thread: _Thread, gaps: list[str]) -> ExecutionTrace:
    builder = TraceBuilder(thread.name, SOURCE)
    fill(builder, thread.turns.drafts)
    lost = [gap for what, places in thread.unknown.items() for gap in gaps_at(what, what.replace(" ", "s ", 1), places)]
    return builder.build(
        token_usage=usage_of(thread.usage),
        outcome=thread.outcome,
        metadata=gaps_metadata(gaps + lost, notices=thread.notices or None),
    )
