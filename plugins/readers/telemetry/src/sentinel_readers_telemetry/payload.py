"""Turns requests and replies of any provider, as instrumentations attach them to spans, into lists of raw messages."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sentinel_core.traces.readers.values import embedded_json
from sentinel_readers_telemetry.aliases import EVENT_ROLES, OUTPUT_EVENTS

__all__ = ["Raw", "event_message", "messages_in", "named_in"]

Raw = dict[str, Any]
_SYSTEM = ("system", "system_instruction", "systemInstruction", "instructions")
# Keys of the messages in a request, and in a reply.
_REQUEST = ("messages", "contents", "input", "history", "prompt", "prompts", "input_str", "question", "query")
_REPLY = ("choices", "generations", "candidates", "output", "message", "response", "result", "answer")
_WRAPPED = ("inputs", "kwargs", "llm_request", "request", "body", "outputs", "result", "response", "data", "content")
_ITEM_CALLS = frozenset({"function_call", "custom_tool_call", "mcp_call"})
_ITEM_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
_DEEPEST = 6


def messages_in(value: object, role: str, *, depth: int = 0) -> list[Raw]:
    """The messages of a request (``role`` "user") or a reply ("assistant"); ``role`` is the default for a message without one.

    Text that is JSON is decoded; an unknown shape becomes one message with its text or JSON.
    """
    if isinstance(value, str):
        value = embedded_json(value)
    if value is None or value in ("", [], {}) or depth > _DEEPEST:
        return []
    if isinstance(value, list):
        return _of_list(value, role, depth)
    if isinstance(value, dict):
        return _of_object(value, role, depth)
    return [{"role": role, "content": value if isinstance(value, str) else str(value)}]


def named_in(value: object, name: str) -> Any:
    """A member of a request or a reply (``usage``, ``tools``), also inside ``config`` or a wrapper."""
    for inner in _unwrapped(value):
        if inner.get(name) is not None:
            return inner[name]
    return None


def event_message(name: str, attributes: Mapping[str, Any]) -> tuple[str, Raw] | None:
    """``"input"`` or ``"output"``, and the message that a span event of the deprecated generation carries."""
    role = EVENT_ROLES.get(name)
    body = {key: embedded_json(value) if isinstance(value, str) else value for key, value in attributes.items()}
    if role is not None:
        call_id = body.pop("id", None)
        fields = body if role != "tool" else {**body, "tool_call_id": body.get("tool_call_id") or call_id}
        return "input", _plain_message({**fields, "role": fields.get("role") or role})
    if name not in OUTPUT_EVENTS:
        return None
    message = body.get("message", body)
    if not isinstance(message, dict):
        message = {"content": message}
    fields = {key: value for key, value in body.items() if key in ("tool_calls", "content")} | message
    return "output", _plain_message({"role": "assistant", **fields})


def _of_list(values: list[Any], role: str, depth: int) -> list[Raw]:
    if all(isinstance(value, str) for value in values):
        return [{"role": role, "content": "\n".join(values)}]
    if values and all(_is_part(value) for value in values):
        return [_plain_message({"role": role, "content": values})]
    found: list[Raw] = []
    for value in values:
        if isinstance(value, list):
            found.extend(_of_list(value, role, depth + 1) if depth < _DEEPEST else ())
        elif isinstance(value, dict):
            found.extend(_of_object(value, role, depth + 1))
        elif value is not None:
            found.extend(messages_in(value, role, depth=depth + 1))
    return found


def _is_part(value: object) -> bool:
    """Whether it is a part of a message's content: it has a content type, and no role."""
    return (
        isinstance(value, dict)
        and "role" not in value
        and (value.get("type") in ("text", "tool_use", "tool_call", "thinking", "reasoning") or "toolUse" in value)
    )


def _of_object(value: Raw, role: str, depth: int) -> list[Raw]:
    inner = value.get("message") if len(value) == 1 else value
    if isinstance(inner, dict) and _is_plain(inner):
        return [inner]
    if isinstance(value.get("event.name"), str):
        event = event_message(value["event.name"], value)
        return [] if event is None else [event[1]]
    if isinstance(kind := value.get("type"), str) and (item := _of_item(kind, value)) is not None:
        return [item]
    if _is_message(value):
        return [_plain_message(_with_role(value, role))]
    return _of_body(value, role, depth) if depth < _DEEPEST else []


def _is_plain(value: Raw) -> bool:
    """True for a message of a role and a text, as most are."""
    content = value.get("content")
    is_said = isinstance(content, str) and content[:2] != "[{" and isinstance(value.get("role"), str)
    return is_said and "type" not in value and "event.name" not in value


def _of_body(value: Raw, role: str, depth: int) -> list[Raw]:
    """The messages of a whole request or reply, and the system prompt beside them."""
    system = next((value[key] for key in _SYSTEM if value.get(key)), None)
    if system is None and isinstance(config := value.get("config"), dict):
        system = next((config[key] for key in _SYSTEM if config.get(key)), None)
    head = [{"role": "system", "content": _text_or_parts(system)}] if system else []
    inner = _inner_messages(value, role, depth)
    if inner is not None:
        return [*head, *inner]
    text = next((value[key] for key in ("text", "content", "output_text") if isinstance(value.get(key), str)), None)
    if text is not None:
        return [*head, {"role": role, "content": text}]
    return head or [{"role": role, "content": value}]


