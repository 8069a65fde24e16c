"""Reads OpenAI Responses: bare items, response objects, requests with responses, and chains of responses."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sentinel_core import ExecutionTrace, ReadError, Source, ToolSchema
from sentinel_core.traces.readers import TraceBuilder, gaps_at, iso_time, refusals, tool_schemas, usage_of
from sentinel_core.traces.readers.chat import stray_calls
from sentinel_readers_openai.drafts import Draft, fill
from sentinel_readers_openai.items import Turns, is_item
from sentinel_readers_openai.values import Value, field, gaps_metadata, json_values, lines_not_json, mapping, text

__all__ = ["read"]

SOURCE = "openai-responses"

_OUTCOMES: Mapping[str, str] = {
    "cancelled": "cancelled",
    "completed": "completed",
    "failed": "error",
    "in_progress": "running",
    "incomplete": "incomplete",
    "queued": "running",
}
_CUT_SHORT: Mapping[str, str] = {"content_filter": "refused", "max_output_tokens": "max_tokens"}
# The name of a hosted tool in calls, by the start of its type.
_HOSTED: tuple[tuple[str, str], ...] = (
    ("apply_patch", "apply_patch"),
    ("code_interpreter", "code_interpreter"),
    ("computer", "computer"),
    ("file_search", "file_search"),
    ("image_generation", "image_generation"),
    ("local_shell", "local_shell"),
    ("shell", "shell"),
    ("web_search", "web_search"),
)


@attrs.frozen(kw_only=True)
class _Exchange:
    """A request, its response, and the place of each."""

    sent: Mapping[str, Any]
    reply: Mapping[str, Any]
    value: Value
    sent_at: str = ""
    reply_at: str = ""


def read(source: Source) -> Iterator[ExecutionTrace | ReadError]:
    """One trace per response or chain of responses; bare items together make one trace.

    Raises ``OSError`` or ``EOFError`` if the bytes cannot be read.
    """
    chain: list[_Exchange] = []
    items: list[Value] = []
    refused: list[ReadError] = []
    unread: list[ReadError] = []
    for value in json_values(source):
        if isinstance(value, ReadError) and items:
            unread.append(value)
        elif not isinstance(value, ReadError) and (items or is_item(value.value)):
            items.append(value)
        else:
            exchange = value if isinstance(value, ReadError) else _exchange(value)
            if chain and (isinstance(exchange, ReadError) or not _follows(exchange, chain[-1])):
                yield _chain(chain, source.name)
                chain = []
            if isinstance(exchange, ReadError):
                yield exchange
                refused.append(exchange)
            else:
                chain.append(exchange)
    if chain:
        yield _chain(chain, source.name)
    if items and refusals(refused + unread, strict=source.strict):
        yield from unread
    elif items:
        yield _loose(items, lines_not_json(unread), source.name)


def _exchange(value: Value) -> _Exchange | ReadError:
    """The request and response of a record, also from a log or a batch file."""
    if isinstance(value.value, list):
        return _Exchange(sent={"input": value.value}, reply={}, value=value)
    record = mapping(value.value)
    sent = next(((mapping(record.get(key)), f".{key}") for key in ("request", "body") if _sends(record.get(key))), None)
    response = mapping(record.get("response"))
    replies = ((mapping(response.get("body")), ".response.body"), (response, ".response"), (record, ""))
    reply = next((found for found in replies if isinstance(found[0].get("output"), list)), ({}, ""))
    sent = sent or (record, "")
    listed = next((key for key in ("items", "data") if isinstance(record.get(key), list)), None)
    if listed is not None and not reply[0]:
        return _Exchange(sent={**record, "input": record[listed]}, reply={}, value=value)
    if not reply[0] and not _sends(sent[0]):
        return value.error("contains no Responses items")
    if not reply[0] and stray_calls(record, "body", "input", "items", "request"):
        return value.error("contains calls, but no list of output items")
    return _Exchange(sent=sent[0], reply=reply[0], value=value, sent_at=sent[1], reply_at=reply[1])


def _sends(request: object) -> bool:
    return isinstance(mapping(request).get("input"), (str, list))


def _follows(exchange: _Exchange, earlier: _Exchange) -> bool:
    """Whether an exchange continues the earlier one: it refers to it, or is a later state of the same response."""
    own, before = field(exchange.reply, "id"), field(earlier.reply, "id")
    previous = field(exchange.reply, "previous_response_id") or field(exchange.sent, "previous_response_id")
    return before is not None and before in (previous, own)


def _chain(chain: list[_Exchange], name: str) -> ExecutionTrace:
    latest = {field(exchange.reply, "id") or position: exchange for position, exchange in enumerate(chain)}
    exchanges = list(latest.values())
    turns = Turns()
    known: set[str] = set()
    for exchange in exchanges:
        _add_exchange(turns, exchange, known)
    first, last = exchanges[0], exchanges[-1]
    conversation = first.reply.get("conversation") or first.sent.get("conversation")
    trace_id = field(mapping(conversation), "id") or text(conversation) or field(first.reply, "id")
    place = first.value.origin()
    builder = TraceBuilder(trace_id or field(first.sent, "id") or (name if place == "$" else f"{name} {place}"), SOURCE)
    fill(builder, turns.drafts)
    return builder.build(
        available_tools=_tools(last),
        outcome=_outcome(last.reply),
        metadata=gaps_metadata(_gaps(turns)),
    )


def _add_exchange(turns: Turns, exchange: _Exchange, known: set[str]) -> None:
    """Add new instructions, the input, and the response's own turn with its tokens."""
    reply, sent, value = exchange.reply, exchange.sent, exchange.value
    instructions = text(sent.get("instructions")) or text(reply.get("instructions"))
    if instructions is not None and instructions not in known:
        known.add(instructions)
        turns.say(Draft(role="system", origin=value.origin(f"{exchange.sent_at}.instructions"), texts=[instructions]))
    given = sent.get("input")
    if isinstance(given, str):
        turns.say(Draft(role="user", origin=value.origin(f"{exchange.sent_at}.input"), texts=[given]))
    _add_items(turns, given, value, f"{exchange.sent_at}.input")
    turns.end_turn()
    turns.response_id, turns.model = field(reply, "id"), text(reply.get("model"))
    before = len(turns.drafts)
    _add_items(turns, reply.get("output"), value, f"{exchange.reply_at}.output", iso_time(reply.get("created_at")))
    turns.end_turn()
    turns.response_id = turns.model = None
    usage = usage_of(reply.get("usage"))
    if usage is not None:
        _paying(turns, before, reply, value.origin(exchange.reply_at)).usage = usage


