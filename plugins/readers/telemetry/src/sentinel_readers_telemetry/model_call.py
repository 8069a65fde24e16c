"""Reads a model call from its span: messages, usage, cost and tools, in every naming convention."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import attrs

from sentinel_core.trace import TokenUsage, ToolSchema
from sentinel_core.traces.readers import tool_schemas, usage_of
from sentinel_core.traces.readers.values import embedded_json
from sentinel_readers_telemetry import aliases
from sentinel_readers_telemetry.attributes import first, number
from sentinel_readers_telemetry.payload import Raw, event_message, messages_in, named_in
from sentinel_readers_telemetry.span import Span

__all__ = ["ModelCall", "model_call_of"]

_DETAILS_EVENT = "gen_ai.client.inference.operation.details"
_CONTENT_EVENTS = frozenset({_DETAILS_EVENT, "gen_ai.content.prompt", "gen_ai.content.completion"})
_TOOL_HOLDERS = ("gcp.vertex.agent.llm_request", "llm.invocation_parameters", "mlflow.spanInputs", "input.value")
_USAGE_KEYS = ("usage", "usage_metadata", "token_usage")
_MAX_PRICE = 1e12
_USAGE_HOLDERS = ("gcp.vertex.agent.llm_response", "mlflow.spanOutputs", "output.value")


@attrs.define(kw_only=True, eq=False)
class ModelCall:
    """One model call. ``inputs`` and ``outputs`` are raw messages, empty if the content was not recorded."""

    span: Span
    inputs: list[Raw]
    outputs: list[Raw]
    usage: TokenUsage | None
    response_id: str | None
    model: str | None
    cost: float | None
    finish: str | None
    tools: tuple[ToolSchema, ...] | None

    def fill(self, other: "ModelCall") -> None:
        """Fill what is missing from another record of the same call."""
        self.fill_inputs(other)
        self.fill_outputs(other)
        self.usage = self.usage or other.usage

    def fill_inputs(self, other: "ModelCall") -> None:
        """Fill the request: messages and tools."""
        self.inputs = self.inputs or other.inputs
        self.tools = self.tools or other.tools

    def fill_outputs(self, other: "ModelCall") -> None:
        """Fill the reply: messages, model, finish reason and cost."""
        self.outputs = self.outputs or other.outputs
        self.response_id = self.response_id or other.response_id
        self.model = self.model or other.model
        self.finish = self.finish or other.finish
        self.cost = other.cost if self.cost is None else self.cost


def model_call_of(span: Span) -> ModelCall:
    """The model call that a span records."""
    attributes = _with_events(span)
    model = first(attributes, aliases.MODEL)
    response_id = first(attributes, aliases.RESPONSE_ID)
    return ModelCall(
        span=span,
        inputs=_inputs(span, attributes),
        outputs=_outputs(span, attributes),
        usage=_usage(attributes),
        response_id=response_id if isinstance(response_id, str) else None,
        model=model if isinstance(model, str) else None,
        cost=_cost(attributes),
        finish=_finish(attributes),
        tools=_tools(attributes),
    )


def _with_events(span: Span) -> Mapping[str, Any]:
    """The span's attributes, with those of events that carry whole requests and replies."""
    attributes = span.attributes
    for event in span.events:
        if event.name in _CONTENT_EVENTS:
            attributes = {**event.attributes, **attributes}
    return attributes


def _inputs(span: Span, attributes: Mapping[str, Any]) -> list[Raw]:
    system = first(attributes, aliases.SYSTEM)
    head = [{"role": "system", "content": system}] if system is not None else []
    found = _event_messages(span, "input") or messages_in(first(attributes, aliases.INPUTS), "user")
    return found if any(message.get("role") == "system" for message in found) else [*head, *found]


def _outputs(span: Span, attributes: Mapping[str, Any]) -> list[Raw]:
    found = _event_messages(span, "output") or messages_in(first(attributes, aliases.OUTPUTS), "assistant")
    return found or _vercel(attributes)


