"""The parts of one message's content, in the format of any provider or framework: texts, reasoning, calls, results.

A part is known by its type, or by its key (Gemini, Bedrock). An unknown one is kept as text and named in ``Parts.unknown``.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core._fast import declared, fast
from sentinel_core.trace import CallDetails, ToolCall, to_json
from sentinel_core.traces.parsing import parse_json

__all__ = [
    "Parts",
    "Result",
    "arguments_of",
    "call_of",
    "is_shown",
    "kind_of",
    "part_text",
    "sort_part",
    "success_of",
    "text_of",
]

_TEXT = frozenset({"text", "input_text", "output_text", "refusal", "summary_text"})
_REASONING = frozenset({"thinking", "reasoning", "redacted_thinking", "thought", "reasoningContent"})
_CALL = frozenset((
    "tool_use", "tool_call", "tool-call", "function_call", "functionCall", "server_tool_use", "server_tool_call",
    "mcp_tool_use", "toolUse",
))  # fmt: skip
_SERVER_CALLS = ("server_tool", "mcp_tool_use")
_RESULT = frozenset((
    "tool_result", "tool_call_response", "tool-result", "function_response", "functionResponse", "function_result",
    "toolResult",
))  # fmt: skip
_RESULT_ENDINGS = ("_tool_result", "_tool_call_response")
# The names of a part's type, in formats that have one; and the keys that name it in those that have none.
_TYPES = ("type", "part_kind", "content_type", "block_type")
_KEYED = (
    "function_call", "functionCall", "function_response", "functionResponse", "toolUse", "toolResult",
    "reasoningContent", "citationsContent",
)  # fmt: skip
# Keys of the text in blocks that are neither text nor a file.
_TEXT_KEYS: Mapping[str, tuple[str, ...]] = {
    "bash_code_execution_result": ("stdout", "stderr"),
    "citationsContent": ("content",),
    "code_execution_result": ("stdout", "stderr"),
    "search_result": ("title", "source", "content"),
    "web_fetch_result": ("url", "content"),
    "web_search_result": ("title", "url"),
}
# What a message shows or marks: no deed of the agent can be in it.
_SHOWN = frozenset("""
    annotation audio audio_url binary blob cache cachePoint cache_point citation citations container_upload document
    fileData file file_data file_id file_reference file_url guardContent image image_file image_url inlineData inline_data
    input_audio input_file input_image media output_audio output_image placeholder searchResult source source-document source-url
    step-start tool_reference uri video video_url
""".split())  # fmt: skip  # noqa: SIM905 - a table of words
_SHOWN_ENDINGS = ("-url", "_result", "_error")
_WRITTEN = ("text", "content", "refusal")
_INNER = ("tool_call", "function_call", "functionCall", "toolUse")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "tool_kwargs")
_CALL_IDS = ("id", "call_id", "tool_call_id", "toolCallId", "toolUseId")
_RESULT_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "toolUseId", "id")
_FAILED = frozenset({"error", "failed", "failure", "denied"})
# In the AI SDK, a tool's output has a type of its own.
_OUTPUTS: Mapping[object, bool | None] = {
    "content": None, "error-json": False, "error-text": False, "execution-denied": False, "json": None, "text": None,
}  # fmt: skip


@fast
@declared(kw_only=True)
class Result:
    """A tool's result. ``call_id`` is None if the source has none; ``name`` is the tool's, if known."""

    content: str
    call_id: str | None = None
    name: str | None = None
    success: bool | None = None
    metadata: dict[str, Any] | None = None


def text_of(content: object) -> str:
    """All text of a content: a string, or parts in any shape; anything else as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(filter(None, map(part_text, content)))
    return part_text(content)


def arguments_of(raw: object) -> tuple[dict[str, Any], str | None]:
    """A call's arguments, and their text if they are not a JSON object."""
    if isinstance(raw, dict):
        return raw, None
    if raw is None or raw == "":
        return {}, None
    text = raw if isinstance(raw, str) else to_json(raw).decode()
    try:
        value = parse_json(text.encode())
    except (ValueError, RecursionError):
        return {}, text
    return (value, None) if isinstance(value, dict) else ({}, text)


def call_of(raw: Mapping[str, Any], *, result_expected: bool = True) -> ToolCall:
    """A tool call in any provider's shape."""
    inner = next((raw[key] for key in _INNER if raw.get(key)), raw)
    inner = inner if isinstance(inner, dict) else raw
    custom = inner.get("custom")
    if isinstance(custom, dict) and isinstance(custom.get("input"), str):
        inner = {**custom, "id": inner.get("id"), "input": {"input": custom["input"]}}
    function = inner.get("function")
    named = function if isinstance(function, dict) else inner
    name = (
        function if isinstance(function, str) else named.get("name") or inner.get("toolName") or inner.get("tool_name")
    )
    given = next((named[key] for key in _ARGUMENTS if named.get(key) is not None), None)
    arguments, not_json = arguments_of(given)
    details = None
    if not_json is not None or not result_expected:
        details = CallDetails(raw_arguments=not_json, result_expected=result_expected)
    call_id = next((inner[key] for key in _CALL_IDS if inner.get(key)), "")
    return ToolCall(id=str(call_id).strip(), name=str(name or ""), arguments=arguments, details=details)