def _inner_messages(value: Raw, role: str, depth: int) -> list[Raw] | None:
    """The messages in the first member that holds some; None if there is no such member."""
    for key in _REQUEST if role == "user" else (*_REPLY, "messages"):
        if value.get(key) is not None:
            return _choices(key, value[key], role, depth)
    for key in _WRAPPED:
        if isinstance(value.get(key), (dict, list)):
            return messages_in(value[key], role, depth=depth + 1)
    return None


def _choices(key: str, value: object, role: str, depth: int) -> list[Raw]:
    """The messages; of alternative replies only the first, as the others are not part of the conversation."""
    take = _ALTERNATIVES.get(key)
    if take is None or not isinstance(value, list):
        return messages_in(value, role, depth=depth + 1)
    return take(value, role, depth)


def _first_choice(value: list[Any], role: str, depth: int) -> list[Raw]:
    choice = value[0] if value else None
    if not isinstance(choice, dict):
        return messages_in(choice, role, depth=depth + 1)
    inner = choice.get("message", choice.get("content", choice.get("text")))
    return messages_in(inner, role, depth=depth + 1)


def _first_generation(value: list[Any], role: str, depth: int) -> list[Raw]:
    generation = value[0] if value else None
    generation = generation[0] if isinstance(generation, list) and generation else generation
    if isinstance(generation, dict) and isinstance(generation.get("message"), dict):
        generation = generation["message"]
    return messages_in(generation, role, depth=depth + 1)


_ALTERNATIVES: Mapping[str, Callable[[list[Any], str, int], list[Raw]]] = {
    "choices": _first_choice,
    "candidates": _first_choice,
    "generations": _first_generation,
}


def _of_item(kind: str, value: Raw) -> Raw | None:
    """An item of OpenAI's Responses API that is not a message."""
    if kind in _ITEM_CALLS:
        return {"role": "assistant", "content": [{**value, "type": "function_call"}]}
    if kind in _ITEM_RESULTS:
        return {"role": "tool", "tool_call_id": value.get("call_id"), "content": value.get("output")}
    if kind == "reasoning" and "summary" in value:
        return {"role": "assistant", "content": [value]}
    return None


def _is_message(value: Raw) -> bool:
    """Whether it is a message: it has a role, or is LangChain's dump or OpenInference's wrapper of one."""
    if isinstance(value.get("role"), str) or ("lc" in value and isinstance(value.get("kwargs"), dict)):
        return True
    if isinstance(value.get("type"), str) and ("content" in value or isinstance(value.get("data"), dict)):
        return True
    inner = value.get("message")
    return (isinstance(inner, dict) and isinstance(inner.get("role"), str) and "choices" not in value) or (
        isinstance(value.get("parts"), list)
    )


def _with_role(value: Raw, role: str) -> Raw:
    known = any(isinstance(value.get(key), str) for key in ("role", "type")) or "message" in value or "lc" in value
    return value if known else {**value, "role": role}


def _plain_message(message: Raw) -> Raw:
    """The message without wrappers, with Bedrock's and JSON-in-text parts in the common form."""
    inner = message.get("message")
    if isinstance(inner, dict) and "content" not in message and "parts" not in message:
        message = inner
    content = message.get("content")
    if isinstance(content, str) and content[:2] == "[{":
        parts = embedded_json(content)
        content = parts if isinstance(parts, list) and all(map(_has_kind, parts)) else content
    if content is None and isinstance(message.get("parts"), list):
        content = message["parts"]
    if isinstance(content, list) and any(isinstance(part, dict) and "type" not in part for part in content):
        content = [_typed_part(part) for part in content]
    return message if content is message.get("content") else {**message, "content": content}


def _has_kind(part: object) -> bool:
    return isinstance(part, dict) and any(key in part for key in ("type", "toolUse", "toolResult", "text"))


def _typed_part(part: object) -> object:
    """Bedrock's parts, and Gemini's results of an MCP server, as parts that have a type."""
    if not isinstance(part, dict):
        return part
    outer = part.get("function_response") or part.get("functionResponse")
    if isinstance(outer, dict) and isinstance(answer := outer.get("response"), dict) and "isError" in answer:
        return {**answer, "type": "tool_result", "tool_call_id": outer.get("id"), "name": outer.get("name")}
    if isinstance(use := part.get("toolUse"), dict):
        return {"type": "tool_use", "id": use.get("toolUseId"), "name": use.get("name"), "input": use.get("input")}
    if isinstance(result := part.get("toolResult"), dict):
        failed = result.get("status") == "error"
        known = {"is_error": failed} if "status" in result else {}
        return {
            "type": "tool_result",
            "tool_use_id": result.get("toolUseId"),
            "content": result.get("content"),
            **known,
        }
    if isinstance(part.get("reasoningContent"), dict):
        return {"type": "reasoning", "content": str(part["reasoningContent"].get("reasoningText", ""))}
    return part


def _text_or_parts(system: object) -> object:
    if isinstance(system, dict) and isinstance(system.get("parts"), list):
        return system["parts"]
    return system


def _unwrapped(value: object) -> Iterable[Raw]:
    """The object and the wrappers inside it, outermost first."""
    for _ in range(_DEEPEST):
        if isinstance(value, str):
            value = embedded_json(value)
        if not isinstance(value, dict):
            return
        yield value
        if isinstance(config := value.get("config"), dict):
            yield config
        if isinstance(options := value.get("invocation_params"), dict):
            yield options
        value = next((value[key] for key in _WRAPPED if isinstance(value.get(key), dict)), None)
