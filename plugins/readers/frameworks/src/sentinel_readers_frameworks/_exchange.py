"""Reads a model's request and reply, which platforms record in the format of the traced client.

Known: OpenAI chat and Responses, Anthropic, Gemini, LangChain (messages, prompts, generations), plain text; each also as
JSON inside a text.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from sentinel_core import TokenUsage, ToolSchema
from sentinel_core.traces.readers import parse_json, tool_schemas, usage_of
from sentinel_core.traces.readers.chat import text_of
from sentinel_readers_frameworks._files import mapping, text
from sentinel_readers_frameworks._langchain import fields_of, is_message, model_of, usage_in

__all__ = ["Exchange", "decoded", "reply_of", "request_of"]

_DEEPEST = 6
_SYSTEM = ("system", "system_instruction", "systemInstruction", "instructions")
_ASKED = (
    "messages",
    "contents",
    "input_messages",
    "kwargs",
    "input",
    "inputs",
    "prompts",
    "prompt",
    "question",
    "query",
)
_ANSWERED = ("choices", "generations", "candidates", "messages", "message", "output", "outputs", "response", "text")
_USAGES = ("usage_metadata", "usageMetadata", "usage", "token_usage")
_MODELS = ("model", "model_name", "modelVersion", "model_version")
_NOTED = frozenset((*_USAGES, *_MODELS, "llm_output", "response_metadata", "tools"))
# Items of the Responses API that are not messages, and the role of the message for each.
_ITEM_CALLS = frozenset(("function_call", "custom_tool_call"))
_ITEM_RESULTS = frozenset(("function_call_output", "custom_tool_call_output"))


@attrs.define
class Exchange:
    """One side of a model call: messages in the provider's format, usage, model and tools."""

    messages: list[object] = attrs.field(factory=list)
    tools: tuple[ToolSchema, ...] | None = None
    usage: TokenUsage | None = None
    model: str | None = None


def request_of(value: object) -> Exchange:
    """The input of a model or of a whole run."""
    found = Exchange()
    _collect(value, found, _ASKED, "user", 0)
    kept: list[object] = []
    definitions: list[object] = []
    for message in found.messages:
        (definitions if _is_definition(message) else kept).append(message)
    found.messages = kept
    if definitions:
        found.tools = tool_schemas([mapping(entry).get("content") for entry in definitions])
    return found


def reply_of(value: object) -> Exchange:
    """The output of a model or of a whole run; the first of several alternatives."""
    found = Exchange()
    _collect(value, found, _ANSWERED, "assistant", 0)
    return found


def decoded(value: object) -> object:
    """The object, list or text in a JSON text; anything else as it is."""
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        try:
            return parse_json(value.encode())
        except (ValueError, RecursionError):
            return value
    return value


def _collect(value: object, found: Exchange, keys: Iterable[str], role: str, depth: int) -> None:
    value = decoded(value) if depth <= 1 else value
    if value is None or value == "":
        return
    if isinstance(value, dict) and depth < _DEEPEST:
        _collect_object(value, found, keys, role, depth)
    elif isinstance(value, list) and depth < _DEEPEST:
        for entry in value:
            _collect(_as_message(entry), found, keys, role, depth + 1)
    else:
        found.messages.append({"role": role, "content": value if isinstance(value, str) else text_of(value)})


def _collect_object(value: Mapping[str, Any], found: Exchange, keys: Iterable[str], role: str, depth: int) -> None:
    _note(value, found)
    if is_message(value):
        found.messages.append(
            value if "role" in value or role == "user" or _has_own_role(value) else {**value, "role": role}
        )
        return
    if role == "user":
        found.messages.extend({"role": "system", "content": value[key]} for key in _SYSTEM if value.get(key))
    fields = fields_of(value)
    for key in keys:
        inner = fields.get(key)
        if inner is None or inner in ([], {}):
            continue
        if key in ("choices", "candidates", "generations"):
            inner = _first(inner)
        _collect(inner, found, keys, role, depth + 1)
        return
    content = fields.get("content") or fields.get("parts")
    if content:
        found.messages.append({"role": role, "content": content})
    elif not _is_only_beside(value):
        found.messages.append({"role": role, "content": text_of(dict(value))})


def _note(value: Mapping[str, Any], found: Exchange) -> None:
    """Take usage, model and tools from the first place in the object that has them."""
    fields = fields_of(value)
    if _NOTED.isdisjoint(fields):
        return
    if found.usage is None:
        candidates = (usage_of(fields[key]) for key in _USAGES if key in fields)
        found.usage = next((usage for usage in candidates if usage is not None), None) or usage_in(fields)
    if found.usage is None and "llm_output" in fields:
        found.usage = usage_of(mapping(fields["llm_output"]).get("token_usage"))
    if found.model is None:
        found.model = next(filter(None, (text(fields.get(key)) for key in _MODELS)), None) or model_of(fields)
    if found.tools is None and isinstance(fields.get("tools"), list):
        found.tools = tool_schemas(fields["tools"]) or None


def _first(alternatives: object) -> object:
    """The first alternative's message; LangChain's generations are a list of lists, one per prompt."""
    while isinstance(alternatives, list):
        alternatives = alternatives[0] if alternatives else None
    fields = mapping(alternatives)
    return next((fields[key] for key in ("message", "content") if fields.get(key)), alternatives)


def _has_own_role(value: Mapping[str, Any]) -> bool:
    kind = fields_of(value).get("type")
    return isinstance(kind, str) and (
        kind.lower() in ("ai", "human", "system", "tool") or kind.endswith(("Message", "Chunk"))
    )


def _as_message(entry: object) -> object:
    """An item of the Responses API as a message."""
    fields = mapping(entry)
    kind = fields.get("type")
    if "role" in fields or not isinstance(kind, str):
        return entry
    if kind in _ITEM_CALLS:
        call = {key: value for key, value in fields.items() if key != "id"}
        return {"role": "assistant", "content": [{**call, "type": "function_call"}]}
    if kind in _ITEM_RESULTS:
        return {"role": "tool", "tool_call_id": fields.get("call_id"), "content": fields.get("output")}
    if kind == "reasoning":
        return {"role": "assistant", "content": "", "reasoning_content": text_of(fields.get("summary") or "")}
    return entry


def _is_definition(message: object) -> bool:
    """Whether it is a tool definition, which Langfuse's LangChain handler puts among the messages."""
    content = mapping(mapping(message).get("content"))
    return mapping(message).get("role") == "tool" and isinstance(content.get("function"), dict)


def _is_only_beside(value: Mapping[str, Any]) -> bool:
    beside = {*_USAGES, *_MODELS, *_SYSTEM, "tools", "llm_output", "run", "type", "id"}
    return all(key in beside or inner is None or inner == [] for key, inner in value.items())