@attrs.define
class Parts:
    """What a content holds, by kind; ``unknown`` names the kinds that nobody knows, once for each part."""

    texts: list[str] = attrs.field(factory=list)
    reasoning: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)
    results: list[Result] = attrs.field(factory=list)
    unknown: list[str] = attrs.field(factory=list)


def sort_part(part: object, parts: Parts) -> None:
    """Add one part of a content to the parts of its kind."""
    if not isinstance(part, dict):
        parts.texts.append(text_of(part))
        return
    inner = part.get("message_content")
    if isinstance(inner, dict):  # keys beside it belong to it, such as a call
        part = {**part, **inner}
    kind = kind_of(part)
    if kind in _CALL:
        parts.calls.append(call_of(part, result_expected=not kind.startswith(_SERVER_CALLS)))
    elif kind in _RESULT or kind.endswith(_RESULT_ENDINGS):
        parts.results.append(_result_of(part, kind))
    elif kind in _REASONING or part.get("thought") is True:
        parts.reasoning.append(_reasoning_of(part))
    else:
        parts.texts.append(part_text(part))
        if not is_shown(part, kind):
            parts.unknown.append(kind or next(iter(part), ""))


def is_shown(part: Mapping[str, Any], kind: str) -> bool:
    """Whether a part is known to be a text, a file or a mark: the agent can have done nothing in it."""
    if not kind:
        return any(isinstance(part.get(key), str) for key in _WRITTEN) or not _SHOWN.isdisjoint(part)
    return kind in _TEXT or kind in _TEXT_KEYS or kind in _SHOWN or kind.endswith(_SHOWN_ENDINGS)


def kind_of(part: Mapping[str, Any]) -> str:
    """The part's type; in the formats of Gemini and Bedrock it is the key. Empty if it has neither."""
    kind = next((part[key] for key in _TYPES if part.get(key)), None)
    if isinstance(kind, str):
        return kind
    return next((key for key in _KEYED if part.get(key)), "")


def _result_of(part: Mapping[str, Any], kind: str) -> Result:
    inner = part.get(kind)
    result = inner if isinstance(inner, dict) else part
    keys = ("content", "response", "result", "output")
    content = next((result[key] for key in keys if result.get(key) is not None), None)
    success = success_of(result)
    if isinstance(content, dict) and "value" in content and (kind_of_output := kind_of(content)) in _OUTPUTS:
        content = to_json(content["value"]).decode() if kind_of_output.endswith("json") else content["value"]
        success = _OUTPUTS[kind_of_output] if success is None else success
    call_id = next((result[key] for key in _RESULT_IDS if result.get(key)), None)
    name = result.get("name") or result.get("toolName")
    return Result(
        content=text_of(content),
        call_id=str(call_id).strip() if call_id is not None else None,
        name=name if isinstance(name, str) else None,
        success=success,
    )


def success_of(result: Mapping[str, Any]) -> bool | None:
    """False if the source marks a failure, True if it marks success, None if it says neither."""
    flag = result.get("is_error", result.get("isError"))
    if isinstance(flag, bool):
        return not flag
    if result.get("error") or _is_error(result.get("content")):
        return False
    if result.get("error") is False:
        return True
    status = result.get("status") or result.get("outcome")
    if isinstance(status, str):
        return (
            False if status.lower() in _FAILED else True if status.lower() in ("success", "ok", "completed") else None
        )
    return None


def _is_error(content: object) -> bool:
    """True for the content that one of Anthropic's server-side tools returns when it fails."""
    return isinstance(content, dict) and str(content.get("type") or "").endswith("_result_error")


def _reasoning_of(part: Mapping[str, Any]) -> str:
    inner = part.get("reasoningContent")
    if isinstance(inner, dict):  # Bedrock
        return text_of(inner.get("reasoningText"))
    for key in ("thinking", "reasoning", "text", "content"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return text_of(part.get("summary")) if part.get("summary") else ""


def part_text(part: object) -> str:
    """A part as text: its words, or its kind in brackets; a part without a kind as JSON."""
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        return to_json(part).decode()
    kind = kind_of(part)
    if kind in _TEXT or not kind:
        for key in _WRITTEN:
            if isinstance(part.get(key), str):
                return str(part[key])
    if kind in _TEXT_KEYS:
        inner = part.get(kind)
        holder = inner if isinstance(inner, dict) else part
        return "\n".join(filter(None, (text_of(holder.get(key)) for key in _TEXT_KEYS[kind])))
    if kind and kind not in _TEXT:
        return f"[{kind}]"
    return to_json(part["json"] if part.keys() == {"json"} else part).decode()