def _paying(turns: Turns, before: int, reply: Mapping[str, Any], origin: str) -> Draft:
    """The message for a response's tokens: its first, or an empty one if the response has none."""
    for draft in turns.drafts[before:]:
        if draft.role == "assistant":
            return draft
    turns.say(Draft(role="assistant", origin=origin, id=field(reply, "id"), model=text(reply.get("model"))))
    return turns.drafts[-1]


def _add_items(turns: Turns, items: object, value: Value, below: str, timestamp: str | None = None) -> None:
    for position, item in enumerate(items if isinstance(items, list) else ()):
        turns.add(item, value.origin(f"{below}[{position}]"), timestamp=timestamp)


def _loose(items: list[Value], gaps: list[str], name: str) -> ExecutionTrace:
    turns = Turns()
    for value in items:
        turns.add(value.value, value.origin())
    builder = TraceBuilder(name, SOURCE)
    fill(builder, turns.drafts)
    return builder.build(metadata=gaps_metadata(gaps + _gaps(turns)))


def _gaps(turns: Turns) -> list[str]:
    return [
        line
        for kind, origins in turns.unknown.items()
        for line in gaps_at(f'item of the unknown type "{kind}"', f'items of the unknown type "{kind}"', origins)
    ]


def _tools(exchange: _Exchange) -> tuple[ToolSchema, ...] | None:
    """The available tools; None if some have no name, as with a remote server."""
    listed = next(
        (part["tools"] for part in (exchange.sent, exchange.reply) if isinstance(part.get("tools"), list)), None
    )
    if listed is None:
        return None
    named = []
    for tool in listed:
        kind = str(mapping(tool).get("type"))
        hosted = next((name for start, name in _HOSTED if kind.startswith(start)), None)
        known = {"name": hosted} if hosted is not None else tool
        if not isinstance(known, dict) or kind in ("mcp", "namespace", "tool_search"):
            return None
        named.append(known)
    schemas = tool_schemas(named)
    return schemas if schemas is not None and len(schemas) == len(named) else None


def _outcome(reply: Mapping[str, Any]) -> str | None:
    reason = text(mapping(reply.get("incomplete_details")).get("reason"))
    if reason is not None and reason in _CUT_SHORT:
        return _CUT_SHORT[reason]
    return _OUTCOMES.get(str(reply.get("status")))