def _vercel(attributes: Mapping[str, Any]) -> list[Raw]:
    text, calls = attributes.get("ai.response.text"), first(attributes, ("ai.response.toolCalls",))
    if not text and not calls:
        return []
    return [{"role": "assistant", "content": text, "tool_calls": calls}]


def _event_messages(span: Span, side: str) -> list[Raw]:
    messages = (event_message(event.name, event.attributes) for event in span.events)
    return [message[1] for message in messages if message is not None and message[0] == side]


def _usage(attributes: Mapping[str, Any]) -> TokenUsage | None:
    counts = {}
    for ours, theirs in aliases.USAGE.items():
        for name in theirs:
            if (value := attributes.get(name)) is not None:
                counts[ours] = number(value)
                break
    candidates = chain(
        [counts],
        (first(attributes, (name,)) for name in aliases.USAGE_OBJECTS if name in attributes),
        (
            named_in(first(attributes, (name,)), key)
            for name in _USAGE_HOLDERS
            if name in attributes
            for key in _USAGE_KEYS
        ),
    )
    return next((usage for raw in candidates if (usage := usage_of(raw)) is not None), None)


def _cost(attributes: Mapping[str, Any]) -> float | None:
    values = [attributes[name] for name in aliases.COST if name in attributes]
    values += [named_in(attributes[name], key) for name, key in aliases.COST_OBJECTS if name in attributes]
    return next((price for value in values if (price := _price(value)) is not None), None)


def _price(value: object) -> float | None:
    """The price; None for a negative or absurd one, which may be an integer too large for a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _MAX_PRICE:
        return None
    return float(value)


def _finish(attributes: Mapping[str, Any]) -> str | None:
    value = first(attributes, aliases.FINISH)
    value = value[-1] if isinstance(value, list) and value else value
    return value.lower() if isinstance(value, str) else None


def _tools(attributes: Mapping[str, Any]) -> tuple[ToolSchema, ...] | None:
    listed = first(attributes, aliases.AVAILABLE_TOOLS)
    if listed is None:
        holders = (
            named_in(first(attributes, (name,)), "tools")
            for name in _TOOL_HOLDERS
            if _may_hold_tools(attributes.get(name))
        )
        listed = next((value for value in holders if isinstance(value, list)), None)
    if not isinstance(listed, list):
        return None
    found = tool_schemas([definition for entry in listed for definition in _definitions(entry)])
    return found or None


def _may_hold_tools(holder: object) -> bool:
    """False for JSON text without the word, so that the whole conversation is not decoded for nothing."""
    return "tools" in holder if isinstance(holder, str) else holder is not None


def _definitions(entry: object) -> list[Any]:
    """One entry of a list of tools: a definition, JSON text of one, OpenInference's wrapper, or Gemini's group of several."""
    entry = _decoded(entry)
    if not isinstance(entry, dict):
        return []
    if isinstance(inner := entry.get("tool"), dict):
        entry = inner
    if "json_schema" in entry:
        entry = _decoded(entry["json_schema"])
    for key in ("tool.json_schema", "function_declarations", "functionDeclarations"):
        if isinstance(entry, dict) and key in entry:
            entry = _decoded(entry[key])
    return [_definition(item) for item in (entry if isinstance(entry, list) else [entry]) if isinstance(item, dict)]


def _definition(entry: Raw) -> Raw:
    function = entry.get("function")
    definition = function if isinstance(function, dict) else entry
    name = next(
        (key for key in ("parameters", "input_schema", "inputSchema", "parameters_json_schema") if key in definition),
        "",
    )
    schema = _decoded(definition.get(name))
    return {
        "name": definition.get("name"),
        "description": definition.get("description"),
        "parameters": _lower_types(schema),
    }


def _decoded(value: object) -> Any:
    return embedded_json(value) if isinstance(value, str) else value


def _lower_types(schema: Any) -> Any:
    """The schema with lower-case types: Gemini writes them in capitals, which validators refuse."""
    if isinstance(schema, list):
        return [_lower_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else _lower_types(value)
        for key, value in schema.items()
    }
