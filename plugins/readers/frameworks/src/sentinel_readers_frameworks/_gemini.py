"""Reads Gemini's content parts from ADK and the Gemini CLI, in camel and in snake case."""

from collections.abc import Mapping
from typing import Any

import attrs

from sentinel_core import CallDetails, TokenUsage, ToolCall
from sentinel_core.traces.readers import usage_of
from sentinel_core.traces.readers.chat import Result, call_of, text_of
from sentinel_readers_frameworks._files import mapping

__all__ = ["Parts", "either", "gemini_usage", "parts_of", "result_of"]

# The status values that ADK's guide asks tools to return.
_STATUS: Mapping[str, bool] = {"success": True, "ok": True, "error": False, "failed": False, "failure": False}
_ANSWER = ("output", "result", "error")
_RAN = "executable_code"
_LONGEST_KIND = 40
# Parts that hold files, and keys that tell something about the part beside them.
_SHOWN = frozenset((
    "audio_metadata", "audio_transcription", "document_metadata", "file_data", "fileData", "inline_data", "inlineData",
    "media_processing", "media_resolution", "mediaResolution", "part_metadata", "partMetadata", "speech_metadata",
    "spreadsheet_metadata", "text", "thought", "thought_signature", "thoughtSignature", "video_metadata", "videoMetadata",
))  # fmt: skip
_SERVER_SIDE = CallDetails(result_expected=False)


@attrs.define
class Parts:
    """The parts of a content, by kind."""

    texts: list[str] = attrs.field(factory=list)
    thoughts: list[str] = attrs.field(factory=list)
    calls: list[ToolCall] = attrs.field(factory=list)
    results: list[Result] = attrs.field(factory=list)
    unknown: list[str] = attrs.field(factory=list)

    @property
    def lost(self) -> tuple[str, ...]:
        """What could not be read, for a piece."""
        return tuple(f'part of the unknown kind "{kind[:_LONGEST_KIND]}"' for kind in self.unknown)

    @property
    def text(self) -> str | None:
        """All text, None if there is none."""
        return "\n".join(self.texts) or None

    @property
    def reasoning(self) -> str | None:
        """All thoughts, None if there are none."""
        return "\n".join(self.thoughts) or None


def either(fields: Mapping[str, Any], snake: str, camel: str) -> Any:
    """A field in either spelling."""
    value = fields.get(snake)
    return fields.get(camel) if value is None else value


def parts_of(content: object) -> Parts:
    """A content: text, one part, or a list of parts."""
    found = Parts()
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found.texts.extend(filter(None, [part]))
        elif isinstance(part, dict):
            _sort(part, found)
    return found


def result_of(response: Mapping[str, Any]) -> Result:
    """A function's response as a result; its ``error`` or ``status`` gives the success."""
    answer = response.get("response")
    fields = mapping(answer)
    call_id, name = response.get("id"), response.get("name")
    lone = len(fields) == 1 and next((key for key in _ANSWER if key in fields), None)
    return Result(
        content=text_of(fields[lone] if lone else answer),
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) else None,
        success=_success(fields),
    )


def gemini_usage(raw: object) -> TokenUsage | None:
    """Gemini's counts. It counts thoughts and tool prompts separately; here they are part of completion and prompt."""
    usage = usage_of(raw)
    if usage is None:
        return None
    thoughts = usage.details.reasoning_tokens if usage.details is not None else 0
    fields = mapping(raw)
    beside = either(fields, "tool_use_prompt_token_count", "toolUsePromptTokenCount") or fields.get("tool")
    tools = beside if type(beside) is int and beside > 0 else 0
    return attrs.evolve(
        usage,
        prompt_tokens=usage.prompt_tokens + tools,
        completion_tokens=usage.completion_tokens + thoughts,
    )


def _success(response: Mapping[str, Any]) -> bool | None:
    status = response.get("status")
    if response.get("error"):
        return False
    return _STATUS.get(status.lower()) if isinstance(status, str) else None


def _sort(part: Mapping[str, Any], found: Parts) -> None:
    content = part.get("text")
    if isinstance(content, str):
        (found.thoughts if part.get("thought") is True else found.texts).extend(filter(None, [content]))
    elif isinstance(call := either(part, "function_call", "functionCall"), dict):
        found.calls.append(call_of(call))
    elif isinstance(response := either(part, "function_response", "functionResponse"), dict):
        found.results.append(result_of(response))
    elif isinstance(code := either(part, _RAN, "executableCode"), dict):
        arguments = {key: code[key] for key in ("language", "code") if key in code}
        found.calls.append(ToolCall(id="", name=_RAN, arguments=arguments, details=_SERVER_SIDE))
    elif isinstance(ran := either(part, "code_execution_result", "codeExecutionResult"), dict):
        found.results.append(_ran(ran))
    else:
        found.texts.extend(_other_kind(part))
        found.unknown.extend(_unknown_kind(part))


def _ran(result: Mapping[str, Any]) -> Result:
    outcome = result.get("outcome")
    return Result(
        content=text_of(result.get("output")),
        name=_RAN,
        success=outcome == "OUTCOME_OK" if isinstance(outcome, str) else None,
    )


def _other_kind(part: Mapping[str, Any]) -> list[str]:
    """A part of another kind (a file, a picture) as its name in brackets."""
    return [f"[{key}]" for key, value in part.items() if isinstance(value, dict)][:1]


def _unknown_kind(part: Mapping[str, Any]) -> list[str]:
    """The first key of a part that nobody knows."""
    return [key for key, value in part.items() if value is not None and key not in _SHOWN][:1]
